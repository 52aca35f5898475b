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

/** Everything that this process has of one run. */
export class ActiveRun {
  readonly watch = new RunStateWatcher();
  /** Its open files and steps. */
  live: LiveRun | undefined;
  /** Set when the run began in this process. */
  handle: RunHandle | undefined;
  /** This process was asked to work on the run, and the run has not ended. */
  isUnderWay = false;
  /** What the run failed with here, when its end could not be saved. */
  failure: unknown;
  /** Set for a run of another project than the engine's own. */
  home: Home | undefined;
  /** On a shared store: this process alone may work on the run. */
  lock: Lock | undefined;
  /** The status that was last to be saved. */
  shown: 'paused' | 'running' | undefined;

  unlock(): void {
    this.lock?.release();
    this.lock = undefined;
  }
}

/** The runs of this process, one entry for each. */
export class RunRegistry {
  readonly clock: Clock;
  readonly guard: RunLease | undefined;
  readonly #home: Home;
  readonly #store: Store['kind'];
  readonly #runs = new Map<string, ActiveRun>();

  constructor(options: {
    home: Home;
    clock: Clock;
    guard: RunLease | undefined;
    store: Store['kind'];
  }) {
    this.clock = options.clock;
    this.guard = options.guard;
    this.#home = options.home;
    this.#store = options.store;
  }

  /** The entry of a run; made when it is missing. */
  of(runId: string): ActiveRun {
    const run = this.#runs.get(runId) ?? new ActiveRun();
    this.#runs.set(runId, run);
    return run;
  }

  /** The entry of a run, if this process has one. */
  find(runId: string): ActiveRun | undefined {
    return this.#runs.get(runId);
  }

  /** The runs with open files. Reflects runs that are opened or released during the iteration. */
  *live(): Generator<LiveRun> {
    for (const { live } of this.#runs.values()) if (live !== undefined) yield live;
  }

  /** Child runs are named after their parent, next to it. */
  homeOf(runId: string): Home {
    for (const [id, { home }] of this.#runs)
      if (home !== undefined && (id === runId || runId.startsWith(`${id}-`))) return home;
    return this.#home;
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
    const run = this.of(runId);
    run.live ??= new LiveRun(this.directoryOf(runId), this.clock, {
      onPause: (live, questions) => {
        void this.#note(run, live, 'paused');
        run.watch.pause([...questions]);
      },
      onContinue: (live) => {
        void this.#note(run, live, 'running');
        run.watch.continue();
      },
      keep: this.guard?.keep,
      ready: this.guard?.ready,
      // A shared store notifies; the embedded one has to be polled.
      ...(this.#store === 'embedded' ? { messagePollMs: 100 } : {}),
    });
    return run.live;
  }

  /**
   * Records that a run waits for people, or continues. A full disk ends neither the process nor the run: the write is retried for
   * as long as the run is in that state.
   */
  async #note(run: ActiveRun, live: LiveRun, status: 'paused' | 'running'): Promise<void> {
    const { id } = live.directory;
    run.shown = status;
    for (let tries = 0; run.shown === status && !live.stopping; tries += 1) {
      try {
        await updateRunRecord(live.directory, { status });
        this.guard?.changed(id, status === 'paused' ? 'waiting' : 'running');
        return;
      } catch (error) {
        if (tries === 0) this.guard?.troubled(id, error);
        await sleep(retryDelayMs, undefined, { ref: false });
      }
    }
  }

  /** On a shared store nothing else keeps two processes from working on one run. */
  async hold(directory: RunDirectory): Promise<void> {
    const run = this.of(directory.id);
    if (run.lock !== undefined) return;
    if (this.guard !== undefined) {
      run.lock = seizeLock(directory.lock);
      return;
    }
    const attempt = await tryLock(directory.lock);
    if (!attempt.held) throw heldElsewhere(directory.id, attempt.holder, directory.lock);
    run.lock = attempt.lock;
  }

  /** Releases all state of a run in this process. */
  release(runId: string): void {
    const run = this.#runs.get(runId);
    this.#runs.delete(runId);
    run?.live?.close();
    run?.unlock();
    run?.watch.end();
  }

  close(): void {
    for (const run of this.#runs.values()) {
      run.unlock();
      run.live?.close();
      run.live = undefined;
    }
  }
}
