import path from 'node:path';
import { homeAround, homeOf, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';

/** The worker's run is the only one in its home. */
export const workerRun = 'heavy';

/** Inside the run whose isolated phase it is. */
export function workerHome(run: RunDirectory): string {
  return path.join(run.root, 'heavy');
}

export function workerDirectory(run: RunDirectory): RunDirectory {
  return runDirectoryOf(homeOf(workerHome(run)), workerRun);
}

/** L-694: the result of a worker. It also holds what must not be published, so it is not an artifact. */
export function workerState(worker: RunDirectory): string {
  return path.join(worker.root, 'design-state.json');
}

/** The project's run, also for the run of its worker, which shares its home, wording and log. */
export function projectRun(run: RunDirectory): RunDirectory {
  if (run.id !== workerRun) return run;
  const root = path.dirname(homeAround(run).project);
  return runDirectoryOf(homeAround({ ...run, root }), path.basename(root));
}
