import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { laneMarkerVariable } from './environment.ts';

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
export function carriesMarker(pid: number, marker: string): boolean {
  const environment = readProc(pid, 'environ');
  return environment?.split('\0').includes(`${laneMarkerVariable}=${marker}`) ?? false;
}

/** The pipes or sockets behind a process's stdin, stdout and stderr; children inherit them. */
export function standardStreams(pid: number): string[] {
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
export function bootIdentity(): string {
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
