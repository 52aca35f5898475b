import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { artifactsOf, callsIn, charrette, type Ended, fixed, makeProject, runsOf } from './program.ts';

export type Undisturbed = {
  exit: number | null;
  artifacts: Record<string, string>;
  calls: string[];
  events: string[];
  ledger: string[];
  writes: number;
};

export type Resumed = {
  crashed: Ended;
  resumed: Ended;
  artifacts: Record<string, string>;
  events: string[];
  ledger: string[];
  /** Calls that were made again although their answer was complete on disk when the process died. */
  repeatedBeyondFlight: string[];
};

const command = ['design', '--auto', '--yes', 'add rate limiting'];

/** `env` says where the store is, when it is not the embedded one. */
export async function undisturbedRun(env: Record<string, string> = {}): Promise<Undisturbed> {
  const { project, calls } = await makeProject();
  const countFile = path.join(path.dirname(project), 'writes.txt');
  const ended = await charrette(command, { cwd: project, env: { ...fixed, ...env }, countFile });
  const [run = ''] = runsOf(project);
  if (ended.code === null || run === '') throw new Error(`the undisturbed run did not end: ${ended.stderr}`);
  return {
    exit: ended.code,
    artifacts: artifactsOf(project, run),
    calls: callsIn(calls),
    events: journal(project, run, 'events.jsonl'),
    ledger: journal(project, run, 'ledger.jsonl'),
    writes: Number(readFileSync(countFile, 'utf8').trim().split('\n').at(-1)),
  };
}

/** Kills the program at its n-th write, then resumes it (or starts it, when it died before the run was there). */
export async function crashAndResume(at: number, store: Record<string, string> = {}): Promise<Resumed> {
  const env = { ...fixed, ...store };
  const { project, calls } = await makeProject();
  const crashed = await charrette(command, { cwd: project, env, crashAt: at });
  const [run] = runsOf(project);
  const before = callsIn(calls);
  const finished = run === undefined ? new Set<string>() : finishedLanes(project, run);
  const record = run === undefined ? undefined : path.join(project, '.charrette', 'runs', run, 'run.json');
  const again = record !== undefined && existsSync(record) ? ['resume', '--yes'] : command;
  const resumed = crashed.code === null ? await charrette(again, { cwd: project, env }) : crashed;
  const [last = ''] = runsOf(project);
  const after = callsIn(calls);
  const repeated = after.filter(
    (call) => count(after, call) > count(before, call) && count(before, call) > 0,
  );
  return {
    crashed,
    resumed,
    artifacts: artifactsOf(project, last),
    events: journal(project, last, 'events.jsonl'),
    ledger: journal(project, last, 'ledger.jsonl'),
    repeatedBeyondFlight: [...new Set(repeated)].filter((call) => finished.has(call)),
  };
}

function count(list: readonly string[], value: string): number {
  return list.filter((entry) => entry === value).length;
}

/** `task seat attempt` of every call whose answer stood on disk, in the form in which the scripted agent logs it. */
function finishedLanes(project: string, run: string): Set<string> {
  const ledger = path.join(project, '.charrette', 'runs', run, 'ledger.jsonl');
  if (!existsSync(ledger)) return new Set();
  const lines = readFileSync(ledger, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'));
  const entries = lines.map((line) => JSON.parse(line) as { id: string; task: string; seat: string });
  const names = entries.map(({ task, seat }) => `${task} ${seat} 1`);
  // A judge is asked twice under one name; both must be done before a third time is a repetition.
  return new Set(names.filter((name) => (name.startsWith('judge ') ? count(names, name) === 2 : true)));
}

/** A journal without what rightly differs: times, processes, attempts, order between lanes, and the fact of resuming. */
function journal(project: string, run: string, name: string): string[] {
  const file = path.join(project, '.charrette', 'runs', run, name);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((entry) => entry['type'] !== 'run-resume')
    .map(({ seq: _seq, time: _time, durationMs: _duration, elapsedMs: _elapsed, pid: _pid, ...entry }) =>
      JSON.stringify(entry),
    )
    .sort();
}

/** Places spread over the whole run; they differ from one run of the suite to the next unless CRASH_SEED is given. */
export function crashPoints(count: number): { seed: number; points: number[] } {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 100_000);
  const points = Array.from(
    { length: count },
    (_, index) => ((index + ((seed * (index + 7)) % 1000) / 1000) / count) * 0.95,
  );
  return { seed, points };
}
