import { CharretteError } from '../../base/errors.ts';
import { type GitOptions, gitOutput, untilDone } from './run-git.ts';
import { probeTree, type TreeProbe, type TreeStatus } from './tree-probe.ts';

/** L-421: the lines of a probe. The path lists lie in files of their own beside it. */
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

/** C-11: what may be offered. Going on uncleaned is only for a tree nobody could look at, and only on an explicit word. */
export function recoveryOptions(status: TreeStatus, interactive: boolean): Recovery[] {
  if (!interactive) return ['cancel'];
  return status === 'dirty' ? ['restore', 'cancel'] : ['continue', 'cancel'];
}

/** L-428: whether a path of a probe may be given back to git. */
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
 * L-427, L-428: gives the probed paths, and only these, back their committed state and removes the new ones. The result is a
 * fresh probe: only a clean one lets the run go on.
 */
export async function restoreTree(
  directory: string,
  { tracked, newUntracked }: Pick<TreeProbe, 'tracked' | 'newUntracked'>,
  git: GitOptions = {},
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
  const root = (await gitOutput(directory, ['rev-parse', '--show-toplevel'], git)).replace(/\r?\n$/, '');
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
    await gitOutput(root, args, { ...git, ...untilDone, input: tracked.join('\0') });
  }
  for (let start = 0; start < newUntracked.length; start += pathsPerCall) {
    const some = newUntracked.slice(start, start + pathsPerCall);
    await gitOutput(root, ['--literal-pathspecs', 'clean', '-f', '-q', '--', ...some], {
      ...git,
      ...untilDone,
    });
  }
  return probeTree(root, { mode: 'checkpoint', git });
}
