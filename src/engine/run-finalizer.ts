import { AsyncLocalStorage } from 'node:async_hooks';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { type CharretteError, exitCodeOf, toCharretteError } from '../base/errors.ts';
import { timeOf } from './clock.ts';
import { storeLost } from './engine-errors.ts';
import type { LiveRun } from './live-run.ts';
import type { RunDirectory } from './run-directory.ts';
import { isFinal, type RunRecord, readRunRecordSync, updateRunRecord } from './run-record.ts';
import type { RunRegistry } from './run-registry.ts';
import type { Journal } from './store.ts';

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
