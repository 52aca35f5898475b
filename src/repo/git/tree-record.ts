import type { TreeProbe, TreeStatus } from './tree-probe.ts';

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
