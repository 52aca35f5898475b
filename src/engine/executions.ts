import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { type CharretteError, exitCodeOf, toCharretteError } from '../base/errors.ts';
import { removeUnfinished } from '../base/files/atomic.ts';
import { timeOf } from './clock.ts';
import { storeLost } from './engine-errors.ts';
import { type LiveRun, reportMissing } from './live-run.ts';
import { thisProcess } from './lock.ts';
import { type RunDirectory, relocateInputs } from './run-directory.ts';
import { isFinal, type RunRecord, readRunRecord, readRunRecordSync, updateRunRecord } from './run-record.ts';
import type { RunRegistry } from './run-registry.ts';
import type { Journal } from './store.ts';
import {
  type OtherRuns,
  type Outcome,
  type RunHandle,
  WorkflowContext,
  type WorkflowDefinition,
} from './workflow.ts';

// biome-ignore lint/suspicious/noExplicitAny: definitions of different inputs share one table
export type AnyDefinition = WorkflowDefinition<any, any>;

export type Definitions = { workflows: readonly AnyDefinition[] };

/** Ends that a workflow decides. */
const outcomes: readonly string[] = ['done', 'not-accepted'] satisfies Outcome['status'][];

type Registered = (run: string, input: unknown) => Promise<unknown>;

/** Lets the durable engine execute runs, and records how they end. */
export class Executions {
  readonly #definitions: Definitions;
  readonly #runs: RunRegistry;
  readonly #cleanup: RunCleanup;
  readonly #workflows = new Map<string, Registered>();

  constructor(definitions: Definitions, runs: RunRegistry, cleanup: RunCleanup) {
    this.#definitions = definitions;
    this.#runs = runs;
    this.#cleanup = cleanup;
  }

  /** Tells the durable engine of all definitions, before it starts. */
  register(): void {
    for (const definition of this.#definitions.workflows) {
      const { name } = definition;
      const body: Registered = (run, input) => this.#runMain(definition, run, input);
      this.#workflows.set(name, DBOS.registerWorkflow(body, { name }));
    }
  }

  /** Begins a run of which the store has nothing. */
  async begin(live: LiveRun, { run, workflow, inputs }: RunRecord): Promise<void> {
    const handle = await this.#startRun(run, workflow, inputs);
    const active = this.#runs.of(run);
    if (active.live === live) active.handle = handle;
  }

