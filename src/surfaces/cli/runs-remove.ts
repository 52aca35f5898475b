import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { loadConfig } from '../../base/config/config.ts';
import { CharretteError } from '../../base/errors.ts';
import { mayRemove } from '../../base/files/contained.ts';
import { heldElsewhere } from '../../engine/engine-errors.ts';
import { foreignHold, isLive } from '../../engine/liveness.ts';
import {
  type Home,
  listRunIds,
  parentsOf,
  type RunDirectory,
  runDirectoryOf,
} from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecordSync } from '../../engine/run-record.ts';
import { markWaiting } from '../../engine/waiting-runs.ts';
import { makeAnswerProvider } from './ask.ts';
import type { CommandResult, CommandSpec, GlobalFlags, Invocation } from './command.ts';
import { wholeNumber } from './number-flag.ts';
import { findHome, findRun } from './project.ts';
import { deleteBranches, type RemovedWork, spareBranch, workRemover } from './run-work.ts';
import { withQueue } from './shared-queue.ts';

const unmergedOption = {
  flags: '--unmerged',
  description: 'also branches of runs whose work is on no other branch',
};

export const remove: CommandSpec = {
  name: 'rm',
  summary: 'Remove runs that nobody works on, paused and stopped ones too, with everything they wrote',
  examples: [['charrette runs rm 20261115-205512-add-rate-limiting-4f2a90c1', 'remove one run']],
  arguments: [['<runs...>', 'run ids or unambiguous parts of them']],
  options: [unmergedOption],
  dryRun: 'says',
  async run(invocation) {
    const {
      arguments: [names],
      options,
      global,
    } = invocation;
    const home = findHome(global.cwd);
    const removeRun = await runRemover(home, wishesOf(options, global));
    const removed: Removed[] = [];
    for (const name of names as string[]) {
      const { id } = await findRun(home, name);
      refuseNeeded(home, id);
      removed.push(await removeRun(id, await leaveQueue(home, id, invocation)));
    }
    return resultOf(removed, global.dryRun, await offerBranches(home, removed, invocation));
  },
};

export const prune: CommandSpec = {
  name: 'prune',
  summary: 'Remove ended runs that are old, or all but the newest',
  examples: [
    ['charrette runs prune --older-than 30', 'ended runs older than 30 days'],
    ['charrette runs prune --keep 20 --dry-run', 'say which runs beyond the newest 20 would go'],
  ],
  options: [
    { flags: '--older-than <days>', description: 'age in days', parse: wholeNumber('--older-than') },
    { flags: '--keep <count>', description: 'keep this many of the newest', parse: wholeNumber('--keep') },
    unmergedOption,
  ],
  dryRun: 'says',
  async run(invocation) {
    const { options, global } = invocation;
    const home = findHome(global.cwd);
    const { olderThan, keep } = options as { olderThan?: number; keep?: number };
    if (olderThan === undefined && keep === undefined) {
      throw new CharretteError({ code: 'usage', message: '`runs prune` needs --older-than or --keep.' });
    }
    const limit = olderThan === undefined ? Number.POSITIVE_INFINITY : Date.now() - olderThan * 86_400_000;
    const ended = await endedRuns(home);
    const old = ended.slice(keep ?? 0).filter((run) => Date.parse(run.created) < limit);
    const removeRun = await runRemover(home, wishesOf(options, global));
    const removed: Removed[] = [];
    for (const { run } of old) removed.push(await removeRun(run));
    return resultOf(removed, global.dryRun, await offerBranches(home, removed, invocation));
  },
};

/**
 * A run that waits for a worker is taken out of the queue first: one without its directory would only fail there. True: the queue
 * knows of no worker that has it.
 */
async function leaveQueue(home: Home, id: string, invocation: Invocation): Promise<boolean> {
  const { queue, status } = recordOf(home, id) ?? {};
  if (queue === undefined || status === undefined || isFinal(status)) return false;
  const { config } = await loadConfig({
    project: home.project,
    env: invocation.terminal.env,
    file: invocation.global.config,
  });
  if (typeof config.store !== 'object') return false;
  const { readEntries, withdraw } = await import('../../engine/queue/queued-run.ts');
  return withQueue(home.project, invocation, async (store) => {
    if (!invocation.global.dryRun && (await withdraw(store, id, 'cancelled'))) return true;
    const [entry] = await readEntries(store, [id]);
    if (entry?.worker === undefined) return true;
    throw new CharretteError({
      code: 'usage',
      message: `The worker ${entry.worker} is at work on the run ${id}.`,
      fix: `Cancel it first: \`charrette cancel ${id}\`.`,
    });
  });
}

/** The records of all runs that are over and that no other one needs, newest first; one that cannot be read may not be over. */
async function endedRuns(home: Home): Promise<RunRecord[]> {
  const ids = await listRunIds(home);
  const known = new Set(ids);
  return ids.reverse().flatMap((id) => {
    const record = recordOf(home, id);
    if (record === undefined || !isFinal(record.status)) return [];
    return openParentOf(home, id, (parent) => known.has(parent)) === undefined
      ? [{ ...record, run: id }]
      : [];
  });
}

