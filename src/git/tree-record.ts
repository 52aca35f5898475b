import { type Boundary, boundaries, type TreeProbe, type TreeStatus, treeStatuses } from './tree-probe.ts';

/** L-421: the lines of a probe. The path lists lie in files of their own, NUL between the paths. */
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

export function renderPathList(paths: readonly string[]): string {
  return paths.map((file) => `${file}\0`).join('');
}

/** L-422: what a lane's record says; missing, empty or unreadable is unknown, never clean. */
export function sidecarStatus(text: string | undefined): TreeStatus {
  const value = /^STATUS=(.*)$/m.exec(text ?? '')?.[1]?.trim();
  return treeStatuses.find((status) => status === value) ?? 'unknown';
}

/** One verdict of several: dirty before unknown before clean. Nothing at all is unknown. */
export function worstStatus(statuses: readonly TreeStatus[]): TreeStatus {
  if (statuses.includes('dirty')) return 'dirty';
  return statuses.length === 0 || statuses.includes('unknown') ? 'unknown' : 'clean';
}

export type DirtyTree = { status: TreeStatus; stage: Boundary; recoveryRequired: boolean };

/** L-424: `dirty-tree-detected.env`. */
export function renderDirtyTree({
  status,
  stage,
  recoveryRequired,
}: Omit<DirtyTree, 'stage'> & { stage: string }): string {
  return `STATUS=${status}\nSTAGE=${stage}\nRECOVERY_REQUIRED=${recoveryRequired}\n`;
}

/** Reads the record; anything but a clear `false` still requires recovery. */
export function parseDirtyTree(text: string): DirtyTree | undefined {
  const stage = boundaries.find((boundary) => boundary === /^STAGE=(.*)$/m.exec(text)?.[1]);
  if (!stage) return undefined;
  return { status: sidecarStatus(text), stage, recoveryRequired: !/^RECOVERY_REQUIRED=false$/m.test(text) };
}

/** L-425: one question per boundary. */
export function promptedFlag(boundary: Boundary): string {
  return `.dirty-tree-prompted-${boundary}`;
}
