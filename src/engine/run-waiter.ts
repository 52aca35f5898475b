import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { retriablePostgresException } from '@dbos-inc/dbos-sdk/internal/system_database';
import type { RunFinalizer } from './executions.ts';
import type { InboxReader } from './inbox.ts';
import { onAbort, raceAbort } from './live-run.ts';
import { type Answer, type Question, readQuestions, unanswered } from './question.ts';
import { isFinal, type RunRecord, readRunRecord, updateRunRecord } from './run-record.ts';
import type { RunRegistry } from './run-registry.ts';
import type { StoreWatch } from './store-watch.ts';

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
