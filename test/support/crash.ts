import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { artifactsOf, callsIn, charrette, type Ended, fixed, makeProject, runsOf } from './program.ts';

export type Undisturbed = {
  exit: number | null;
  artifacts: Record<string, string>;
  calls: string[];
  events: string[];
  ledger: string[];
  writes: number;
};

/** A share of the writes of a run, one of them by its number, or the last one. */
export type CrashPoint = { share: number } | { write: number } | 'last';

export type Resumed = {
  /** Where it was killed, as text. */
  place: string;
  crashed: Ended;
  resumed: Ended;
  /** Whether the run's end was saved at the kill: then nothing is left to resume. */
  hadEnded: boolean;
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

/** Every run has a separate store: the same run id in one store would be one run. */
type StoreOf = () => Record<string, string>;

/**
 * Kills the program at one of its writes, then resumes it (or starts it, when it died before the run was there). The number of
 * writes differs between runs, more so on a busy machine: one that was through before is tried again a little before its end.
 */
export async function crashAndResume(
  point: CrashPoint,
  { writes }: Undisturbed,
  storeOf: StoreOf = () => ({}),
): Promise<Resumed> {
  let at = point === 'last' ? undefined : writeAt(point, writes);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const env = { ...fixed, ...storeOf() };
    const made = await makeProject();
    const countFile = path.join(path.dirname(made.project), 'writes.txt');
    const crashed = await charrette(command, {
      cwd: made.project,
      env: { ...env, ...(at === undefined ? lastWrite(env) : { CRASH_AT: String(at) }) },
      countFile,
    });
    const place = at === undefined ? 'its last write' : `write ${at} of ${writes}`;
    if (crashed.signal === 'SIGKILL') return { place, ...(await goOn(made, crashed, env)) };
    if (crashed.code !== 0 || at === undefined)
      throw new Error(`not killed at ${place}, exit ${crashed.code}: ${crashed.stderr}`);
    at = Math.floor(Number(readFileSync(countFile, 'utf8').trim()) * (1 - (tries + 1) * stepBack));
  }
  throw new Error(`no run came to write ${at} of ${writes}`);
}

const mostTries = 4;
const stepBack = 0.02;

/** By its name, as the number is not known beforehand: the store's lock goes, or the process's queue on the server. */
function lastWrite(env: Record<string, string>): { CRASH_AT: string; CRASH_SKIP: string } {
  return env['CHARRETTE_DATABASE_URL'] === undefined
    ? // After the write that made it.
      { CRASH_AT: '2', CRASH_SKIP: '^(?!.*/store\\.lock$)' }
    : { CRASH_AT: '1', CRASH_SKIP: '^(?!DELETE FROM "dbos"\\.queues)' };
}

export function writeAt(point: CrashPoint, writes: number): number {
  if (point === 'last') return writes;
  return 'write' in point ? point.write : 1 + Math.floor(point.share * writes);
}

async function goOn(
  { project, calls }: { project: string; calls: string },
  crashed: Ended,
  env: Record<string, string>,
): Promise<Omit<Resumed, 'place'>> {
  const [run] = runsOf(project);
  const before = callsIn(calls);
  const finished = run === undefined ? new Set<string>() : finishedLanes(project, run);
  const status = run === undefined ? undefined : statusIn(project, run);
  const hadEnded = status === 'done';
  const again = status === undefined ? command : ['resume', '--yes'];
  const resumed = await charrette(hadEnded ? ['show', run ?? ''] : again, { cwd: project, env });
  const [last = ''] = runsOf(project);
  const after = callsIn(calls);
  const repeated = after.filter(
    (call) => count(after, call) > count(before, call) && count(before, call) > 0,
  );
  const outcome = {
    crashed,
    resumed,
    hadEnded,
    artifacts: artifactsOf(project, last),
    events: journal(project, last, 'events.jsonl'),
    ledger: journal(project, last, 'ledger.jsonl'),
    repeatedBeyondFlight: [...new Set(repeated)].filter((call) => finished.has(call)),
  };
  if (hadEnded) await requireUsable(project, env);
  return outcome;
}

/** What a process leaves that is killed while it puts its store away is good for the next run. */
async function requireUsable(project: string, env: Record<string, string>): Promise<void> {
  const next = await charrette(['design', '--auto', '--yes', '--quick', '--dialectic', 'off', 'one more'], {
    cwd: project,
    env: { ...env, CHARRETTE_FIXED_ID: '00000002' },
  });
  if (next.code !== 0) throw new Error(`the next run in that project ends with ${next.code}: ${next.stderr}`);
}

/** What the record says; nothing when there is none yet. */
function statusIn(project: string, run: string): string | undefined {
  const record = path.join(project, '.charrette', 'runs', run, 'run.json');
  return existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')).status : undefined;
}

/** Equal to what an undisturbed run leaves, and no call made again whose answer was there. */
export function expectUndisturbed(outcome: Resumed, reference: Undisturbed, seed: number): void {
  const place = `seed ${seed}, ${outcome.place}`;
  expect(outcome.resumed.stderr, place).not.toContain('internal');
  expect(outcome.resumed.code, `${place}: ${outcome.resumed.stderr}`).toBe(reference.exit);
  expect(outcome.artifacts, place).toEqual(reference.artifacts);
  expect(outcome.repeatedBeyondFlight, place).toEqual([]);
  expect(outcome.events, place).toEqual(reference.events);
  expect(outcome.ledger, place).toEqual(reference.ledger);
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

/**
 * Places spread over the whole run, its last write among them; they differ from one run of the suite to the next unless CRASH_SEED is
 * given.
 */
export function crashPoints(count: number): { seed: number; points: CrashPoint[] } {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 100_000);
  const spread = Array.from({ length: count - 1 }, (_, index) => ({
    share: (index + ((seed * (index + 7)) % 1000) / 1000) / (count - 1),
  }));
  return { seed, points: [...spread, 'last'] };
}

/** A place as text, before the number of writes is known. */
export function placeOf(point: CrashPoint): string {
  if (point === 'last') return 'at its last write';
  return 'write' in point
    ? `at write ${point.write}`
    : `at ${(point.share * 100).toFixed(1)} % of its writes`;
}
