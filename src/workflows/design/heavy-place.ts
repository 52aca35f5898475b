import path from 'node:path';
import { homeOf, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';

/** The worker's run has a home of its own, where it is the only one. */
export const workerRun = 'heavy';

/** Beside the run whose heavy phase it is. */
export function workerHome(run: RunDirectory): string {
  return path.join(run.root, 'heavy');
}

export function workerDirectory(run: RunDirectory): RunDirectory {
  return runDirectoryOf(homeOf(workerHome(run)), workerRun);
}
