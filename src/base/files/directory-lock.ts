import { mkdir, rmdir, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CharretteError } from '../errors.ts';

const lockTries = 100;
const lockWaitMs = 50;
/** A lock older than this was left behind by a process that died. */
const staleLockMs = 60_000;

/** L-765, L-873: works while holding `<file>.lock.d`, so that parallel writers of a shared file lose nothing; waits 5 s for it. */
export async function withDirectoryLock<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${file}.lock.d`;
  await takeLock(lock);
  try {
    return await work();
  } finally {
    await rmdir(lock).catch(() => undefined);
  }
}

async function takeLock(lock: string): Promise<void> {
  for (let attempt = 0; attempt < lockTries; attempt += 1) {
    try {
      await mkdir(lock);
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const age = await stat(lock).then(
      ({ mtimeMs }) => Math.abs(Date.now() - mtimeMs),
      () => 0,
    );
    if (age > staleLockMs) await rmdir(lock).catch(() => undefined);
    await sleep(lockWaitMs);
  }
  throw new CharretteError({
    code: 'timed-out',
    message: `${lock} was not released in ${(lockTries * lockWaitMs) / 1000} s.`,
    fix: 'Remove the lock directory if no other process is writing the file.',
  });
}
