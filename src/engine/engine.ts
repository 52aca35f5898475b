import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { removeUnfinished } from '../base/files/atomic.ts';
import { recordAnswers } from './answers.ts';
import { type Clock, systemClock, timeOf } from './clock.ts';
import { otherVersion, storeError, unknownWorkflow } from './engine-errors.ts';
import type { EventListener } from './event-log.ts';
import {
  atWork,
  type Definitions,
  Executions,
  emitResume,
  emitStart,
  RunCleanup,
  RunFinalizer,
} from './executions.ts';
import { InboxReader } from './inbox.ts';
import { onAbort, type RunLease, reportLoss } from './live-run.ts';
import type { ProcessIdentity } from './lock.ts';
import { silentLogger } from './pools.ts';
import { type Answer, checkAnswer, readQuestions, rememberAnswers } from './question.ts';
import { type Home, prepareHome, type RunDirectory, runDirectoryOf } from './run-directory.ts';
import { isFinal, type RunRecord, readRunRecordSync, updateRunRecord } from './run-record.ts';
import { type RunEnd, RunRegistry, RunWaiter, type WaitOptions, waitForRunEnd } from './run-registry.ts';
import { hasDiskFullError, Journal, openStore, type Store, type StoreSetting } from './store.ts';
import { StoreWatch } from './store-watch.ts';

export type EngineOptions = Definitions & {
  home: Home;
  store: StoreSetting;
  /** Changes whenever a workflow's order of steps does. */
  codeVersion: string;
  clock?: Clock;
  /** Where other machines may claim runs. */
  guard?: RunLease;
  /** How long the journals of ended runs stay in the store; the default depends on the kind of store. */
  keepJournalsMs?: number;
};

export type EngineOpening =
  | { opened: true; engine: Engine }
  /** `requireStartable` throws what would keep the run from starting here, before it is left to the holder. */
  | { opened: false; holder: ProcessIdentity; requireStartable(record: RunRecord): void };

const resumeQueue = 'charrette-resume';
/** How long ending waits for a server that may not answer. */
const closingMs = 5000;

