import path from 'node:path';
import { homeAround, homeOf, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';

/** The worker's run has a home of its own, where it is the only one. */
export const workerRun = 'heavy';

/** Beside the run whose heavy phase it is. */
export function workerHome(run: RunDirectory): string {
  return path.join(run.root, 'heavy');
}

export function workerDirectory(run: RunDirectory): RunDirectory {
  return runDirectoryOf(homeOf(workerHome(run)), workerRun);
}

/** L-694: what a worker knows at its end. It holds everything, so it is no artifact: those are copied and sent around. */
export function workerState(worker: RunDirectory): string {
  return path.join(worker.root, 'design-state.json');
}

/** The run that people know of: that of the project, also for the run of its worker. Its home, words and log are the worker's, too. */
export function projectRun(run: RunDirectory): RunDirectory {
  if (run.id !== workerRun) return run;
  const root = path.dirname(homeAround(run).project);
  return runDirectoryOf(homeAround({ ...run, root }), path.basename(root));
}
