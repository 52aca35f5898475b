import { statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import { EventLog } from './event-log.ts';
import { Ledger } from './ledger.ts';
import type { Answer, Question } from './question.ts';
import type { RunDirectory } from './run-directory.ts';
import { readRunRecordSync, updateRunRecord } from './run-record.ts';

/** The state of a run for the worker that holds it. */
export type GuardedState = 'running' | 'waiting' | 'ended';

/** Guards a run where other machines may claim it. */
export type RunLease = {
  /** Called before the body of a step. Resolves once the run is known to be still ours; rejects when the signal fires. */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * Called after the body of a step, before its result counts. Resolves once everything that was written is
   * kept where other machines find it; rejects when another worker has the run.
   */
  keep(live: LiveRun): Promise<void>;
  /** Receives answers from the directory of a run, which may have to wait before it continues. */
  answered(run: string, answers: readonly Answer[]): Promise<void>;
  /** Called when the run waits, continues or has ended here. */
  changed(run: string, state: GuardedState): void;
  /** Called when that could not be saved; it is retried. */
  troubled(run: string, error: unknown): void;
};

/** How long a stop waits for the journal: a store that can be reached has answered by then. */
const journalGraceMs = 3000;
const defaultMessagePollMs = 2000;

/** A run that this process is working on: its open files, its stop signal, its running steps. */
export class LiveRun {
  readonly directory: RunDirectory;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly ledger: Ledger;
  /** How often the store is asked for messages to the run. */
  readonly messagePollMs: number;
  /** Deleted or emptied before this process opened the run: replaying writes every version of them again. */
  readonly missingArtifacts: ReadonlySet<string>;
  /** The run began earlier and its events are gone. */
  eventsLost = false;
  readonly #abort = new AbortController();
  readonly #onPause: (run: LiveRun, questions: readonly Question[]) => void;
  readonly #onContinue: (run: LiveRun) => void;
  readonly #keep: ((run: LiveRun) => Promise<void>) | undefined;
  readonly #ready: ((signal: AbortSignal) => Promise<void>) | undefined;
  #resting = false;
  #active = 0;
  #whenIdle: (() => void)[] = [];
  #paused = false;
  readonly #journaling = new Set<Promise<unknown>>();

  constructor(
    directory: RunDirectory,
    clock: Clock,
    hooks: {
      onPause: (run: LiveRun, questions: readonly Question[]) => void;
      onContinue: (run: LiveRun) => void;
      /** What a step wrote is kept elsewhere before its result counts. */
      keep?: ((run: LiveRun) => Promise<void>) | undefined;
      /** No step begins before the run is known to be ours. */
      ready?: ((signal: AbortSignal) => Promise<void>) | undefined;
      messagePollMs?: number;
    },
  ) {
    this.directory = directory;
    this.events = new EventLog(directory.id, directory.events, clock);
    this.missingArtifacts = new Set(missingArtifacts(directory, this.events));
    this.clock = { now: () => this.events.now() };
    this.ledger = new Ledger(directory.ledger);
    this.#onPause = hooks.onPause;
    this.#onContinue = hooks.onContinue;
    this.#keep = hooks.keep;
    this.#ready = hooks.ready;
    this.messagePollMs = hooks.messagePollMs ?? defaultMessagePollMs;
  }

  get stopping(): boolean {
    return this.#abort.signal.aborted;
  }

  /**
   * Runs the body of a step. A body that ends because the run is being stopped never settles: to the journal the step
   * has not happened, so resuming runs it again.
   */
  async perform<Result>(body: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return this.#begin(async () => {
      await this.#ready?.(this.#abort.signal);
      const result = await body(this.#abort.signal);
      await this.keep();
      return result;
    });
  }

  async #begin<Result>(body: () => Promise<Result>): Promise<Result> {
    if (this.#isLeaving) return never();
    this.#active += 1;
    try {
      return await body();
    } catch (error) {
      if (this.#isLeaving) return never();
      throw error;
    } finally {
      this.#active -= 1;
      this.#tellIdle();
    }
  }

  get #isLeaving(): boolean {
    return this.stopping || this.#resting;
  }

  /**
   * Between two parts of a long step: saves what the first wrote. Throws when the run begins nothing more, so that the step
   * ends here and runs again when the run is resumed.
   */
  async checkpoint(): Promise<void> {
    await this.keep();
    if (this.#isLeaving) throw new Error('The run is being stopped.');
    await this.#ready?.(this.#abort.signal);
  }

  /** A stop waits until the journal has the result of a finished step, or resuming would run that step again. */
  awaitJournal(journaled: Promise<unknown>): void {
    const settled = journaled
      .catch(() => {})
      .finally(() => {
        this.#journaling.delete(settled);
      });
    this.#journaling.add(settled);
  }

  /** Keeps what was written so far where other machines find it, if they may claim the run. */
  async keep(): Promise<void> {
    await this.#keep?.(this);
  }

  /** Starts nothing more and waits for running steps as long as the signal allows; then stops those, too. */
  async rest(limit: AbortSignal): Promise<void> {
    this.#resting = true;
    await raceAbort(this.idle(), limit);
    await this.stop();
  }

  /** Ends what is running and waits for it; nothing that was journaled is lost. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('The run is being stopped.'));
    await this.idle();
    // The result of the last body reaches the journal first.
    await immediately();
    await Promise.race([Promise.all(this.#journaling), sleep(journalGraceMs, undefined, { ref: false })]);
  }

  /** Resolves as soon as no step is running. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
      this.#tellIdle();
    });
  }

  #tellIdle(): void {
    if (this.#active > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  pause(questions: readonly Question[]): void {
    this.#paused = true;
    this.#onPause(this, questions);
  }

  resumeFromPause(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#onContinue(this);
  }

  close(): void {
    this.events.close();
    this.ledger.close();
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}

/** Artifacts that the run wrote and that were deleted or emptied since. */
function missingArtifacts(directory: RunDirectory, events: EventLog): string[] {
  const written = new Map<string, number>();
  for (const event of events.entries)
    if (event.type === 'artifact-write') written.set(event.name, event.bytes);
  return [...written].flatMap(([name, bytes]) =>
    bytes > 0 && sizeOf(path.join(directory.artifacts, name)) === 0 ? [name] : [],
  );
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Reports what is missing of a resumed run. Replaying its steps writes events and artifacts again. */
export async function reportLoss(live: LiveRun): Promise<void> {
  if (live.eventsLost) {
    warn(
      live,
      'events.jsonl was deleted or emptied. Charrette rebuilds the events from the journal; their times and what agents did during finished calls are lost.',
    );
    await noteLost(live, ['events.jsonl']);
  }
  const count = live.missingArtifacts.size;
  if (count > 0)
    warn(
      live,
      `${count} artifacts were deleted or emptied. Charrette writes them again: ${named(live.missingArtifacts)}.`,
    );
}

/** What could not be written again, at the end of a run. */
export async function reportMissing(live: LiveRun): Promise<string[]> {
  const missing = missingArtifacts(live.directory, live.events);
  if (missing.length > 0) {
    warn(live, `Lost artifacts: ${named(missing)}.`);
    await noteLost(
      live,
      missing.map((name) => `artifacts/${name}`),
    );
  }
  return missing;
}

async function noteLost(live: LiveRun, names: readonly string[]): Promise<void> {
  const { lost } = readRunRecordSync(live.directory);
  await updateRunRecord(live.directory, { lost: [...new Set([...(lost ?? []), ...names])] });
}

function warn(live: LiveRun, text: string): void {
  live.events.emit(`run:lost-${live.events.count}`, { type: 'warning', text });
}

function named(names: Iterable<string>): string {
  return [...names].sort().join(', ');
}

/** Waits for work only until the signal fires. Nothing of it stays on a signal that outlives it. */
export async function raceAbort(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  try {
    await Promise.race([work, onAbort(signal, done.signal)]);
  } finally {
    done.abort();
  }
}

/** Resolves when the signal fires; `done` removes the listener from a signal that outlives the wait. */
export function onAbort(signal: AbortSignal, done?: AbortSignal): Promise<'stop'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('stop');
    const fire = () => resolve('stop');
    signal.addEventListener('abort', fire, { once: true });
    // By hand: the `signal` option of a listener was seen to leave it in place.
    done?.addEventListener('abort', () => signal.removeEventListener('abort', fire), { once: true });
  });
}
