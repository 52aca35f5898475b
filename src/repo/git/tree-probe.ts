import { CharretteError } from '../../base/errors.ts';
import { topLevel } from './repository-facts.ts';
import { type GitResult, gitOutput, runGit, splitNul, untilDone } from './run-git.ts';

export type TreeStatus = 'clean' | 'dirty' | 'unknown';

/** C-10: the boundaries after which the tree is checked; one name for stage and question. */
export type Boundary =
  | 'question-collection'
  | 'discussion-collection'
  | 'sketch-collection'
  | 'dialectic-debate-collection'
  | 'dialectic-judge-collection'
  | 'plan-review-collection';

/** L-421 */
export type TreeProbe = {
  status: TreeStatus;
  mode: 'baseline' | 'checkpoint';
  /** Only in baseline mode. */
  untrackedBaseline?: 'present' | 'missing';
  /** Changed paths that git knows, from the root of the repository. */
  tracked: string[];
  newUntracked: string[];
  /** Why it is not clean. */
  reason?: string;
};

export type ProbeSettings =
  /** `ignore`: pathspecs of files that do not count. */
  | { mode: 'checkpoint'; ignore?: readonly string[] }
  /** `untracked`: what was untracked before the agents started; undefined when it was not checked. */
  | { mode: 'baseline'; untracked: readonly string[] | undefined };

/** L-421…L-423, F-04: checks whether the tree changed. A git failure is `unknown`, never clean. */
export async function probeTree(directory: string, settings: ProbeSettings): Promise<TreeProbe> {
  return settings.mode === 'checkpoint'
    ? checkpoint(directory, settings.ignore ?? [])
    : againstBaseline(directory, settings.untracked);
}

/** What is untracked now, for a later baseline probe; `undefined` when git does not say. */
export async function untrackedSnapshot(directory: string): Promise<string[] | undefined> {
  const result = await listUntracked(directory);
  return result.code === 0 ? splitNul(result.stdout) : undefined;
}

async function checkpoint(directory: string, ignore: readonly string[]): Promise<TreeProbe> {
  const result = await runGit(directory, [
    ...['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames'],
    ...(ignore.length === 0 ? [] : ['--', ':/', ...ignore]),
  ]);
  if (result.code !== 0) return unknown('checkpoint', 'git-status-failed');
  const entries = splitNul(result.stdout);
  const newUntracked = entries.filter((entry) => entry.startsWith('??')).map((entry) => entry.slice(3));
  const tracked = entries.filter((entry) => !entry.startsWith('??')).map((entry) => entry.slice(3));
  return verdict('checkpoint', tracked, newUntracked);
}

/** Paths start at the root of the repository, whatever the person's configuration says about diffs. */
const diffFlags = ['--no-relative', '--name-only', '-z', '--no-renames', '--no-ext-diff'];

async function againstBaseline(
  directory: string,
  untracked: readonly string[] | undefined,
): Promise<TreeProbe> {
  const untrackedBaseline = untracked === undefined ? 'missing' : 'present';
  const calls: [reason: string, call: Promise<GitResult>][] = [
    ['git-diff-failed', runGit(directory, ['diff', ...diffFlags])],
    ['git-diff-cached-failed', runGit(directory, ['diff', '--cached', ...diffFlags])],
    ['git-ls-files-failed', listUntracked(directory)],
  ];
  const outputs: string[][] = [];
  for (const [reason, call] of calls) {
    const result = await call;
    if (result.code !== 0) return { ...unknown('baseline', reason), untrackedBaseline };
    outputs.push(splitNul(result.stdout));
  }
  const [unstaged = [], staged = [], present = []] = outputs;
  const tracked = [...new Set([...staged, ...unstaged])].sort();
  if (untracked === undefined && present.length > 0 && tracked.length === 0) {
    return { ...unknown('baseline', 'baseline-missing-untracked-ambiguous'), untrackedBaseline };
  }
  const known = new Set(untracked ?? []);
  const added = untracked === undefined ? [] : present.filter((file) => !known.has(file));
  return { ...verdict('baseline', tracked, added), untrackedBaseline };
}

function listUntracked(directory: string): Promise<GitResult> {
  return runGit(directory, ['ls-files', '--others', '--exclude-standard', '-z', '--full-name', '--', ':/']);
}