/** A comparison that is not over reads the designs that it started. */
function refuseNeeded(home: Home, id: string): void {
  const parent = openParentOf(home, id, (candidate) => existsSync(path.join(home.runs, candidate)));
  if (parent === undefined) return;
  throw new CharretteError({
    code: 'usage',
    message: `The run ${parent} started ${id} and is not over.`,
    fix: `Let it end, or cancel it first: \`charrette cancel ${parent}\`.`,
  });
}

/** The run that started this one, if there is one and it is not over. */
function openParentOf(home: Home, id: string, isRun: (id: string) => boolean): string | undefined {
  return parentsOf(id).find((parent) => {
    if (!isRun(parent)) return false;
    const record = recordOf(home, parent);
    return record === undefined || !isFinal(record.status);
  });
}

function recordOf(home: Home, id: string): RunRecord | undefined {
  try {
    return readRunRecordSync(runDirectoryOf(home, id));
  } catch {
    return undefined;
  }
}

function refuseLive(record: RunRecord, directory: RunDirectory): void {
  const hold = foreignHold(record, directory);
  if (hold !== undefined) throw heldElsewhere(directory.id, hold.holder, hold.file);
  if (!isLive(record, directory)) return;
  throw new CharretteError({
    code: 'usage',
    message: `The run ${directory.id} is going on in process ${record.process?.pid}.`,
    fix: `Cancel it first: \`charrette cancel ${directory.id}\`.`,
  });
}

type Wishes = { force: boolean; dryRun: boolean };
/** `design`: the branch that a design made and nobody used since. */
type Removed = { id: string; design?: string | undefined } & RemovedWork;

const wishesOf = (options: Invocation['options'], { dryRun }: GlobalFlags): Wishes => ({
  force: options['unmerged'] === true,
  dryRun,
});

/** Removes a run with its checkouts and its branch; a branch with work that is nowhere else stays and is named. */
async function runRemover(
  home: Home,
  wishes: Wishes,
): Promise<(id: string, isFree?: boolean) => Promise<Removed>> {
  const removeWork = await workRemover(home.project, wishes);
  return async (id, isFree = false) => {
    const directory = runDirectoryOf(home, id);
    const record = recordOf(home, id);
    if (record !== undefined) refuseLive(isFree ? { ...record, queue: undefined } : record, directory);
    // F-29: whatever a name was taken for, only a run of this project is removed.
    if (!mayRemove(directory.root, [home.runs])) {
      throw new CharretteError({
        code: 'path-unsafe',
        message: `${directory.root} is no run of this project.`,
      });
    }
    const design = await spareBranch(home.project, record);
    const work = await removeWork(directory);
    if (!wishes.dryRun) await rm(directory.root, { recursive: true, force: true });
    if (!wishes.dryRun) markWaiting(directory, false);
    return { id, ...work, design };
  };
}

/** Branches of designs: `deleted` on request, `spare` are only named. */
type DesignBranches = { deleted: string[]; spare: string[] };

/** On a terminal the user decides, --yes deletes; otherwise the branches are only named. */
async function offerBranches(
  home: Home,
  removed: readonly Removed[],
  { global, terminal, signal }: Invocation,
): Promise<DesignBranches> {
  const spare = [...new Set(removed.flatMap(({ design }) => design ?? []))];
  if (spare.length === 0 || global.dryRun) return { deleted: [], spare };
  const question = {
    id: 'design-branches',
    text: `Delete branches of these designs that hold no commit of their own? ${named(spare)}`,
    options: [
      { value: 'delete', label: 'Delete' },
      { value: 'keep', label: 'Keep' },
    ],
    recommended: 'delete',
  };
  const answers = await makeAnswerProvider(global, terminal, new Map())([question], signal);
  const deleted = answers?.[0]?.value === 'delete' ? await deleteBranches(home.project, spare) : [];
  return { deleted, spare: spare.filter((name) => !deleted.includes(name)) };
}

/** Names that a line for people holds; a program gets all. */
const mostNamed = 50;

function resultOf(
  removed: readonly Removed[],
  dryRun: boolean,
  { deleted, spare }: DesignBranches,
): CommandResult {
  const ids = removed.map(({ id }) => id);
  const branchesThat = (state: RemovedWork['branch']) =>
    removed.filter(({ branch }) => branch === state).map(({ id }) => `charrette/${id}`);
  const [kept, used] = [branchesThat('kept'), branchesThat('in-use')];
  const lines = [
    ids.length === 0
      ? 'Nothing to remove.'
      : `${dryRun ? 'Would remove' : 'Removed'} ${ids.length}: ${named(ids)}`,
    ...kept.map(
      (branch) => `Kept the branch ${branch}: its work is on no other (--unmerged removes it too).`,
    ),
    ...used.map((branch) => `Kept the branch ${branch}: it is checked out or being rebased.`),
    ...(deleted.length === 0 ? [] : [`Deleted branches of designs: ${named(deleted)}`]),
    ...spare.map((branch) => `The branch ${branch} holds no commit of its own: \`git branch -D ${branch}\``),
  ];
  return {
    exit: 0,
    json: {
      removed: ids,
      dryRun,
      ...(kept.length + used.length === 0 ? {} : { keptBranches: [...kept, ...used] }),
      ...(deleted.length + spare.length === 0 ? {} : { designBranches: { deleted, spare } }),
    },
    text: `${lines.join('\n')}\n`,
  };
}

function named(ids: readonly string[]): string {
  const more = ids.length - mostNamed;
  return `${ids.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
