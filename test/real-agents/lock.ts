import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `work` while holding the folder's one lock; a lock whose owner is dead is taken over. */
export async function withLock<Result>(
  folder: string,
  report: (line: string) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const lock = path.join(folder, '.lock');
  const owner = path.join(lock, 'pid');
  let waited = false;
  for (;;) {
    try {
      await mkdir(lock);
      await writeFile(owner, String(process.pid));
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    if (!(await ownerLives(owner))) {
      await rm(lock, { recursive: true, force: true });
      continue;
    }
    if (!waited) report('another installation is under way, waiting for it');
    waited = true;
    await sleep(500);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function ownerLives(owner: string): Promise<boolean> {
  // The owner writes its number right after making the folder; a moment without one is not a death.
  for (let look = 0; look < 100; look++) {
    const text = await readFile(owner, 'utf8').catch(() => '');
    const pid = Number(text);
    if (text !== '' && Number.isInteger(pid)) return isAlive(pid);
    await sleep(100);
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
