import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import { heldElsewhere } from './engine-errors.ts';
import type { RunLease } from './live-run.ts';
import { LiveRun } from './live-run.ts';
import { type Lock, seizeLock, tryLock } from './lock.ts';
import type { Question } from './question.ts';
import { type Home, listRunIds, type RunDirectory, runDirectoryOf } from './run-directory.ts';
import { isFinal, readRunRecord, updateRunRecord } from './run-record.ts';
import type { Store } from './store.ts';
import type { RunHandle } from './workflow.ts';

/** Whether a run waits for answers or has ended, for those who want to know when that changes. */
class RunStateWatcher {
  #questions: Question[] | undefined;
  #over = false;
  #waiting: (() => void)[] = [];

  pause(questions: Question[]): void {
    this.#questions = questions;
    this.#wake();
  }

  continue(): void {
    this.#questions = undefined;
    this.#wake();
  }

  end(): void {
    this.#over = true;
    this.#wake();
  }

  /** Resolves as soon as the run has ended or was released. */
  async ended(): Promise<void> {
    while (!this.#over) await this.#change();
  }

  /** Resolves with the open questions as soon as there are some. */
  async paused(): Promise<Question[]> {
    while (this.#questions === undefined) await this.#change();
    return this.#questions;
  }

  /** Resolves as soon as nothing is being waited for. */
  async continued(): Promise<void> {
    while (this.#questions !== undefined) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** How long a record that could not be written waits for the next try. */
const retryDelayMs = 1000;

/** The runs of this process: their state, open files, waiters and locks. */
export class RunRegistry {
  readonly live = new Map<string, LiveRun>();
  /** Runs that began in this process. */
  readonly handles = new Map<string, RunHandle>();
  /** Runs that this process was asked to work on and that have not ended. */
  readonly underWay = new Set<string>();
  /** Failures of runs here whose end could not be saved. */
  readonly failures = new Map<string, unknown>();
  readonly #home: Home;
  readonly #clock: Clock;
  readonly #guard: RunLease | undefined;
  readonly #store: Store['kind'];
  /** Runs of other projects than the engine's own. */
  readonly #homes = new Map<string, Home>();
  readonly #watches = new Map<string, RunStateWatcher>();
  /** The status that was last to be saved for a run. */
  readonly #standing = new WeakMap<LiveRun, 'paused' | 'running'>();
  /** Runs on a shared store that this process alone may work on. */
  readonly #held = new Map<string, Lock>();

  constructor(options: {
    home: Home;
    clock: Clock;
    guard: RunLease | undefined;
    store: Store['kind'];
  }) {
    this.#home = options.home;
    this.#clock = options.clock;
    this.#guard = options.guard;
    this.#store = options.store;
  }

  /** Registers a run of another project than the engine's own. */
  place(runId: string, home: Home): void {
    this.#homes.set(runId, home);
  }

  /** Child runs are named after their parent, next to it. */
  homeOf(runId: string): Home {
    const parent = [...this.#homes.keys()].find((id) => id === runId || runId.startsWith(`${id}-`));
    return (parent === undefined ? undefined : this.#homes.get(parent)) ?? this.#home;
  }

  directoryOf(runId: string): RunDirectory {
    return runDirectoryOf(this.homeOf(runId), runId);
  }

  /** Runs that this one started and that have not ended. */
  async openRunsOf(runId: string): Promise<string[]> {
    const ids = (await listRunIds(this.homeOf(runId))).filter((id) => id.startsWith(`${runId}-`));
    const records = await Promise.all(
      ids.map((id) => readRunRecord(this.directoryOf(id)).catch(() => undefined)),
    );
    return records.flatMap((record) => (record === undefined || isFinal(record.status) ? [] : [record.run]));
  }

  open(runId: string): LiveRun {
    const known = this.live.get(runId);
    if (known !== undefined) return known;
    const directory = this.directoryOf(runId);
    const live = new LiveRun(directory, this.#clock, {
      onPause: (run, questions) => {
        void this.#note(run, 'paused');
        this.watch(runId).pause([...questions]);
      },
      onContinue: (run) => {
        void this.#note(run, 'running');
        this.watch(runId).continue();
      },
      keep: this.#guard?.keep,
      ready: this.#guard?.ready,
      // A shared store notifies; the embedded one has to be polled.
      ...(this.#store === 'embedded' ? { messagePollMs: 100 } : {}),
    });
    this.live.set(runId, live);
    return live;
  }

  /**
   * Records that a run waits for people, or continues. A full disk ends neither the process nor the run: the write is retried for
   * as long as the run is in that state.
   */
  async #note(live: LiveRun, status: 'paused' | 'running'): Promise<void> {
    const { id } = live.directory;
    this.#standing.set(live, status);
    for (let tries = 0; this.#standing.get(live) === status && !live.stopping; tries += 1) {
      try {
        await updateRunRecord(live.directory, { status });
        this.#guard?.changed(id, status === 'paused' ? 'waiting' : 'running');
        return;
      } catch (error) {
        if (tries === 0) this.#guard?.troubled(id, error);
        await sleep(retryDelayMs, undefined, { ref: false });
      }
    }
  }

  watch(runId: string): RunStateWatcher {
    const watch = this.#watches.get(runId) ?? new RunStateWatcher();
    this.#watches.set(runId, watch);
    return watch;
  }

  /** On a shared store nothing else keeps two processes from working on one run. */
  async hold(directory: RunDirectory): Promise<void> {
    if (this.#held.has(directory.id)) return;
    if (this.#guard !== undefined) {
      this.#held.set(directory.id, seizeLock(directory.lock));
      return;
    }
    const attempt = await tryLock(directory.lock);
    if (!attempt.held) throw heldElsewhere(directory.id, attempt.holder, directory.lock);
    this.#held.set(directory.id, attempt.lock);
  }

  unlock(runId: string): void {
    this.#held.get(runId)?.release();
    this.#held.delete(runId);
  }

  /** Nothing of the run stays in this process. */
  release(runId: string): void {
    this.live.get(runId)?.close();
    this.live.delete(runId);
    this.handles.delete(runId);
    this.underWay.delete(runId);
    this.failures.delete(runId);
    this.#homes.delete(runId);
    this.unlock(runId);
    this.#watches.get(runId)?.end();
    this.#watches.delete(runId);
  }

  close(): void {
    for (const { release } of this.#held.values()) release();
    for (const live of this.live.values()) live.close();
    this.live.clear();
  }
}
