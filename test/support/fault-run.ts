import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type LiveProgram, startCharrette, until } from './live-program.ts';
import { findPostgres } from './postgres.ts';
import { callsIn, charrette, type Ended, runsOf } from './program.ts';
import { damageOf } from './whole-run.ts';

export const quick = ['design', '--auto', '--yes', '--quick', '--dialectic', 'off', '--no-branch'];

const started: LiveProgram[] = [];

/** Starts the program; `endAll` ends it when its case failed. */
export function startRun(
  args: readonly string[],
  options: { cwd: string; env: Record<string, string | undefined> },
): LiveProgram {
  const live = startCharrette(args, options);
  started.push(live);
  return live;
}

export function endAll(): void {
  for (const { child, kill } of started) if (child.exitCode === null) kill('SIGKILL');
}

/** Waits for something that the program does; fails as soon as it ends without having done it. */
export async function reaches(live: LiveProgram, condition: () => boolean): Promise<void> {
  const { child } = live;
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  let reached = false;
  await until(() => {
    reached = condition();
    return reached || isOver();
  });
  if (!reached) throw new Error(`the program ended: ${live.stderr()}${live.stdout()}`);
}

export function hasPostgres(): boolean {
  return findPostgres() !== undefined;
}

export function statusOf(project: string, run: string): string {
  return JSON.parse(readFileSync(path.join(project, '.charrette', 'runs', run, 'run.json'), 'utf8')).status;
}

/** The one run of the project is complete: nothing truncated, nothing done or asked twice except calls in progress. */
export function expectWhole(
  { project, calls }: { project: string; calls: string },
  run?: string,
  underWay: (call: string) => boolean = () => false,
): void {
  const [only = ''] = run === undefined ? runsOf(project) : [run];
  expect(statusOf(project, only)).toBe('done');
  const made = callsIn(calls).filter((call) => !underWay(call));
  expect(damageOf(project, only, made)).toEqual([]);
}

/**
 * A run whose store stayed away reports that, and completes once it is resumed with the store back (with the default wait, since
 * only the first attempt was to lose it).
 */
export async function expectNamedAndResumed(
  ended: Ended,
  places: { project: string; calls: string },
  env: Record<string, string>,
): Promise<void> {
  const [run = ''] = runsOf(places.project);
  expect(ended.code, ended.stderr).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    error: { code: 'store-unreachable', fix: expect.stringContaining(`charrette resume ${run}`) },
  });
  const resumed = await charrette(['resume', run, '--yes'], {
    cwd: places.project,
    env: { ...env, CHARRETTE_DATABASE_RETRY_SECONDS: '60' },
  });
  expect(resumed.code, resumed.stderr).toBe(0);
  expectWhole(places, run);
}
