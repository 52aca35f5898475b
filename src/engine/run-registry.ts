import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { retriablePostgresException } from '@dbos-inc/dbos-sdk/internal/system_database';
import type { Clock } from './clock.ts';
import { heldElsewhere } from './engine-errors.ts';
import type { RunFinalizer } from './executions.ts';
import type { InboxReader } from './inbox.ts';
import { LiveRun, onAbort, type RunLease, raceAbort } from './live-run.ts';
import { type Lock, seizeLock, tryLock } from './lock.ts';
import { type Answer, type Question, readQuestions, unanswered } from './question.ts';
import { type Home, listRunIds, type RunDirectory, runDirectoryOf } from './run-directory.ts';
import { isFinal, type RunRecord, readRunRecord, updateRunRecord } from './run-record.ts';
import type { Store } from './store.ts';
import type { StoreWatch } from './store-watch.ts';
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

/** How a run left this process. */
export type RunEnd =
  | { kind: 'ended'; record: RunRecord }
  | { kind: 'paused'; record: RunRecord; questions: Question[] }
  | { kind: 'stopped'; record: RunRecord };

/** Answers questions where a person is, or gives `undefined` to let the run pause. */
export type AnswerProvider = (questions: Question[], signal: AbortSignal) => Promise<Answer[] | undefined>;

export type WaitOptions = { answer?: AnswerProvider; signal: AbortSignal };

/** How long a stop waits for a start in progress: its database may be unreachable. */
const startingMs = 5000;

/** Waits for runs, with a caller who may answer their questions. */
export class RunWaiter {
  readonly #runs: RunRegistry;
  readonly #finalizer: RunFinalizer;
  readonly #inboxes: InboxReader;
  readonly #database: StoreWatch | undefined;
  readonly #answer: (runId: string, answers: readonly Answer[]) => Promise<void>;

  constructor(options: {
    runs: RunRegistry;
    finalizer: RunFinalizer;
    inboxes: InboxReader;
    database: StoreWatch | undefined;
    answer: (runId: string, answers: readonly Answer[]) => Promise<void>;
  }) {
    this.#runs = options.runs;
    this.#finalizer = options.finalizer;
    this.#inboxes = options.inboxes;
    this.#database = options.database;
    this.#answer = options.answer;
  }

  /** Resolves when the run has ended, or waits for an answer that this process cannot get. */
  async attend(runId: string, options: WaitOptions, started: Promise<void>): Promise<RunEnd> {
    // Ends every wait, so that nothing keeps asking the store.
    const done = new AbortController();
    try {
      return await this.#follow(runId, options, started, done.signal);
    } finally {
      done.abort();
    }
  }

  async #follow(
    runId: string,
    options: WaitOptions,
    started: Promise<void>,
    done: AbortSignal,
  ): Promise<RunEnd> {
    const directory = this.#runs.directoryOf(runId);
    const { watch } = this.#runs.of(runId);
    const stopped = onAbort(options.signal, done);
    const ended = started.then(async () =>
      isFinal((await readRunRecord(directory)).status) ? 'end' : waitForRunEnd(this.#runs, runId, done),
    );
    ended.catch(() => {});
    for (;;) {
      const lost = this.#database?.lost(done) ?? new Promise<never>(() => {});
      const next = await Promise.race([ended, stopped, lost, watch.paused()]);
      if (next === 'end') return { kind: 'ended', record: await this.#finalizer.settle(directory) };
      if (next === 'stop') {
        await Promise.race([started, sleep(startingMs, undefined, { ref: false })]);
        return this.#leave(runId);
      }
      if (next === 'lost') {
        // Running steps need no store; their results are kept in the run's directory.
        await raceAbort(this.#runs.open(runId).idle(), options.signal);
        if (this.#database?.isLost && !options.signal.aborted)
          return { kind: 'ended', record: await this.#finalizer.giveUp(runId, this.#database.reason) };
        continue;
      }
      // Another process may answer, cancel or stop while the user here is being asked.
      const asking = new AbortController();
      const answers = await Promise.race([
        options.answer?.(next, asking.signal),
        Promise.race([ended, stopped, watch.continued()]).then(() => 'elsewhere' as const),
      ]);
      asking.abort();
      if (answers === 'elsewhere') continue;
      if (answers === undefined) {
        if (await this.#isStillAsking(runId, next)) return this.#leave(runId, next);
        await Promise.race([ended, stopped, watch.continued()]);
        continue;
      }
      const answered = this.#answer(runId, answers).then(() => watch.continued());
      answered.catch(() => {});
      await Promise.race([ended, stopped, lost, answered]);
    }
  }

  /** No answer here, but another process may have left an answer or a cancel before the run was started. */
  async #isStillAsking(runId: string, questions: readonly Question[]): Promise<boolean> {
    await this.#inboxes.readAll();
    const directory = this.#runs.directoryOf(runId);
    if (isFinal((await readRunRecord(directory)).status)) return false;
    const open = new Set(unanswered(readQuestions(directory)).map(({ id }) => id));
    return questions.some(({ id }) => open.has(id));
  }

  /** Stops a run, or lets it wait for answers, unless it has ended. */
  async #leave(runId: string, questions?: Question[]): Promise<RunEnd> {
    const ended = await this.#finalizer.stop(runId, questions === undefined ? 'stop' : 'question');
    if (ended !== undefined) return { kind: 'ended', record: ended };
    const status = questions === undefined ? 'stopped' : 'paused';
    const record = await updateRunRecord(this.#runs.directoryOf(runId), { status, process: undefined });
    return questions === undefined ? { kind: 'stopped', record } : { kind: 'paused', record, questions };
  }
}

const pauseMs = 200;

/**
 * The result of a workflow. The durable engine waits for a store that is away wherever it writes, but not where it waits
 * for a result: there the lost connection would count as how the workflow ended.
 */
export async function awaitWorkflowResult<Result>(
  workflow: string,
  get: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await get();
    } catch (error) {
      if (!retriablePostgresException(error)) throw error;
      // It may also be what the workflow itself failed with.
      if ((await DBOS.getWorkflowStatus(workflow))?.status === 'ERROR') return get();
      await sleep(pauseMs);
    }
  }
}

/** How often the store is asked about the end of a run; those that began here tell it themselves. */
const askStoreMs = { here: 5000, elsewhere: 1000 } as const;

/**
 * Resolves when the run has ended. This process sees its own runs end; the store knows of those that others end. `done` ends
 * the waiting.
 */
export async function waitForRunEnd(runs: RunRegistry, runId: string, done: AbortSignal): Promise<'end'> {
  const { handle: known, watch } = runs.of(runId);
  const over = watch.ended();
  const told =
    known === undefined
      ? over
      : Promise.race([
          over,
          awaitWorkflowResult(runId, () => known.getResult({ pollingIntervalMs: askStoreMs.here })),
        ]);
  const pauseMs = known === undefined ? askStoreMs.elsewhere : askStoreMs.here;
  let ended = false;
  const asked = async () => {
    while (!ended && !done.aborted) {
      await sleep(pauseMs, undefined, { signal: done }).catch(() => {});
      if (ended || done.aborted) return;
      const [found] = await DBOS.listWorkflows({
        workflowIDs: [runId],
        loadInput: false,
        loadOutput: false,
      }).catch(() => ['unknown'] as const);
      if (found === undefined) return;
      if (found !== 'unknown' && !['PENDING', 'ENQUEUED', 'DELAYED'].includes(found.status)) return;
    }
  };
  await Promise.race([told, asked()]).catch(() => {});
  ended = true;
  return 'end';
}