function verdict(mode: TreeProbe['mode'], tracked: string[], newUntracked: string[]): TreeProbe {
  if (tracked.length === 0 && newUntracked.length === 0)
    return { status: 'clean', mode, tracked, newUntracked };
  const reason =
    tracked.length === 0
      ? 'new-untracked-paths'
      : newUntracked.length === 0
        ? 'tracked-paths-changed'
        : 'tracked-and-untracked-paths';
  return { status: 'dirty', mode, tracked, newUntracked, reason };
}

function unknown(mode: TreeProbe['mode'], reason: string): TreeProbe {
  return { status: 'unknown', mode, tracked: [], newUntracked: [], reason };
}

/** L-421: the lines of a probe. The path lists are in separate files. */
export function renderProbe(probe: TreeProbe, files: { tracked: string; newUntracked: string }): string {
  const lines = [
    `STATUS=${probe.status}`,
    `MODE=${probe.mode}`,
    ...(probe.untrackedBaseline === undefined ? [] : [`UNTRACKED_BASELINE=${probe.untrackedBaseline}`]),
    `TRACKED_PATHS_FILE=${files.tracked}`,
    `NEW_UNTRACKED_PATHS_FILE=${files.newUntracked}`,
    ...(probe.reason === undefined ? [] : [`REASON=${probe.reason}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** L-421: a NUL after every path, as git and `xargs -0` take them. */
export function renderPathList(paths: readonly string[]): string {
  return paths.map((file) => `${file}\0`).join('');
}

/** L-424: `dirty-tree-detected.env`. */
export function renderDirtyTree({
  status,
  stage,
  recoveryRequired,
}: {
  status: TreeStatus;
  stage: string;
  recoveryRequired: boolean;
}): string {
  return `STATUS=${status}\nSTAGE=${stage}\nRECOVERY_REQUIRED=${recoveryRequired}\n`;
}

const recoveries = ['restore', 'continue', 'cancel'] as const;
type Recovery = (typeof recoveries)[number];

/** C-11: the choices to offer. To continue with a tree that could not be checked needs an explicit answer. */
export function recoveryOptions(status: TreeStatus, interactive: boolean): Recovery[] {
  if (!interactive) return ['cancel'];
  return status === 'dirty' ? ['restore', 'cancel'] : ['continue', 'cancel'];
}

/** L-428: true if a path of a probe may be restored by git. */
export function isRecoverable(file: string): boolean {
  const parts = file.split('/');
  return (
    file !== '' &&
    !file.startsWith('/') &&
    !file.includes('\0') &&
    !parts.includes('..') &&
    parts[0]?.toLowerCase() !== '.git'
  );
}

const pathsPerCall = 200;

/**
 * L-427, L-428: restores the committed state of exactly the probed paths and removes the new ones. The result is a
 * fresh probe: only a clean one lets the run continue.
 */
export async function restoreTree(
  directory: string,
  { tracked, newUntracked }: Pick<TreeProbe, 'tracked' | 'newUntracked'>,
): Promise<TreeProbe> {
  const unsafe = [...tracked, ...newUntracked].filter((file) => !isRecoverable(file));
  if (unsafe.length > 0) {
    throw new CharretteError({
      code: 'path-unsafe',
      message: `Not restored: ${unsafe.slice(0, 5).join(', ')} lead out of the repository.`,
      fix: 'Clean the working tree by hand.',
    });
  }
  // Probed paths start at the root, also when the project is a package somewhere below it.
  const root = await topLevel(directory);
  if (tracked.length > 0) {
    const args = [
      '--literal-pathspecs',
      'restore',
      '--source=HEAD',
      '--staged',
      '--worktree',
      '--pathspec-from-file=-',
      '--pathspec-file-nul',
    ];
    await gitOutput(root, args, { ...untilDone, input: tracked.join('\0') });
  }
  for (let start = 0; start < newUntracked.length; start += pathsPerCall) {
    const some = newUntracked.slice(start, start + pathsPerCall);
    await gitOutput(root, ['--literal-pathspecs', 'clean', '-f', '-q', '--', ...some], untilDone);
  }
  return probeTree(root, { mode: 'checkpoint' });
}