/** Opens the store and the durable engine on it, or says which process holds the store. */
export async function openEngine(options: EngineOptions): Promise<EngineOpening> {
  await prepareHome(options.home);
  const opening = await openStore(options.home, options.store);
  if (!opening.opened) return { ...opening, requireStartable: (record) => requireStartable(record, options) };
  try {
    return { opened: true, engine: await Engine.launch(options, opening.store) };
  } catch (error) {
    await opening.store.close();
    throw error;
  }
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #store: Store;
  readonly #runs: RunRegistry;
  readonly #cleanup: RunCleanup;
  readonly #executions: Executions;
  #resumeQueue = resumeQueue;
  readonly #inboxes: InboxReader;
  /** A server that several processes share can go away; the embedded store cannot. */
  readonly #database: StoreWatch | undefined;
  readonly #journal: Journal;
  readonly #finalizer: RunFinalizer;
  readonly #waiter: RunWaiter;

  private constructor(options: EngineOptions, store: Store) {
    this.#options = options;
    this.#store = store;
    this.#runs = new RunRegistry({
      home: options.home,
      clock: options.clock ?? systemClock,
      guard: options.guard,
      store: store.kind,
    });
    this.#journal = new Journal({
      store,
      workflows: options.workflows.map(({ name }) => name),
      isOpen: (run) => this.#runs.find(run)?.live !== undefined || isOpen(runDirectoryOf(options.home, run)),
      keptMs: options.keepJournalsMs,
    });
    this.#cleanup = new RunCleanup(this.#runs, this.#journal);
    this.#finalizer = new RunFinalizer(this.#runs, this.#cleanup);
    const { guard } = options;
    this.#inboxes = new InboxReader(options.home.inbox, () => this.#runs.live(), {
      start: (run) => this.start(run),
      refuse: (run, error, request) => this.#finalizer.refuse(run, error, request),
      answer: (run, answers) =>
        guard === undefined ? this.answer(run, answers) : guard.answered(run, answers),
      cancel: (run, reason) => this.cancel(run, reason),
    });
    this.#database =
      store.server &&
      new StoreWatch(store.server.ask, {
        patienceMs: store.server.patienceMs,
        news: {
          away: (reason) => this.#warn(`Cannot reach the PostgreSQL database (${reason}); retrying.`),
          back: () => this.#warn('Reached the PostgreSQL database again; the run continues.'),
        },
      });
    this.#executions = new Executions(options, this.#runs, this.#cleanup);
    this.#waiter = new RunWaiter({
      runs: this.#runs,
      finalizer: this.#finalizer,
      inboxes: this.#inboxes,
      database: this.#database,
      // Others may be answering at the same moment.
      answer: (run, answers) => this.answer(run, answers, recordAnswers),
    });
  }

  static async launch(options: EngineOptions, store: Store): Promise<Engine> {
    const engine = new Engine(options, store);
    engine.#executions.register();
    const executor = `${hostname()}-${process.pid}-${process.hrtime.bigint()}`;
    // On a shared store other processes listen too, and they may not even have the repository.
    if (store.kind === 'shared') engine.#resumeQueue = `${resumeQueue}-${executor}`;
    DBOS.setConfig({
      ...store.settings,
      name: 'charrette',
      applicationVersion: options.codeVersion,
      // Every process is a separate executor: opening the store never starts a run unasked.
      executorID: executor,
      listenQueues: [engine.#resumeQueue],
      logger: silentLogger,
      runMigrations: true,
    });
    try {
      await store.prepare?.();
      await DBOS.launch();
      await DBOS.registerQueue(engine.#resumeQueue, {
        minPollingIntervalMs: 200,
        onConflict: 'never_update',
      });
    } catch (error) {
      await DBOS.shutdown({ deregister: true }).catch(() => {});
      throw storeError(store, error);
    }
    engine.#inboxes.start();
    engine.#database?.start();
    engine.#journal.start();
    return engine;
  }

  /** Starts or resumes a run whose directory and record exist. */
  async start(runId: string, home?: Home): Promise<void> {
    if (home !== undefined) this.#runs.of(runId).home = home;
    const directory = this.#runs.directoryOf(runId);
    const record = readRunRecordSync(directory);
    requireStartable(record, this.#options);
    // Requested again by a process that did not yet see it running: two executions would disturb each other.
    if (this.#runs.find(runId)?.isUnderWay === true) return;
    this.#cleanup.now(runId);
    const run = this.#runs.of(runId);
    if (home !== undefined) run.home = home;
    // The embedded store has one holder anyway.
    if (this.#store.kind === 'shared') await this.#runs.hold(directory);
    run.isUnderWay = true;
    run.failure = undefined;
    removeUnfinished(directory.artifacts);
    const live = this.#runs.open(runId);
    await this.#inboxes.readRun(runId, live);
    if (readRunRecordSync(directory).status === 'cancelled') {
      this.#cleanup.drop(runId);
      return;
    }
    live.eventsLost = live.events.count === 0 && record.process !== undefined;
    // The first event of a run is written before the embedded store hears of the run.
    const isNew = this.#store.kind === 'embedded' && live.events.count === 0 && !live.eventsLost;
    const status = isNew ? null : await DBOS.getWorkflowStatus(runId);
    // Stopped while the store was asked.
    if (live.stopping) return;
    const isFirst = status === null && live.events.find('run:start') === undefined;
    // Before its process is on record: a run with a process and without events has lost them.
    if (isFirst) emitStart(live, record);
    // Before the workflow begins: it may pause or end at once, and that record must stay.
    await updateRunRecord(directory, atWork());
    if (status === null) {
      // Never started, or its store is gone: finished calls and answers are found in the directory.
      if (!isFirst) emitResume(live);
      await reportLoss(live);
      await this.#executions.begin(live, record);
      return;
    }
    if (live.eventsLost) emitStart(live, record);
    const unfinished = await this.#unfinished(runId);
    // The journal of another copy may know of calls that this directory does not hold.
    if (record.imported === true || isOver(status.status) || (await hasDiskFullError(unfinished))) {
      await DBOS.deleteWorkflow(runId, true);
      emitResume(live);
      await reportLoss(live);
      await this.#executions.begin(live, record);
    } else {
      emitResume(live);
      await reportLoss(live);
      await this.#wake(runId);
      await DBOS.resumeWorkflows(unfinished, { queueName: this.#resumeQueue });
    }
  }

  /** Waits until no run that another process requested is running here. */
  async drain(own: string, signal: AbortSignal): Promise<void> {
    const others = [...this.#runs.live()]
      .filter((live) => live.directory.id !== own && !live.stopping)
      .map((live) => live.directory.id);
    const done = new AbortController();
    const stopped = onAbort(AbortSignal.any([signal, done.signal]));
    await Promise.all(
      others.map((run) =>
        Promise.race([
          stopped,
          this.#runs.of(run).watch.paused(),
          waitForRunEnd(this.#runs, run, done.signal),
        ]),
      ),
    );
    done.abort();
  }

  /** Starts a run and waits for it; a database that is lost before the run is saved ends the wait like one that is lost later. */
  conduct(runId: string, options: WaitOptions): Promise<RunEnd> {
    return this.#waiter.attend(runId, options, this.start(runId));
  }

  /** Waits until the run ends, or until it waits for an answer that this process cannot get. */
  wait(runId: string, options: WaitOptions): Promise<RunEnd> {
    return this.#waiter.attend(runId, options, Promise.resolve());
  }

  /** Saves answers and wakes the run; answers to questions that were not asked yet are kept. */
  async answer(
    runId: string,
    answers: readonly Answer[],
    record: (directory: RunDirectory, given: readonly Answer[]) => unknown = rememberAnswers,
  ): Promise<void> {
    const directory = this.#runs.directoryOf(runId);
    const { questions } = readQuestions(directory);
    for (const answer of answers) {
      const question = questions.find((candidate) => candidate.id === answer.question);
      if (question !== undefined) checkAnswer(question, answer.value);
    }
    await record(directory, answers);
    await this.#wake(runId);
  }

  /** Ends a run permanently; stops its steps first. */
  async cancel(runId: string, reason: string): Promise<RunRecord> {
    const directory = this.#runs.directoryOf(runId);
    const live = this.#runs.open(runId);
    await live.stop();
    const before = readRunRecordSync(directory);
    if (isFinal(before.status)) return before;
    for (const id of await this.#runs.openRunsOf(runId)) await this.cancel(id, reason);
    // Once, also when the record below can be written only at the next try.
    live.events.emitRunEnd({ status: 'cancelled', exit: 1, message: reason });
    const record = await updateRunRecord(directory, {
      status: 'cancelled',
      exit: 1,
      ended: timeOf(this.#runs.clock),
    });
    try {
      // The record first: waiters read it as soon as the workflow is gone.
      if ((await DBOS.getWorkflowStatus(runId)) !== null)
        await DBOS.cancelWorkflow(runId, { cancelChildren: true });
      await this.#executions.tellEnd(live);
    } finally {
      this.#runs.of(runId).watch.end();
      this.#cleanup.soon(runId);
    }
    return record;
  }

  subscribe(runId: string, listener: EventListener): () => void {
    return this.#runs.open(runId).events.subscribe(listener);
  }

  /** Starts nothing more and waits for running steps, as long as the signal allows. */
  async rest(limit: AbortSignal): Promise<void> {
    this.#inboxes.stop();
    const working = [...this.#runs.live()].filter((live) => !live.stopping);
    await Promise.all(working.map((live) => live.rest(limit)));
    for (const live of working)
      live.events.emit(`run:pause-${live.events.count}`, { type: 'run-pause', reason: 'stop' });
  }

  /** Stops everything at once: the runs belong to another worker by now. */
  abandon(): void {
    this.#inboxes.stop();
    for (const live of this.#runs.live()) void live.stop();
  }

  /** Releases a run that was not started after all; a run that ends here is released automatically. */
  forget(runId: string): void {
    this.#cleanup.drop(runId);
  }

  /** Stops everything of this process gracefully and releases the store. */
  async close(): Promise<void> {
    this.#inboxes.stop();
    this.#database?.stop();
    await Promise.all([...this.#runs.live()].map((live) => live.stop()));
    // An unreachable server must not keep a command from ending: a later sweep removes the rest.
    const swept = this.#cleanup.all().then(() => this.#journal.close());
    await Promise.race([swept, sleep(closingMs, undefined, { ref: false })]);
    if (this.#store.kind === 'shared') {
      const leave = DBOS.deleteQueue(this.#resumeQueue)
        .catch(() => {})
        .then(() => DBOS.shutdown({ deregister: true }));
      await Promise.race([leave, sleep(closingMs, undefined, { ref: false })]);
    } else await DBOS.shutdown({ deregister: true });
    this.#runs.close();
    await this.#store.close();
  }

  #warn(text: string): void {
    for (const live of this.#runs.live())
      if (!live.stopping) live.events.emit(`store:${live.events.count}`, { type: 'warning', text });
  }

  /** Makes a waiting run check its answers again; a run that was never started needs no message. */
  async #wake(runId: string): Promise<void> {
    if ((await DBOS.getWorkflowStatus(runId)) !== null) await DBOS.send(runId, 'answered', 'answers');
  }

  /** The run and the runs it started that did not finish. */
  async #unfinished(runId: string): Promise<string[]> {
    const started = await DBOS.listWorkflows({
      workflow_id_prefix: `${runId}-`,
      status: ['PENDING', 'ENQUEUED'],
      loadInput: false,
      loadOutput: false,
    });
    return [runId, ...started.map(({ workflowID }) => workflowID)];
  }
}

/** A run continues only under the code that started it. */
function requireStartable(record: RunRecord, { workflows, codeVersion }: EngineOptions): void {
  const names = workflows.map(({ name }) => name);
  if (!names.includes(record.workflow)) throw unknownWorkflow(record, names);
  if (record.codeVersion !== codeVersion) throw otherVersion(record, codeVersion);
}

function isOver(status: string): boolean {
  return status === 'ERROR' || status === 'CANCELLED' || status === 'SUCCESS';
}

/** Whether a run may continue; an unreadable record counts as open. */
function isOpen(directory: RunDirectory): boolean {
  try {
    return !isFinal(readRunRecordSync(directory).status);
  } catch {
    return existsSync(directory.record);
  }
}
