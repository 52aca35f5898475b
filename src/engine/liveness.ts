import { readLock } from './lock.ts';
import { isAlive, isForeign, isSame, type ProcessIdentity } from './process-identity.ts';
import { homeAround, parentsOf, type RunDirectory, runDirectoryOf } from './run-directory.ts';
import { isFinal, type RunRecord } from './run-record.ts';

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