  async #runMain(definition: AnyDefinition, runId: string, input: unknown): Promise<void> {
    const directory = this.#runs.directoryOf(runId);
    if (!this.#runs.of(runId).isUnderWay) await this.#takeUp(runId);
    const context = this.#context(runId);
    try {
      let outcome: Outcome = await definition.run(context, this.#localInput(input, runId));
      // Stopped during its last step: resuming comes here again without repeating anything.
      if (context.live.stopping) return new Promise(() => {});
      const missing = await reportMissing(context.live);
      if (missing.length > 0 && outcome.status === 'done')
        outcome = {
          ...outcome,
          status: 'not-accepted',
          exit: 6,
          message: `${missing.length} artifacts are lost`,
        };
      const { oneSided: _, ...end } = outcome;
      context.emit({ type: 'run-end', ...end });
      context.live.events.emitRunEnd(outcome);
      await updateRunRecord(directory, {
        status: outcome.status,
        exit: outcome.exit,
        degraded: outcome.degraded,
        oneSided: outcome.oneSided,
        ended: timeOf(this.#runs.clock),
      });
      await this.tellEnd(context.live);
      this.#cleanup.retire(runId);
      this.#runs.of(runId).watch.end();
    } catch (thrown) {
      // The journal refuses a run that another worker has; the run has not failed.
      await context.live.keep().catch(() => {});
      if (context.live.stopping) return new Promise(() => {});
      if (await this.#isOnRecord(context, thrown)) {
        await this.tellEnd(context.live);
        this.#cleanup.retire(runId);
      } else {
        this.#runs.of(runId).failure = thrown;
        this.#runs.of(runId).watch.end();
      }
      throw thrown;
    } finally {
      const active = this.#runs.find(runId);
      if (active !== undefined) active.isUnderWay = false;
    }
  }

  /** Saves how a run failed; false when a full disk refuses that. Waiters receive the failure anyway. */
  async #isOnRecord({ live, degraded }: WorkflowContext, thrown: unknown): Promise<boolean> {
    const { code, message, fix } = toCharretteError(thrown);
    try {
      const end = { status: 'failed', exit: 1 } as const;
      live.events.emit(`run:failed-${live.events.count}`, { type: 'run-end', ...end, message });
      await updateRunRecord(live.directory, {
        ...end,
        degraded: degraded.seats.length === 0 ? undefined : degraded.seats,
        ended: timeOf(this.#runs.clock),
        error: { code, message, fix },
      });
      return true;
    } catch {
      return false;
    }
  }

  /** Keeps the last writes and reports the end. */
  async tellEnd(live: LiveRun): Promise<void> {
    await live.keep();
    this.#runs.guard?.changed(live.directory.id, 'ended');
  }

  /** The journal has the project where the run was made; another clone, a copy and a renamed project are elsewhere. */
  #localInput(input: unknown, runId: string): unknown {
    return relocateInputs(input, this.#runs.homeOf(runId).project);
  }

  #context(runId: string): WorkflowContext {
    const otherRuns: OtherRuns = {
      start: (id) => this.#startRunOf(runId, id),
      ending: async (id) => {
        const record = await readRunRecord(this.#runs.directoryOf(id));
        const { run, status, exit, error, degraded, oneSided } = record;
        return { run, status, exit, error, degraded, oneSided };
      },
    };
    return new WorkflowContext(this.#runs.open(runId), otherRuns);
  }

  /** Starts a child run. Its id names its parent, so that both are resumed together. */
  async #startRunOf(parent: string, runId: string): Promise<RunHandle> {
    if (!runId.startsWith(`${parent}-`)) throw new Error(`${runId} is not named after ${parent}.`);
    const directory = this.#runs.directoryOf(runId);
    const record = await readRunRecord(directory);
    if (!existsSync(directory.events)) emitStart(this.#runs.open(runId), record);
    return this.#startRun(runId, record.workflow, record.inputs);
  }

  #startRun(runId: string, workflow: string, inputs: unknown): Promise<RunHandle> {
    return DBOS.startWorkflow(this.#registered(workflow), { workflowID: runId })(runId, inputs);
  }

  #registered(name: string): Registered {
    const workflow = this.#workflows.get(name);
    if (workflow === undefined) throw new Error(`The workflow ${name} is not registered.`);
    return workflow;
  }

  /** Marks a run that was not started by its name as running. */
  async #takeUp(runId: string): Promise<void> {
    const directory = this.#runs.directoryOf(runId);
    this.#runs.of(runId).isUnderWay = true;
    removeUnfinished(directory.artifacts);
    const record = await updateRunRecord(directory, atWork());
    const live = this.#runs.open(runId);
    emitStart(live, record);
    if (live.events.count > 1) emitResume(live);
  }
}

/** The fields of a record while this process works on the run. */
export function atWork(): Partial<RunRecord> {
  const cleared = { imported: undefined, ended: undefined, exit: undefined, error: undefined };
  return { ...cleared, status: 'running', process: thisProcess() };
}

/** Emitted exactly once, as the first event. */
export function emitStart(live: LiveRun, { workflow, title }: RunRecord): void {
  live.events.emit('run:start', { type: 'run-start', workflow, title });
}

/** Emits the resume, unless the run has ended and only its record is missing: it does not continue. */
export function emitResume(live: LiveRun): void {
  const { lastTurn } = live.events;
  if (lastTurn?.type === 'run-end' && outcomes.includes(lastTurn.status)) return;
  const attempt = live.events.count;
  live.events.emit(`run:resume-${attempt}`, { type: 'run-resume', attempt });
}

/** What was about to begin when a run was stopped has to find it stopped. */
const graceMs = 10_000;
/** How long a run that has ended waits for the store to know it. */
const settlingSeconds = 5;

/** Releases runs that have ended or were stopped, and their journals: a process may live for days. */
export class RunCleanup {
  readonly #runs: RunRegistry;
  readonly #journal: Journal;
  readonly #soon = new Map<string, () => void>();
  readonly #retiring = new Set<Promise<void>>();
  /** Calls a function outside of the workflow that called it, where a query of the store does not count as a step. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(runs: RunRegistry, journal: Journal) {
    this.#runs = runs;
    this.#journal = journal;
  }

  /** Releases a run that has ended here once the store has its end. */
  retire(runId: string): void {
    this.#outside(() => {
      const retiring = this.#settled(runId).then(() => this.#leave(runId));
      this.#retiring.add(retiring);
      void retiring.finally(() => this.#retiring.delete(retiring));
    });
  }

