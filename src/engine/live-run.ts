import { setImmediate as immediately } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import { EventLog } from './event-log.ts';
import type { HeadStart } from './head-start.ts';
import { Ledger } from './ledger.ts';
import type { Question } from './question.ts';
import type { RunDirectory } from './run-directory.ts';
import { orStopped } from './stopped.ts';
import type { Unjournaled } from './unjournaled.ts';

/** How long a stop waits for a store: one that is there has answered by then. */
const storeGraceMs = 3000;

/** A run that this process is working on: its open files, its stop signal, the steps that are under way. */
export class LiveRun {
  readonly directory: RunDirectory;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly ledger: Ledger;
  /** Results that wait for the journal, where nobody else waits for it. */
  readonly unjournaled: Unjournaled | undefined;
  /** The store had nothing of it when it began here. */
  fresh = false;
  /** By their keys: children whose first step has begun and that are not yet being executed. */
  readonly headStarts = new Map<string, HeadStart>();
  readonly #abort = new AbortController();
  readonly #givenUp = Promise.withResolvers<never>();
  readonly #onPause: (run: LiveRun, questions: readonly Question[]) => void;
  readonly #onContinue: (run: LiveRun) => void;
  readonly #keep: ((run: LiveRun) => Promise<void>) | undefined;
  readonly #ready: ((signal: AbortSignal) => Promise<void>) | undefined;
  #resting = false;
  #active = 0;
  /** How many of those only wait for the store. */
  #storing = 0;
  #whenDone: { active: () => number; resolve: () => void }[] = [];
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
      unjournaled?: Unjournaled | undefined;
    },
  ) {
    this.directory = directory;
    this.events = new EventLog(directory.id, directory.events, clock);
    this.clock = { now: () => this.events.now() };
    this.ledger = new Ledger(directory.ledger);
    this.#onPause = hooks.onPause;
    this.#onContinue = hooks.onContinue;
    this.#keep = hooks.keep;
    this.#ready = hooks.ready;
    this.unjournaled = hooks.unjournaled;
    this.#givenUp.promise.catch(() => {});
  }

  get stopping(): boolean {
    return this.#abort.signal.aborted;
  }

  /**
   * Runs the body of a step. A body that ends because the run is being stopped never settles: to the journal the step
   * has not happened, so resuming runs it again.
   */
  async perform<Result>(body: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return this.begin(async () => {
      await this.#ready?.(this.#abort.signal);
      const result = await body(this.#abort.signal);
      await this.keep();
      return result;
    });
  }

  /** Waits for something that a stop must wait for as well; once the run is being stopped, nothing begins. */
  async begin<Result>(body: () => Promise<Result>): Promise<Result> {
    if (this.stopping || this.#resting) return never();
    this.#active += 1;
    try {
      return await body();
    } catch (error) {
      if (this.stopping) return never();
      throw error;
    } finally {
      this.#active -= 1;
      this.#tellDone();
    }
  }

  /** Asks the store for something; it cannot be told to stop, so a stop ends the waiting for one that is away. */
  async store<Result>(ask: () => Promise<Result>): Promise<Result> {
    return this.begin(async () => {
      this.#storing += 1;
      this.#tellDone();
      try {
        return await this.#orGivenUp(ask());
      } finally {
        this.#storing -= 1;
      }
    });
  }

  /** A stop lets the journal catch up: whoever goes on would otherwise put the same step on record a second time. */
  catchUp(journaled: Promise<unknown>): void {
    const settled = journaled
      .catch(() => {})
      .finally(() => {
        this.#journaling.delete(settled);
      });
    this.#journaling.add(settled);
  }

  /** Keeps what was written so far, where somebody keeps it. */
  async keep(): Promise<void> {
    await this.#keep?.(this);
  }

  /** Begins nothing more and waits for what is under way, as long as the signal lets it; then ends that too. */
  async rest(limit: AbortSignal): Promise<void> {
    this.#resting = true;
    await orStopped(this.idle(), limit);
    await this.stop();
  }

  /** Ends what is under way and waits for it; nothing that was journaled is lost. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('The run is being stopped.'));
    setTimeout(() => this.#givenUp.reject(new Error('The store did not answer.')), storeGraceMs).unref();
    await this.idle();
    // Whoever waited for the last body is told of its end first.
    await immediately();
    await this.#orGivenUp(Promise.all(this.#journaling)).catch(() => {});
  }

  /** Resolves as soon as nothing is under way. */
  idle(): Promise<void> {
    return this.#done(() => this.#active);
  }

  /** Resolves as soon as all that is under way waits for the store. */
  idleButForStore(): Promise<void> {
    return this.#done(() => this.#active - this.#storing);
  }

  #done(active: () => number): Promise<void> {
    return new Promise((resolve) => {
      this.#whenDone.push({ active, resolve });
      this.#tellDone();
    });
  }

  #tellDone(): void {
    this.#whenDone = this.#whenDone.filter(({ active, resolve }) => {
      if (active() === 0) resolve();
      return active() > 0;
    });
  }

  #orGivenUp<Result>(work: Promise<Result>): Promise<Result> {
    work.catch(() => {});
    return Promise.race([work, this.#givenUp.promise]);
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
    this.unjournaled?.close();
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
