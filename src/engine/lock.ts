import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeFileAtomicSync } from '../base/files/atomic.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { homeAround, parentsOf, type RunDirectory, runDirectoryOf } from './run-directory.ts';
import { isFinal, type RunRecord } from './run-record.ts';

export type Lock = { release(): void };
export type LockAttempt = { held: true; lock: Lock } | { held: false; holder: ProcessIdentity };

/**
 * Acquires the lock file or returns its holder. The lock of a dead process is claimed; that is itself guarded by
 * a directory, so that two processes that both see a dead holder cannot both win.
 */
export async function tryLock(file: string): Promise<LockAttempt> {
  mkdirSync(path.dirname(file), { recursive: true });
  const mine = thisProcess();
  for (;;) {
    if (createExclusively(file, JSON.stringify(mine)))
      return { held: true, lock: { release: () => release(file, mine) } };
    const holder = readHolder(file);
    if (holder !== undefined && isAlive(holder)) return { held: false, holder };
    await removeStale(file, holder);
  }
}

/** Acquires the lock in any case: for a process that knows from elsewhere that the work is its own. */
export function seizeLock(file: string): Lock {
  const mine = thisProcess();
  writeFileAtomicSync(file, JSON.stringify(mine));
  return { release: () => release(file, mine) };
}

/** The process on this host, other than this one, that holds the lock and lives. */
export function livingHolder(file: string): ProcessIdentity | undefined {
  const holder = readHolder(file);
  const mine = thisProcess();
  if (holder === undefined || holder.host !== mine.host || holder.pid === mine.pid) return undefined;
  return isAlive(holder) ? holder : undefined;
}

/** Who holds the lock, and since when. */
export function readLock(file: string): { holder: ProcessIdentity; since: string } | undefined {
  const holder = readHolder(file);
  const facts = statSync(file, { throwIfNoEntry: false });
  return holder && facts && { holder, since: facts.mtime.toISOString() };
}

const waitTries = 500;
const waitMs = 20;

/** Waits for the lock, for work of a moment; returns the holder when that takes too long. */
export async function waitForLock(file: string): Promise<LockAttempt> {
  for (let tries = 1; ; tries += 1) {
    const attempt = await tryLock(file);
    if (attempt.held || tries >= waitTries) return attempt;
    await sleep(waitMs);
  }
}

function createExclusively(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function readHolder(file: string): ProcessIdentity | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const reading = readJson(text);
  return reading.ok && isProcessIdentity(reading.value) ? reading.value : undefined;
}

async function removeStale(file: string, seen: ProcessIdentity | undefined): Promise<void> {
  const guard = `${file}.takeover`;
  try {
    mkdirSync(guard);
  } catch (error) {
    // On a read-only disk no other process removes it, either.
    if (!isTaken(error)) throw error;
    if (ageOf(guard) > 10_000) rmSync(guard, { recursive: true, force: true });
    await sleep(20);
    return;
  }
  try {
    const now = readHolder(file);
    // A file that cannot be read is one being written right now, unless it stays that way.
    if (now === undefined ? ageOf(file) > 1000 : JSON.stringify(now) === JSON.stringify(seen))
      rmSync(file, { force: true });
    else await sleep(20);
  } finally {
    rmdirSync(guard);
  }
}

/** Since when it has been there; what comes from the future is old too, or a clock set back would keep it for ever. */
function ageOf(file: string): number {
  try {
    return Math.abs(Date.now() - statSync(file).mtimeMs);
  } catch {
    return 0;
  }
}

function release(file: string, mine: ProcessIdentity): void {
  const holder = readHolder(file);
  if (holder?.pid !== mine.pid || holder.started !== mine.started) return;
  try {
    rmSync(file, { force: true });
  } catch {
    // A read-only disk keeps it; it is stale once this process is gone.
  }
}

/** Whether a process works on it right now; a `running` run without one was interrupted. */
export function isLive(record: RunRecord, directory: RunDirectory): boolean {
  const { status, process, queue } = record;
  if (isFinal(status) || process === undefined) return false;
  if (!isForeign(process)) return isAlive(process);
  // A worker has its lock in its own clone, which may not be this one; the queue knows of it.
  return queue !== undefined || lockOnOtherHost(record, directory) !== undefined;
}

/**
 * The lock that a process on another host has on a run: all that can be seen of it here. Without one, that
 * process has released the run.
 */
export function lockOnOtherHost(
  { status, process }: RunRecord,
  directory: RunDirectory,
): { holder: ProcessIdentity; file: string } | undefined {
  if (isFinal(status) || process === undefined || !isForeign(process)) return undefined;
  const home = homeAround(directory);
  // A process that works on a child run holds its parent.
  const runs = [directory.id, ...parentsOf(directory.id)].map((id) => runDirectoryOf(home, id).lock);
  const file = [home.lock, ...runs].find((lock) => isSame(readLock(lock)?.holder, process));
  return file === undefined ? undefined : { holder: process, file };
}

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
