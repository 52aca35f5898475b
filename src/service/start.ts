import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { CharretteError, isErrorCode } from '../base/errors.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { clockFrom, idsFrom } from '../engine/clock.ts';
import { hasEnded, heldElsewhere } from '../engine/engine-errors.ts';
import type { RunEvent } from '../engine/event.ts';
import { readEvents } from '../engine/event-log.ts';
import { isLive, lockOnOtherHost } from '../engine/lock.ts';
import type { Answer } from '../engine/question.ts';
import { type RunDirectory, runDirectoryOf } from '../engine/run-directory.ts';
import { type RunRecord, readRunRecord } from '../engine/run-record.ts';
import { createRun, type NewRun } from '../workflows/create-run.ts';
import { answer } from './answer.ts';
import { type Attendant, attendRun } from './attend.ts';
import { type DesignRequest, prepareDesignRun } from './design.ts';
import type { Project } from './project.ts';
import { enqueueRun, type QueueWishes, sharedUrl } from './queue.ts';
import { refreshQueued } from './queue-facts.ts';
import { watchRun } from './watch.ts';

/** What to run: a request that is prepared first, or a run that is prepared already. */
export type RunRequest = DesignRequest | NewRun;

/** `here`: in this process. `detached`: in a separate process that survives this one. `queue`: by a worker of the shared store. */
export type RunMode = 'here' | 'detached' | 'queue';

export type StartOptions = Partial<Attendant> & {
  /** Detached runs only: wait for answers from any process instead of pausing. */
  remoteAnswers?: boolean;
  /** Queued runs only. */
  queue?: QueueWishes;
};

/** A run that was started. */
export type RunHandle = {
  run: string;
  /** Everything that happens from now on, until the run ends or pauses. */
  events: AsyncIterable<RunEvent>;
  ended: Promise<RunRecord>;
  /** Stops it gracefully, however often it is called: what is finished is saved. A queued run is left to its worker. */
  stop(): Promise<void>;
};

/** Creates a run, whose record is written first, and starts it. */
export async function startRun(
  project: Project,
  request: RunRequest,
  mode: RunMode,
  options: StartOptions = {},
): Promise<RunHandle> {
  const prepared = 'inputs' in request ? request : await prepareDesignRun(project, request);
  // A queue that cannot be reached is reported before anything is written.
  if (mode === 'queue') await sharedUrl(project);
  const run = await makeRun(project, prepared);
  if (mode !== 'queue') return continueRun(project, run, mode, options);
  await enqueueRun(project, runDirectoryOf(project, run), options.queue ?? {});
  return followed(project, run, 0, async () => {});
}

/** Resumes a run that paused, stopped, failed or was killed. A queued run goes back into its queue. */
export async function resumeRun(
  project: Project,
  directory: RunDirectory,
  mode: Exclude<RunMode, 'queue'>,
  options: StartOptions = {},
): Promise<RunHandle> {
  const record = await requireResumable(directory);
  if (record.queue === undefined) return continueRun(project, directory.id, mode, options);
  const seen = readEvents(directory.events).length;
  await resumeQueued(project, directory, record, options.queue ?? {});
  return followed(project, directory.id, seen, async () => {});
}

/** Writes the record of a prepared run; nothing runs yet. */
export function makeRun(project: Project, request: NewRun): Promise<string> {
  const { env } = project;
  return createRun(project, request, { clock: clockFrom(env), ids: idsFrom(env) });
}

/** The record of a run that can be resumed; throws the reason why another cannot. */
export async function requireResumable(directory: RunDirectory): Promise<RunRecord> {
  const record = await readRunRecord(directory);
  if (record.status === 'done' || record.status === 'not-accepted' || record.status === 'cancelled')
    throw hasEnded(record);
  if (record.queue !== undefined) return record;
  const hold = lockOnOtherHost(record, directory);
  if (hold !== undefined) throw heldElsewhere(directory.id, hold.holder, hold.file);
  if (!isLive(record, directory)) return record;
  throw new CharretteError({
    code: 'usage',
    message: `The run ${directory.id} is running in process ${record.process?.pid}.`,
    fix: `Follow it with \`charrette watch ${directory.id}\`.`,
  });
}

