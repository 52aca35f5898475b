import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CharretteError } from '../../base/errors.ts';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { projectRun, type RunDirectory, workerHome } from '../../engine/run-directory.ts';
import { readRunRecord, updateRunRecord } from '../../engine/run-record.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { appendIssue } from '../../plan/plan-text.ts';
import {
  probeTree,
  recoveryOptions,
  renderDirtyTree,
  renderPathList,
  renderProbe,
  restoreTree,
  type TreeProbe,
  untrackedSnapshot,
} from '../../repo/git/tree-probe.ts';

/** Files that were untracked or changed before agents ran; later checks skip them. Missing: git did not say. */
export type FoundTree = { untracked?: string[] | undefined; changed: string[] };

export async function findTree(project: string): Promise<FoundTree> {
  const untracked = await untrackedSnapshot(project);
  const { status, tracked } = await probeTree(project, { mode: 'checkpoint' });
  // Without a list nothing may count as new: recovery would remove what a person has not committed yet.
  return { untracked: status === 'unknown' ? undefined : untracked, changed: tracked };
}

/** The inputs of a run that comes to another clone: what is uncommitted there is as little the work of its agents. */
export async function withTreeOf(project: string, inputs: unknown): Promise<unknown> {
  if (!isRecord(inputs) || !isRecord(inputs['entry'])) return inputs;
  return { ...inputs, entry: { ...inputs['entry'], ...(await findTree(project)) } };
}

/** Saves the present state of the tree, for a run whose agents have not worked in it. */
export async function noteTree(directory: RunDirectory, project: string): Promise<void> {
  const { inputs } = await readRunRecord(directory);
  if (!isRecord(inputs) || !isRecord(inputs['entry'])) return;
  const found = await findTree(project);
  const entry = { ...inputs['entry'], ...found };
  // Where git says nothing, what it said before is as good.
  if (found.untracked === undefined || isDeepStrictEqual(entry, inputs['entry'])) return;
  await updateRunRecord(directory, { inputs: { ...inputs, entry } });
}

/** The tree as the run found it where it is now; its journal has the one of the clone in which it was made. */
export async function foundTree(directory: RunDirectory, first: FoundTree): Promise<FoundTree> {
  const { inputs } = await readRunRecord(directory);
  const entry = isRecord(inputs) ? inputs['entry'] : undefined;
  return isFoundTree(entry) ? entry : first;
}