  /** Releases a run that was stopped or cancelled in a moment. */
  soon(runId: string): void {
    const timer = setTimeout(() => this.now(runId), graceMs).unref();
    this.#soon.set(runId, () => {
      clearTimeout(timer);
      this.#leave(runId);
    });
  }

  /** Releases at once a run that waits for its release. */
  now(runId: string): void {
    this.#soon.get(runId)?.();
  }

  /** Releases a run that was not started after all; its journal is not ours to remove. */
  drop(runId: string): void {
    this.#soon.delete(runId);
    this.#runs.release(runId);
  }

  /** Resolves when nothing more has to leave. */
  async all(): Promise<void> {
    for (const leave of [...this.#soon.values()]) leave();
    await Promise.all(this.#retiring);
  }

  #leave(runId: string): void {
    this.drop(runId);
    this.#journal.forget(runId);
  }

  async #settled(runId: string): Promise<void> {
    const known = this.#runs.find(runId)?.handle;
    const wait = { pollingIntervalMs: 50, timeoutSeconds: settlingSeconds };
    await (known === undefined ? DBOS.getResult(runId, wait) : known.getResult(wait)).catch(() => {});
  }
}

/** Records ends and stops of runs that their workflows do not decide. */
export class RunFinalizer {
  readonly #runs: RunRegistry;
  readonly #cleanup: RunCleanup;

  constructor(runs: RunRegistry, cleanup: RunCleanup) {
    this.#runs = runs;
    this.#cleanup = cleanup;
  }

  /** Stops running steps; returns the record of a run that had ended before. */
  async stop(runId: string, reason: 'question' | 'stop'): Promise<RunRecord | undefined> {
    const live = this.#runs.open(runId);
    await live.stop();
    const record = readRunRecordSync(live.directory);
    if (isFinal(record.status)) return record;
    live.events.emit(`run:pause-${live.events.count}`, { type: 'run-pause', reason });
    for (const id of await this.#runs.openRunsOf(runId)) {
      if ((await this.stop(id, 'stop')) !== undefined) continue;
      await updateRunRecord(this.#runs.directoryOf(id), { status: 'stopped', process: undefined });
    }
    const run = this.#runs.of(runId);
    run.isUnderWay = false;
    run.unlock();
    this.#cleanup.soon(runId);
    return undefined;
  }

  /** Records why a run that another process requested did not start; an unreadable or running one is not changed. */
  async refuse(runId: string, thrown: unknown, request: string): Promise<void> {
    const error = toCharretteError(thrown);
    if (['run-not-found', 'json-invalid', 'store-locked'].includes(error.code)) return;
    await this.#fail(this.#runs.open(runId), `run:refused-${request}`, error);
    this.#cleanup.drop(runId);
  }

  /** The database was unreachable for too long: what is saved is enough to resume later. */
  async giveUp(runId: string, reason: string): Promise<RunRecord> {
    const live = this.#runs.open(runId);
    await live.stop();
    return this.#fail(live, `run:lost-${live.events.count}`, storeLost(runId, reason));
  }

  /** The record after the workflow ended; one that an unforeseen error ended is marked as failed. */
  async settle(directory: RunDirectory): Promise<RunRecord> {
    const record = readRunRecordSync(directory);
    if (isFinal(record.status)) return record;
    const error = toCharretteError(await this.#failureOf(directory.id));
    const { code, message, fix } = error;
    return updateRunRecord(directory, {
      status: 'failed',
      exit: exitCodeOf(error),
      ended: timeOf(this.#runs.clock),
      error: { code, message, fix },
    });
  }

  #fail(
    { directory, events }: LiveRun,
    event: string,
    { code, message, fix }: CharretteError,
  ): Promise<RunRecord> {
    const end = { status: 'failed', exit: 1 } as const;
    events.emit(event, { type: 'run-end', ...end, message });
    return updateRunRecord(directory, {
      ...end,
      ended: timeOf(this.#runs.clock),
      process: undefined,
      error: { code, message, fix },
    });
  }

  async #failureOf(runId: string): Promise<unknown> {
    const failure = this.#runs.find(runId)?.failure;
    if (failure !== undefined) return failure;
    const status = await DBOS.getWorkflowStatus(runId);
    return status?.error ?? new Error(`the workflow ended as ${status?.status}`);
  }
}
