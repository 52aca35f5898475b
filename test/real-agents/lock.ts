import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from '../../src/engine/lock.ts';

/** Runs `work` while holding the folder's one lock. An installation takes minutes, so a caller waits as long as its turn takes. */
export async function withLock<Result>(
  folder: string,
  report: (line: string) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const file = path.join(folder, 'install.lock');
  let attempt = await tryLock(file);
  if (!attempt.held) report('waiting for another installation');
  while (!attempt.held) {
    await sleep(500);
    attempt = await tryLock(file);
  }
  try {
    return await work();
  } finally {
    attempt.lock.release();
  }
}
