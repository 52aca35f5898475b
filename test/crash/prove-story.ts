import { type ChildProcess, execFile, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { clearAway } from '../clear-away.ts';
import { systemPath } from '../support/optional-programs.ts';
import { readRecording } from './recording.ts';
import type { PointOutcome } from './resume.ts';
import type { Sample } from './sample.ts';
import { stories } from './stories.ts';

/** What became of the points of one story. */
export type Proof = {
  story: string;
  /** Writes of the undisturbed run, the different states before them, if all were kept, agent calls in it, and questions. */
  writes: number;
  states: number | undefined;
  calls: number;
  questions: number;
  /** By what was about to be written: how many points were tried. */
  kinds: Record<string, number>;
  tried: number;
  repeated: number;
  failures: { write: number; target: string; problems: string[] }[];
  milliseconds: number;
};

export type ProveOptions = {
  /** Before which writes the run is killed; default: at every different state. */
  sample?: Sample | undefined;
  onOutcome?: (outcome: PointOutcome, write: number) => void;
  /** No new point is begun after this time, or once this signal says so. */
  until?: number;
  signal?: AbortSignal;
  /** A resume that takes longer counts as stuck. */
  limitMs?: number;
  keep?: boolean;
  /** Where states are restored; on a disk in memory that takes less time. */
  scratch?: string | undefined;
};

/** Runs a story once, then resumes from each chosen state before a write, as if the process had been killed there. */
export async function proveStory(story: string, options: ProveOptions = {}): Promise<Proof> {
  const started = Date.now();
  const folder = mkdtempSync(path.join(options.scratch ?? tmpdir(), `charrette-prove-${story}-`));
  let worker: ChildProcess | undefined;
  try {
    await record(story, folder, options.sample);
    const { points, calls, writes, asked } = readRecording(folder);
    const proof: Proof = {
      story,
      writes,
      states: options.sample === undefined ? points.length : undefined,
      calls: calls.length,
      questions: asked.length,
      kinds: {},
      tried: 0,
      repeated: 0,
      failures: [],
      milliseconds: 0,
    };
    for (const state of scattered(points.length)) {
      if (options.signal?.aborted || Date.now() > (options.until ?? Number.POSITIVE_INFINITY)) break;
      worker ??= startWorker(story, folder);
      const outcome = await ask(worker, state, options.limitMs ?? 120_000);
      const { write = 0, kind: how = '', target = '' } = points[state] ?? {};
      const kind = how === 'start' ? startedBy(target) : kindOf(target);
      proof.kinds[kind] = (proof.kinds[kind] ?? 0) + 1;
      proof.tried += 1;
      proof.repeated += Math.max(0, outcome.repeated);
      const { problems } = outcome;
      if (problems.length > 0) proof.failures.push({ write, target, problems });
      options.onOutcome?.(outcome, write);
      // A process that is stuck or gone is replaced; one that served long is too, so that nothing piles up.
      if (!worker.connected || problems.length > 0 || proof.tried % 250 === 0) worker = end(worker);
    }
    return { ...proof, milliseconds: Date.now() - started };
  } finally {
    end(worker);
    if (options.keep !== true) clearAway(folder);
  }
}

/** All states, those far apart first: however early one stops, the whole run was visited. */
function scattered(states: number): number[] {
  const bits = Math.ceil(Math.log2(states + 1));
  const reversed = (index: number) =>
    Number.parseInt([...index.toString(2).padStart(bits, '0')].reverse().join(''), 2);
  return Array.from({ length: 2 ** bits }, (_, index) => reversed(index)).filter((index) => index < states);
}

/** The longest story takes minutes, and many of them on a busy machine. */
const recordingMs = 1_800_000;

async function record(story: string, folder: string, sample: Sample | undefined): Promise<void> {
  const script = path.join(import.meta.dirname, 'record.ts');
  const chosen = sample === undefined ? [] : [String(sample.count), String(sample.seed)];
  await promisify(execFile)(process.execPath, [script, story, folder, ...chosen], {
    env: environmentIn(story, folder),
    timeout: recordingMs,
  });
}

function startWorker(story: string, folder: string): ChildProcess {
  const script = path.join(import.meta.dirname, 'resume.ts');
  return fork(script, [story, folder], { env: environmentIn(story, folder), stdio: 'inherit' });
}

function environmentIn(story: string, folder: string): NodeJS.ProcessEnv {
  const { clock } = stories.find(({ name }) => name === story) ?? {};
  const temporary = path.join(folder, 'temporary');
  mkdirSync(temporary, { recursive: true });
  return {
    PATH: systemPath,
    HOME: path.join(folder, 'world', 'home'),
    TMPDIR: temporary,
    ...(clock === 'real' ? {} : { CHARRETTE_FIXED_TIME: '1763200000000' }),
    // Browser measurements of a page differ from run to run.
    CHARRETTE_CHROMIUM: 'none',
    GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  };
}

const lookMs = 1000;

function ask(worker: ChildProcess, point: number, limitMs: number): Promise<PointOutcome> {
  return new Promise((resolve) => {
    const finish = (outcome: PointOutcome) => {
      clearInterval(limit);
      worker.removeAllListeners();
      resolve(outcome);
    };
    const fail = (problem: string) => finish({ point, problems: [problem], repeated: 0, milliseconds: 0 });
    // Counts looks, not time: a machine that slept has not been stuck.
    let looks = 0;
    const limit = setInterval(() => {
      looks += 1;
      if (looks * lookMs < limitMs) return;
      end(worker);
      fail(`stuck for ${limitMs} ms`);
    }, lookMs);
    worker.once('message', (outcome) => finish(outcome as PointOutcome));
    worker.once('exit', (code, signal) => fail(`the resuming process ended: ${code ?? signal}`));
    worker.once('error', (error) => fail(error.message));
    worker.send(point);
  });
}

function end(worker: ChildProcess | undefined): undefined {
  worker?.removeAllListeners();
  worker?.on('error', () => {});
  worker?.kill('SIGKILL');
  return undefined;
}

/** The part of the record that a write belongs to. */
function kindOf(target: string): string {
  const [, name = 'project'] =
    /\.charrette\/(?:runs\/[^/]+\/)?([a-z]+)/.exec(target) ?? /\/(\.git)\//.exec(target) ?? [];
  return name;
}

function startedBy(target: string): string {
  return target.startsWith('git') ? 'start of git' : 'start of a program';
}
