import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isRecord } from '../base/safe-json.ts';

/** A process that can be told apart from a later one with the same number. */
export type ProcessIdentity = { pid: number; started: string; host: string };

/** Whether a value from a file is a process identity. */
export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  return (
    isRecord(value) &&
    typeof value['pid'] === 'number' &&
    typeof value['started'] === 'string' &&
    typeof value['host'] === 'string'
  );
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: startOf(process.pid) ?? '', host: hostname() };
}

/** Whether it runs, or ran, on another host. */
export function isForeign({ host }: ProcessIdentity): boolean {
  return host !== hostname();
}

export function isSame(one: ProcessIdentity | undefined, other: ProcessIdentity): boolean {
  return one?.pid === other.pid && one.started === other.started && one.host === other.host;
}

/** True if the process (pid + start time) is alive. On another host that cannot be seen, so it counts as alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (isForeign(identity)) return true;
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  const started = startOf(identity.pid);
  return started === undefined || identity.started === '' || started === identity.started;
}

/** Start time in clock ticks since boot, from /proc; `undefined` where there is none. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie holds nothing any more.
    return fields[0] === 'Z' ? 'zombie' : fields[19];
  } catch {
    return undefined;
  }
}
