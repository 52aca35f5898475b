import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { laneMarkerVariable } from '../settings.ts';

/** One row of the system's process table. `start` tells a process from a later one with the same number. */
export type ProcessRow = { pid: number; parent: number; group: number; start: string; name: string };

/** All processes that can be seen. From /proc where it exists, else from `ps`. */
export function listProcesses(): ProcessRow[] {
  if (!existsSync('/proc/self/stat')) return listWithPs();
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readRow(Number(name)) ?? []) : []));
}

/** The row of one process, or `undefined` when it has gone. A zombie has gone. */
export function readRow(pid: number): ProcessRow | undefined {
  if (!existsSync('/proc/self/stat')) return listWithPs().find((row) => row.pid === pid);
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  // The name is in parentheses and may hold spaces and parentheses itself.
  const close = stat.lastIndexOf(')');
  const name = stat.slice(stat.indexOf('(') + 1, close);
  const [state, parent, group, ...rest] = stat.slice(close + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), start: rest[16] ?? '', name };
}

/** Whether the process carries the lane's marker in the environment it was started with. */
function carriesMarker(pid: number, marker: string): boolean {
  const environment = readProc(pid, 'environ');
  return environment?.split('\0').includes(`${laneMarkerVariable}=${marker}`) ?? false;
}

/** The pipes or sockets behind a process's stdin, stdout and stderr; children inherit them. */
function standardStreams(pid: number): string[] {
  return [0, 1, 2].flatMap((descriptor) => {
    try {
      const link = readlinkSync(`/proc/${pid}/fd/${descriptor}`);
      return /^(?:pipe|socket):/.test(link) ? [link] : [];
    } catch {
      return [];
    }
  });
}

/** Tells this start of the machine from others: process numbers begin again after a reboot. */
function bootIdentity(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

function listWithPs(): ProcessRow[] {
  const listing = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart=,comm='], { encoding: 'utf8' });
  return (listing.stdout ?? '').split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+ \S+\s+\d+ \S+ \d+)\s+(.*)$/.exec(line);
    if (match === null || match[4]?.startsWith('Z')) return [];
    const [, pid, parent, group, , start = '', name = ''] = match;
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), start, name }];
  });
}

/** SIGTERM to all, the grace, SIGKILL to what is left, until nothing is left. Answers what could not be ended. */
export async function endTree(
  root: TreeRoot,
  graceMs: number = defaultLimits.termGraceMs,
): Promise<ProcessRow[]> {
  let tree = findTree(root);
  // The jail's own processes would take the agent down at once; they end when it does.
  for (const row of tree) if (row.name !== 'bwrap') signalProcess(row.pid, 'SIGTERM');
  for (let waited = 0; tree.length > 0 && waited < graceMs; waited += 50) {
    await sleep(50);
    tree = findTree(root);
  }
  for (let round = 0; tree.length > 0 && round < 40; round += 1) {
    for (const row of tree) signalProcess(row.pid, 'SIGKILL');
    await sleep(25);
    tree = findTree(root);
  }
  return tree;
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has gone in the meantime, which is what was wanted.
  }
}

