import { carriesMarker, listProcesses, type ProcessRow, standardStreams } from './process-table.ts';

/** What is known of a lane's processes. Tool children sit in groups of their own, so a group alone is not enough. */
export type TreeRoot = {
  leader: number;
  leaderStart: string;
  marker: string;
  /** Ends of the pipes that only this lane's processes hold. */
  streams: readonly string[];
  /** Rows seen in the tree earlier; they may have lost their parent since. */
  seen: ReadonlyMap<number, string>;
};

/** Every living process of the lane: by descent, by group, by marker, by its pipes, or because it was seen before. */
export function findTree(
  root: TreeRoot,
  rows: readonly ProcessRow[] = listProcesses(),
  isMarked: (pid: number) => boolean = (pid) => belongsTo(root, pid),
): ProcessRow[] {
  const members = new Set<number>();
  for (const row of rows) {
    if (isOlder(row.start, root.leaderStart)) continue;
    const known =
      (row.pid === root.leader && row.start === root.leaderStart) || root.seen.get(row.pid) === row.start;
    // Never ourselves: all other lanes hang on us.
    if (row.pid !== process.pid && (known || isMarked(row.pid))) members.add(row.pid);
  }
  // The group number is the leader's; another group could only reuse it after every member is gone.
  if (members.size > 0) {
    for (const row of rows) if (row.group === root.leader) members.add(row.pid);
  }
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const row of rows) if (members.has(row.parent)) members.add(row.pid);
  }
  members.delete(process.pid);
  return rows.filter((row) => members.has(row.pid));
}

/** Whoever was there before the leader is none of its own; that spares opening most processes. */
function isOlder(start: string, leaderStart: string): boolean {
  return Number(start) < Number(leaderStart);
}

function belongsTo(root: TreeRoot, pid: number): boolean {
  return (
    carriesMarker(pid, root.marker) ||
    (root.streams.length > 0 && standardStreams(pid).some((stream) => root.streams.includes(stream)))
  );
}

/** The part of the tree that can be seen without opening every process: cheap enough to look often. */
export function descendants(root: TreeRoot): ProcessRow[] {
  return findTree(root, recentProcesses(), () => false);
}

let recent: { at: number; rows: ProcessRow[] } = { at: Number.NEGATIVE_INFINITY, rows: [] };

/** Lanes that look at about the same time share one look at the process table. */
function recentProcesses(): ProcessRow[] {
  const now = performance.now();
  if (now - recent.at > 150) recent = { at: now, rows: listProcesses() };
  return recent.rows;
}
