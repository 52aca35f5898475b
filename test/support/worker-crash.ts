import { existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { quick } from './fault-run.ts';
import { type LiveProgram, startCharrette, until } from './live-program.ts';
import { artifactsOf, callsIn, charrette, fixed, makeProject, preload } from './program.ts';
import { cloneOf, configure, connected, keptCalls, startWorker, timesIn } from './worker-program.ts';

/** What an undisturbed run of a worker leaves. */
export type UndisturbedWorker = { writes: number; calls: string[]; artifacts: Record<string, string> };

export type TakenOver = {
  /** False: the worker was through before it came to that write. */
  killed: boolean;
  artifacts: Record<string, string>;
  calls: string[];
  /** Calls whose answers were in the store when the worker died. */
  kept: string[];
  problems: string[];
};

/** A commit does not count as a write: a kill before it equals a kill before the last statement. */
const counting = { CRASH_SKIP: '^\\s*commit' };
const heartbeatTimeoutSeconds = 1;

type Machines = { project: string; one: string; two: string; calls: string; run: string };

/** The clone in which a run is queued, and two more that represent other machines. */
async function prepare(env: Record<string, string>): Promise<Machines> {
  const { project, calls } = await makeProject();
  configure(project, { queue: { heartbeatTimeoutSeconds } });
  const [one, two] = [cloneOf(project, 'one'), cloneOf(project, 'two')];
  const queued = await charrette([...quick, '--json', '--queue', 'limits'], {
    cwd: project,
    env: { ...fixed, ...env },
  });
  if (queued.code !== 0) throw new Error(`the run could not be queued: ${queued.stderr}`);
  return { project, one, two, calls, run: JSON.parse(queued.stdout).run };
}

function startCounting(cwd: string, env: Record<string, string>): LiveProgram {
  return startCharrette(['worker'], {
    cwd,
    env: { ...fixed, ...counting, ...env },
    node: ['--import', preload],
  });
}

export async function serveForAMoment(env: Record<string, string>): Promise<void> {
  const { project } = await makeProject();
  const worker = await startWorker(project, env);
  worker.kill('SIGTERM');
  await worker.ended;
}

export async function undisturbedWorker(env: Record<string, string>): Promise<UndisturbedWorker> {
  const machines = await prepare(env);
  const { one, run, calls } = machines;
  const countFile = path.join(path.dirname(one), 'writes.txt');
  const worker = startCounting(one, { ...env, CRASH_COUNT_FILE: countFile });
  await worker.says(`${run} ended: done`);
  worker.kill('SIGTERM');
  await worker.ended;
  const writes = Number(readFileSync(countFile, 'utf8').trim());
  return { writes, calls: callsIn(calls), artifacts: await delivered(machines, env) };
}

/** Kills a worker at its n-th write, removes its machine and lets another continue with what the store has. */
export async function killAndTakeOver(at: number, env: Record<string, string>): Promise<TakenOver> {
  const machines = await prepare(env);
  const { one, two, run, calls } = machines;
  const first = startCounting(one, { ...env, CRASH_AT: String(at) });
  const over = first.ended.then(() => true);
  await Promise.race([over, first.says(`${run} ended: done`).catch(() => {})]);
  const killed = first.child.signalCode === 'SIGKILL';
  first.kill('SIGKILL');
  await first.ended;
  renameSync(one, `${one}-gone`);
  const url = env['CHARRETTE_DATABASE_URL'] ?? '';
  const { kept, state } = await connected(url, async (client) => ({
    kept: await keptCalls(client, run),
    state: (await client.query('SELECT state FROM charrette.runs WHERE run = $1', [run])).rows[0]?.state,
  }));
  const second = startCharrette(['worker'], { cwd: two, env: { ...fixed, ...env } });
  try {
    if (state !== 'ended') await untilDone(second, two, run);
    return {
      killed,
      artifacts: await delivered(machines, env),
      calls: callsIn(calls),
      kept,
      problems: wrongCalls(callsIn(calls), kept).map(
        (problem) => `${problem}\n${first.stderr()}${second.stderr()}`,
      ),
    };
  } finally {
    second.kill('SIGKILL');
    await second.ended;
  }
}

/** A stuck or failed run is reported with its worker's log and its record. */
async function untilDone(worker: LiveProgram, clone: string, run: string): Promise<void> {
  const isOver = () => worker.child.exitCode !== null || worker.child.signalCode !== null;
  const hasEnded = () => worker.stderr().includes(`${run} ended: `);
  await until(() => isOver() || hasEnded(), 120_000).catch(() => {});
  if (worker.stderr().includes(`${run} ended: done`)) return;
  const record = path.join(clone, '.charrette', 'runs', run, 'run.json');
  const { error } = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : { error: 'no record' };
  throw new Error(`the second worker did not complete it: ${worker.stderr()}${JSON.stringify(error)}`);
}

/** An answer in the store is never requested again; a missing one, or one only the lost machine had, once more. */
function wrongCalls(calls: readonly string[], kept: readonly string[]): string[] {
  return [...new Set(calls)].flatMap((call) => {
    const most = kept.includes(call) ? 1 : 2;
    const made = timesIn(calls, call);
    return made <= most
      ? []
      : [`${call} was made ${made} times${kept.includes(call) ? ', its answer was kept' : ''}`];
  });
}

/** What the terminal that queued the run gets, whatever machine did it. */
async function delivered(
  { project, run }: Machines,
  env: Record<string, string>,
): Promise<Record<string, string>> {
  const shown = await charrette(['show', run, '--json'], { cwd: project, env });
  const { status } = JSON.parse(shown.stdout);
  if (status !== 'done') throw new Error(`the run is ${status}`);
  const folder = path.dirname(project);
  const anywhere = new RegExp(`${folder}/(?:shop|one|two)\\b`, 'g');
  const files = Object.entries(artifactsOf(project, run));
  return Object.fromEntries(files.map(([name, text]) => [name, text.replaceAll(anywhere, 'CLONE')]));
}