/** Facts about a lane's processes. Tools run in separate groups, so a group alone is not enough. */
type TreeRoot = {
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

/** Processes older than the leader are not its children; that spares opening most processes. */
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

/** Lanes that check at about the same time share one read of the process table. */
function recentProcesses(): ProcessRow[] {
  const now = performance.now();
  if (now - recent.at > 150) recent = { at: now, rows: listProcesses() };
  return recent.rows;
}

const fileName = 'process.json';

/** What a lane directory says about its process, written before anybody waits for it. */
export type ProcessRecord = {
  version: 1;
  pid: number;
  start: string;
  boot: string;
  marker: string;
  streams: readonly string[];
  ended: boolean;
};

/** Notes the process in the lane directory, so that a later command can end it if this one dies. */
export function recordProcess(laneDirectory: string, pid: number, marker: string): ProcessRecord {
  const start = readRow(pid)?.start ?? '';
  const streams = standardStreams(pid);
  const record: ProcessRecord = {
    version: 1,
    pid,
    start,
    boot: bootIdentity(),
    marker,
    streams,
    ended: false,
  };
  writeRecord(laneDirectory, record);
  return record;
}

export function recordEnd(laneDirectory: string, record: ProcessRecord): void {
  writeRecord(laneDirectory, { ...record, ended: true });
}

export function readProcessRecord(laneDirectory: string): ProcessRecord | undefined {
  let text: string;
  try {
    text = readFileSync(path.join(laneDirectory, fileName), 'utf8');
  } catch {
    return undefined;
  }
  const reading = readJson(text);
  if (!reading.ok || !isRecord(reading.value)) return undefined;
  const { pid, start, boot, marker, ended } = reading.value;
  // Numbers of pipes are given out again; after our death only the marker and descent can be trusted.
  const streams: string[] = [];
  if (!Number.isInteger(pid) || Number(pid) < 2 || typeof start !== 'string') return undefined;
  if (typeof boot !== 'string' || typeof marker !== 'string' || marker === '') return undefined;
  return { version: 1, pid: Number(pid), start, boot, marker, streams, ended: ended === true };
}

/** Ends what a killed command left running in these lanes. Answers the directories in which something was ended. */
export async function endOrphans(laneDirectories: readonly string[]): Promise<string[]> {
  const ended = await Promise.all(
    laneDirectories.map(async (laneDirectory) => {
      const record = readProcessRecord(laneDirectory);
      if (record === undefined || record.ended || record.boot !== bootIdentity()) return [];
      const alive = readRow(record.pid)?.start === record.start;
      const left = await endTree(rootOf(record));
      if (left.length === 0) recordEnd(laneDirectory, record);
      return alive ? [laneDirectory] : [];
    }),
  );
  return ended.flat();
}

export function rootOf(record: ProcessRecord, seen: ReadonlyMap<number, string> = new Map()): TreeRoot {
  return {
    leader: record.pid,
    leaderStart: record.start,
    marker: record.marker,
    streams: record.streams,
    seen,
  };
}

function writeRecord(laneDirectory: string, record: ProcessRecord): void {
  const file = path.join(laneDirectory, fileName);
  writeFileSync(`${file}.tmp`, `${JSON.stringify(record)}\n`);
  renameSync(`${file}.tmp`, file);
}

/** Why a process was ended from outside. */
export type EndReason = 'wall' | 'idle' | 'output' | 'cancelled' | 'driver';

export type ProcessLimits = {
  wallMs: number;
  idleMs: number;
  /** Bytes of stdout and stderr together. */
  outputBytes: number;
  /** A line longer than this is dropped; the stream continues after it. */
  lineBytes: number;
  /** Time for a process to exit after SIGTERM. */
  termGraceMs: number;
  /** How long a process may stay after its answer was complete. */
  lingerMs: number;
};

export const defaultLimits = {
  outputBytes: 64 * 1024 * 1024,
  lineBytes: 8 * 1024 * 1024,
  termGraceMs: 3000,
  lingerMs: 5000,
} as const;

/** How often the watch checks, and the most that one check can count. */
export const tickMs = 200;
const longestStepMs = 2000;

/** Time that has really been given to the process: a machine that slept between two looks counts one step. */
export type Watch = { lastLook: number; wall: number; idle: number };

export function startWatch(now: number): Watch {
  return { lastLook: now, wall: 0, idle: 0 };
}

/** The watch after a check at `now`; `active`: output since the last check. */
export function lookAt(watch: Watch, now: number, active: boolean): Watch {
  const step = Math.max(0, Math.min(now - watch.lastLook, longestStepMs));
  return { lastLook: now, wall: watch.wall + step, idle: active ? 0 : watch.idle + step };
}

/** Which limit has passed, if any. The wall clock comes first: it is the harder promise. */
export function passedLimit(
  watch: Watch,
  limits: Pick<ProcessLimits, 'wallMs' | 'idleMs'>,
): EndReason | undefined {
  if (watch.wall >= limits.wallMs) return 'wall';
  if (watch.idle >= limits.idleMs) return 'idle';
  return undefined;
}
