import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { isFinal } from '../../engine/run-record.ts';
import { exportRun, importRun } from '../../service/archive.ts';
import type { CommandResult, CommandSpec, Invocation } from '../../service/command.ts';
import { unwritable } from '../../service/named-file.ts';
import { findRun, type Project, projectOf } from '../../service/project.ts';
import { deleteBranches, pruneRuns, type Removed, removeRuns } from '../../service/remove.ts';
import { makeAnswerProvider } from './ask.ts';
import { wholeNumber } from './options.ts';

const unmergedOption = {
  flags: '--unmerged',
  description: 'also branches of runs whose work is on no other branch',
};

export const remove: CommandSpec = {
  examples: [['charrette runs rm 20261115-205512-add-rate-limiting-4f2a90c1', 'remove one run']],
  arguments: [['<runs...>', 'run ids or unambiguous parts of them']],
  options: [unmergedOption],
  dryRun: 'says',
  async run(invocation) {
    const project = projectOf(invocation);
    const names = invocation.arguments[0] as string[];
    return resultOf(project, await removeRuns(project, names, removeOptions(invocation)), invocation);
  },
};

export const prune: CommandSpec = {
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
    const limits = invocation.options as { olderThan?: number; keep?: number };
    if (limits.olderThan === undefined && limits.keep === undefined)
      throw new CharretteError({ code: 'usage', message: '`runs prune` needs --older-than or --keep.' });
    const project = projectOf(invocation);
    return resultOf(project, await pruneRuns(project, limits, removeOptions(invocation)), invocation);
  },
};

const removeOptions = ({ options, global: { dryRun } }: Invocation) => ({
  force: options['unmerged'] === true,
  dryRun,
});

/** Branches of designs: `deleted` on request, `spare` are only named. */
type DesignBranches = { deleted: string[]; spare: string[] };

/** On a terminal the user decides, --yes deletes; otherwise the branches are only named. */
async function offerBranches(
  { project }: Project,
  removed: readonly Removed[],
  { global, terminal, signal }: Invocation,
): Promise<DesignBranches> {
  const spare = [...new Set(removed.flatMap(({ design }) => design ?? []))];
  if (spare.length === 0 || global.dryRun) return { deleted: [], spare };
  const question = {
    id: 'design-branches',
    text: `Delete branches of these designs that have no own commits? ${named(spare)}`,
    options: [
      { value: 'delete', label: 'Delete' },
      { value: 'keep', label: 'Keep' },
    ],
    recommended: 'delete',
  };
  const answers = await makeAnswerProvider(global, terminal, new Map())([question], signal);
  const deleted = answers?.[0]?.value === 'delete' ? await deleteBranches(project, spare) : [];
  return { deleted, spare: spare.filter((name) => !deleted.includes(name)) };
}

async function resultOf(
  project: Project,
  removed: readonly Removed[],
  invocation: Invocation,
): Promise<CommandResult> {
  const { dryRun } = invocation.global;
  const { deleted, spare } = await offerBranches(project, removed, invocation);
  const ids = removed.map(({ id }) => id);
  const branchesThat = (state: Removed['branch']) =>
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
    ...spare.map((branch) => `The branch ${branch} has no own commits: \`git branch -D ${branch}\``),
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

/** Names that a line for people holds; programs get all. */
const maxNamed = 50;

function named(ids: readonly string[]): string {
  const more = ids.length - maxNamed;
  return `${ids.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export const exportCommand: CommandSpec = {
  examples: [
    ['charrette runs export latest', 'to <run>.tar.gz here'],
    ['charrette runs export 4f2a90c1 /tmp/run.tar.gz', 'to a file of your choice'],
  ],
  arguments: [
    ['<run>', 'run id, an unambiguous part of it, or latest'],
    ['[file]', 'the archive; an existing file is not replaced'],
  ],
  dryRun: 'says',
  async run(invocation) {
    const { arguments: words, global } = invocation;
    const project = projectOf(invocation);
    const directory = await findRun(project, words[0] as string);
    const { record, archive } = await exportRun(project, directory, { dryRun: global.dryRun });
    const target = path.resolve(global.cwd, (words[1] as string | undefined) ?? `${directory.id}.tar.gz`);
    if (global.dryRun)
      return { exit: 0, text: `Would write ${target}.\n`, json: { dryRun: true, file: target } };
    const { writeFile } = await import('node:fs/promises');
    await writeFile(target, archive, { flag: 'wx', mode: 0o600 }).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw unwritable(target, cause);
      throw new CharretteError({
        code: 'would-overwrite',
        message: `${target} already exists.`,
        fix: 'Name another file, or remove this one.',
      });
    });
    return {
      exit: 0,
      text: `${target}\n`,
      json: { run: directory.id, status: record.status, file: target, bytes: archive.length },
    };
  },
};

export const importCommand: CommandSpec = {
  examples: [['charrette runs import run.tar.gz', 'then `charrette resume` continues it']],
  arguments: [['<file>', 'what `charrette runs export` wrote']],
  dryRun: 'says',
  async run(invocation) {
    const { arguments: words, global } = invocation;
    const { dryRun } = global;
    const source = path.resolve(global.cwd, words[0] as string);
    const record = await importRun(projectOf(invocation), source, { dryRun });
    if (dryRun)
      return {
        exit: 0,
        text: `Would import ${record.run} (${record.status}).\n`,
        json: { dryRun, run: record.run, status: record.status },
      };
    const ended = isFinal(record.status) && record.status !== 'failed';
    const next = ended ? `charrette show ${record.run}` : `charrette resume ${record.run}`;
    return {
      exit: 0,
      text: `Imported ${record.run}. Run \`${next}\` to resume it.\n`,
      json: { run: record.run, status: record.status, next },
    };
  },
};
