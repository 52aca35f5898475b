import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type LiveProgram, startCharrette } from './live-program.ts';

/** A worker that runs, and what it has said so far. */
export type LiveWorker = LiveProgram & { id(): string };

/** Starts `charrette worker` in a clone and waits until it serves the queue. */
export async function startWorker(
  project: string,
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<LiveWorker> {
  const live = startCharrette(['worker', ...args], { cwd: project, env });
  await live.says(/worker \S+ serves /);
  return { ...live, id: () => /worker (\S+) serves /.exec(live.stderr())?.[1] ?? '' };
}

export function recordOf(project: string, run: string): { status: string; exit?: number } {
  return JSON.parse(readFileSync(path.join(project, '.charrette', 'runs', run, 'run.json'), 'utf8'));
}