function isFoundTree(value: unknown): value is FoundTree {
  return (
    isRecord(value) &&
    isTexts(value['changed']) &&
    (value['untracked'] === undefined || isTexts(value['untracked']))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * What a person does while the run waits for them is their own: only from here on changes are those of agents. Before every part of the
 * opening in which agents are asked; a run with --auto waits only before the first of them.
 */
export async function settleTree(
  { context, inputs }: { context: WorkflowContext; inputs: { auto: boolean; project: string } },
  before: string,
  { withAuto = true } = {},
): Promise<void> {
  if (inputs.auto && !withAuto) return;
  const { directory } = context.live;
  await context.step(`tree before ${before}`, async () => {
    // A run whose journal was lost comes here again, with what its agents left.
    if (isAllSeen(directory)) await noteTree(directory, inputs.project);
  });
}

/** Saves which calls the last check of the tree covered. */
export async function noteSeen(directory: RunDirectory): Promise<void> {
  await writeJsonAtomic(fileOf(directory), { schemaVersion: 1, lanes: lanesIn(directory) });
}

function isAllSeen(directory: RunDirectory): boolean {
  const file = fileOf(directory);
  const reading = existsSync(file) ? readJson(readFileSync(file, 'utf8')) : undefined;
  const seen = reading?.ok && isRecord(reading.value) ? reading.value['lanes'] : undefined;
  const names = Array.isArray(seen) ? seen : [];
  return !existsSync(workerHome(directory)) && lanesIn(directory).every((lane) => names.includes(lane));
}

function fileOf({ root }: RunDirectory): string {
  return path.join(root, 'steps', 'tree-seen.json');
}

/** All but the health checks, which come before any question and do not work in the tree. */
function lanesIn({ lanes }: RunDirectory): string[] {
  const names = existsSync(lanes) ? readdirSync(lanes).sort() : [];
  return names.filter((name) => !name.startsWith('probe-'));
}

const labels = {
  restore: 'Undo the changes and continue',
  continue: 'Continue although the state of the tree is unknown',
  cancel: 'Cancel this run',
} as const;

/** L-421: all paths that were touched, however many; each list is empty when it has none. */
const pathLists = {
  tracked: 'dirty-tree-tracked-paths.nul',
  newUntracked: 'dirty-tree-new-untracked-paths.nul',
} as const;

/** Paths that a question lists. */
const shownPaths = 20;

/** Asks what to do when agents changed the tree, for any workflow; `entry` is the tree as the run found it. */
export async function guardTree(
  desk: { context: WorkflowContext; warn(text: string): void },
  project: string,
  entry: FoundTree,
  boundary: string,
  lanes: readonly string[],
  round = 1,
): Promise<void> {
  const run = projectRun(desk.context.live.directory);
  const look = async (): Promise<TreeProbe & { changed?: string[] }> => {
    const { untracked, changed } = await foundTree(run, entry);
    return { ...(await probeTree(project, { mode: 'baseline', untracked })), changed };
  };
  const { changed = entry.changed, ...seen } = await desk.context.step(`tree after ${boundary}`, look);
  // Changes that were there before the run are the user's own.
  const probe = { ...seen, tracked: seen.tracked.filter((file) => !changed.includes(file)) };
  const untouched = seen.status === 'dirty' && probe.tracked.length + probe.newUntracked.length === 0;
  if (seen.status === 'clean' || untouched) return;
  await desk.context.artifact(
    'dirty-tree-detected.env',
    renderDirtyTree({ status: probe.status, stage: boundary, recoveryRequired: true }),
  );
  await desk.context.artifact('dirty-tree-probe.env', renderProbe(probe, pathLists));
  await desk.context.artifact(pathLists.tracked, renderPathList(probe.tracked));
  await desk.context.artifact(pathLists.newUntracked, renderPathList(probe.newUntracked));
  const paths = [...probe.tracked, ...probe.newUntracked];
  // L-429: who may have done it.
  const said = `The working tree is ${probe.status} after ${boundary}: ${paths.slice(0, 10).join(', ') || probe.reason}. Running until then: ${lanes.join(', ')}.`;
  desk.warn(said);
  await desk.context.step(`log the tree after ${boundary}`, () =>
    appendIssue(run.executionIssues, 'External Reviewer Issues', said),
  );
  const id = `dirty-tree-${boundary}${round === 1 ? '' : `-${round}`}`;
  const answers = await desk.context.ask([
    {
      id,
      text: `${whatHappened(probe)}. What now?`,
      detail: shown(paths),
      options: recoveryOptions(probe.status, true).map((value) => ({ value, label: labels[value] })),
    },
  ]);
  const choice = answers.get(id)?.value;
  const restored =
    choice === 'restore'
      ? await desk.context.step(`restore after ${boundary}`, async () =>
          restore(project, stillOfAgents(probe, await foundTree(run, entry))),
        )
      : undefined;
  if (choice === 'continue' || restored === true) {
    await desk.context.artifact(
      'dirty-tree-detected.env',
      renderDirtyTree({ status: 'clean', stage: boundary, recoveryRequired: false }),
    );
    return;
  }
  throw new CharretteError({
    code: 'dirty-tree',
    message: `Cancelled at ${boundary}. ${whatHappened(probe)}${paths.length === 0 ? '' : `: ${paths.slice(0, 5).join(', ')}`}.`,
    fix: 'Clean the working tree by hand, then resume the run.',
  });
}

function shown(paths: readonly string[]): string {
  const some = paths.slice(0, shownPaths).join('\n');
  const more = paths.length - shownPaths;
  return more <= 0
    ? some
    : `${some}\n… and ${more} more; all of them are in the artifacts ${pathLists.tracked} and ${pathLists.newUntracked}.`;
}

function whatHappened({ status, tracked, newUntracked, reason }: TreeProbe): string {
  if (status === 'unknown') return `The state of the working tree is unknown (${reason})`;
  const count = tracked.length + newUntracked.length;
  return `An agent changed the working tree (${count} ${count === 1 ? 'path' : 'paths'})`;
}

/** A run may have moved since it asked: what is uncommitted in this clone is not what was seen in the other. */
function stillOfAgents({ tracked, newUntracked }: TreeProbe, { untracked, changed }: FoundTree) {
  return {
    tracked: tracked.filter((file) => !changed.includes(file)),
    newUntracked: newUntracked.filter((file) => untracked?.includes(file) === false),
  };
}

async function restore(
  project: string,
  probe: { tracked: string[]; newUntracked: string[] },
): Promise<boolean> {
  const after = await restoreTree(project, probe);
  return (
    after.tracked.every((file) => !probe.tracked.includes(file)) &&
    after.newUntracked.every((file) => !probe.newUntracked.includes(file))
  );
}