/**
 * Hands answers to a queued run and requeues it. A run that a worker holds continues there with the answers; without any there is
 * nothing to do for it. False: a worker holds it.
 */
export async function resumeQueued(
  project: Project,
  directory: RunDirectory,
  { run }: RunRecord,
  { answers = [], recommended = false }: QueueWishes,
): Promise<boolean> {
  const { answerQueued, recommendQueued, requeueRun } = await import('./queue.ts');
  if (answers.length > 0) await answerQueued(project, directory, answers);
  if (recommended) await recommendQueued(project, directory);
  if (await requeueRun(project, directory)) return true;
  if (answers.length > 0 || recommended) return false;
  throw new CharretteError({
    code: 'usage',
    message: `A worker is running ${run}.`,
    fix: `Follow it with \`charrette watch ${run}\`.`,
  });
}

function continueRun(
  project: Project,
  run: string,
  mode: 'here' | 'detached',
  options: StartOptions,
): Promise<RunHandle> {
  return mode === 'here'
    ? Promise.resolve(runHere(project, run, options))
    : runDetached(project, run, options.remoteAnswers === true);
}

function runHere(project: Project, run: string, options: StartOptions): RunHandle {
  const stop = new AbortController();
  const waiting: RunEvent[] = [];
  let wake = () => {};
  let isOver = false;
  const ended = attendRun(project, run, {
    ...options,
    signal: options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]),
    answer: options.answer ?? (async () => undefined),
    report(event) {
      options.report?.(event);
      waiting.push(event);
      wake();
    },
  }).finally(() => {
    isOver = true;
    wake();
  });
  async function* events() {
    for (;;) {
      const event = waiting.shift();
      if (event !== undefined) yield event;
      else if (isOver) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return {
    run,
    events: events(),
    ended,
    async stop() {
      stop.abort('SIGINT');
      await ended.catch(() => {});
    },
  };
}

/** How long a process may take to begin. */
const startLimitMs = 60_000;

/**
 * Starts a process for a run, apart from this one, and resolves when the run has begun or ended. What the process prints goes to
 * `process.log` of the run. One that cannot begin throws its own error here.
 */
async function runDetached(project: Project, run: string, remoteAnswers: boolean): Promise<RunHandle> {
  const directory = runDirectoryOf(project, run);
  const seen = readEvents(directory.events).length;
  const log = path.join(directory.root, 'process.log');
  const before = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  const output = openSync(log, 'a', 0o600);
  const remote = remoteAnswers ? ['--remote-answers'] : [];
  const [file, words] = commandLineOf(project, ['run-worker', ...remote, run]);
  const child = spawn(file, words, {
    cwd: project.cwd,
    env: project.env,
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  child.unref();
  let isGone = false;
  const gone = new Promise<void>((resolve) => {
    const end = () => {
      isGone = true;
      resolve();
    };
    child.on('close', end);
    child.on('error', end);
  });
  const limit = performance.now() + startLimitMs;
  while (!isGone && readEvents(directory.events).length <= seen) {
    if (performance.now() > limit)
      throw new CharretteError({
        code: 'timed-out',
        message: `The run ${run} did not begin within ${startLimitMs / 1000} s; its process is ${child.pid}.`,
        fix: `Run \`charrette show ${run}\` to see whether it has begun since.`,
        retryable: true,
      });
    await Promise.race([gone, sleep(30)]);
  }
  if (isGone && readEvents(directory.events).length <= seen)
    throw startError(readFileSync(log).subarray(before).toString('utf8'));
  let isStopping = false;
  /** Keeps this process alive, which starting alone does not. */
  const untilGone = () => {
    child.ref();
    return gone;
  };
  return followed(
    project,
    run,
    seen,
    async () => {
      // A second signal would end the process at once, with nothing saved.
      if (!isStopping && !isGone) child.kill('SIGINT');
      isStopping = true;
      await untilGone();
    },
    untilGone,
    gone,
  );
}

/** This program with a command that asks nothing and answers in JSON. */
function commandLineOf(
  { program, configFile, cwd }: Project,
  words: readonly string[],
): [file: string, words: string[]] {
  const [interpreter = process.execPath, ...script] = program;
  const config = configFile === undefined ? [] : ['--config', configFile];
  return [interpreter, [...script, '--json', '--no-input', '--no-color', '--cwd', cwd, ...config, ...words]];
}

/** Starts a detached run as the command line would: its flags are read in one place. */
export async function startByCommand(project: Project, words: readonly string[]): Promise<RunDirectory> {
  const [file, all] = commandLineOf(project, words);
  const child = spawn(file, all, {
    cwd: project.cwd,
    env: project.env,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 2 * startLimitMs,
  });
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  const printed = await Promise.race([text(child.stdout), failed]);
  const reading = readJson(printed);
  const run = reading.ok && isRecord(reading.value) ? reading.value['run'] : undefined;
  if (typeof run !== 'string') throw startError(printed);
  return runDirectoryOf(project, run);
}

/** Resumes a run in a separate process, once its copy is up to date. */
export async function resumeDetached(project: Project, directory: RunDirectory): Promise<RunDirectory> {
  await refreshQueued(project, [directory.id]);
  return untilShown(project, await resumeRun(project, directory, 'detached'));
}

/** Answers questions; a paused run continues in a separate process unless that is not wanted. */
export async function answerDetached(
  project: Project,
  directory: RunDirectory,
  answers: readonly Answer[],
  wantsResume = true,
): Promise<void> {
  await refreshQueued(project, [directory.id]);
  const { resume, isIdle } = await answer(project, directory, answers, { resume: wantsResume });
  if (resume && isIdle) await untilShown(project, await resumeRun(project, directory, 'detached'));
}

/** The error document that a process printed before it ended. */
function startError(printed: string): CharretteError {
  const line = printed.split('\n').findLast((each) => each.startsWith('{"error"')) ?? '';
  const reading = readJson(line);
  const document = reading.ok && isRecord(reading.value) ? reading.value['error'] : undefined;
  const { code, message, fix } = isRecord(document) ? document : {};
  return new CharretteError({
    code: typeof code === 'string' && isErrorCode(code) ? code : 'internal',
    message: typeof message === 'string' ? message : 'The process of the run ended without a result.',
    ...(typeof fix === 'string' ? { fix } : {}),
  });
}

/** The handle of a run that another process executes. */
function followed(
  project: Project,
  run: string,
  after: number,
  stop: () => Promise<void>,
  untilGone?: () => Promise<void>,
  gone?: Promise<void>,
): RunHandle {
  const directory = runDirectoryOf(project, run);
  const over = new AbortController();
  void gone?.then(() => over.abort());
  const untilOver = async () => {
    if (untilGone === undefined) for await (const _ of watchRun(project, directory, { after }));
    await untilGone?.();
    return readRunRecord(directory);
  };
  let ended: Promise<RunRecord> | undefined;
  return {
    run,
    events: watchRun(project, directory, { after, gone: over.signal }),
    get ended() {
      ended ??= untilOver();
      return ended;
    },
    stop,
  };
}

/** Events that show how a run continues: agents work, or it waits. */
const signs: readonly RunEvent['type'][] = ['lane-queue', 'question-ask', 'run-pause', 'run-end'];
const firstSignMs = 10_000;
const pauseMs = 15_000;

/** Waits a moment until a detached run shows how it continues, so that its state says more than that it began. */
export async function untilShown(project: Project, handle: RunHandle): Promise<RunDirectory> {
  const directory = runDirectoryOf(project, handle.run);
  const { queue } = await readRunRecord(directory);
  if (queue !== undefined) return directory;
  const events = handle.events[Symbol.asyncIterator]();
  let isPausing = false;
  let deadline = performance.now() + firstSignMs;
  for (;;) {
    const late = sleep(Math.max(0, deadline - performance.now()), undefined, { ref: false });
    const next = await Promise.race([events.next(), late]);
    if (next === undefined || next.done === true) break;
    const { type } = next.value;
    if (type === 'question-ask' || type === 'run-pause') {
      // A question without a person at hand ends the process; before that its record is on its way.
      isPausing = true;
      deadline = performance.now() + pauseMs;
    } else if (signs.includes(type) && !isPausing) break;
  }
  void events.return?.();
  return directory;
}
