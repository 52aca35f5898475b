import { DBOS } from '@dbos-inc/dbos-sdk';
import { type CharretteError, exitCodeOf, toCharretteError } from '../base/errors.ts';
import { type Clock, timeOf } from './clock.ts';
import type { Departures } from './departures.ts';
import { storeLost } from './engine-errors.ts';
import type { KnownRuns } from './known-runs.ts';
import type { LiveRun } from './live-run.ts';
import type { RunDirectory } from './run-directory.ts';
import { isFinal, type RunRecord, readRunRecordSync, updateRunRecord } from './run-record.ts';

/** Puts on record how runs leave this process when it is not their workflow that says so. */
export class RunEnds {
  readonly #runs: KnownRuns;
  readonly #departures: Departures;
  readonly #clock: Clock;

  constructor(options: { runs: KnownRuns; departures: Departures; clock: Clock }) {
    this.#runs = options.runs;
    this.#departures = options.departures;
    this.#clock = options.clock;
  }

  /** Ends what is under way; gives back the record of a run that had come to its end before. */
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
    this.#runs.underWay.delete(runId);
    this.#runs.giveFree(runId);
    this.#departures.soon(runId);
    return undefined;
  }

  /** Why a run that another process asked for did not start; one that nobody can read, or that goes on, is left. */
  async refuse(runId: string, thrown: unknown, request: string): Promise<void> {
    const error = toCharretteError(thrown);
    if (['run-not-found', 'json-invalid', 'store-locked'].includes(error.code)) return;
    await this.#fail(this.#runs.open(runId), `run:refused-${request}`, error);
    this.#departures.drop(runId);
  }

  /** The store stayed away for longer than anybody should wait: what is saved is enough to go on later. */
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
      ended: timeOf(this.#clock),
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
      ended: timeOf(this.#clock),
      process: undefined,
      error: { code, message, fix },
    });
  }

  async #failureOf(runId: string): Promise<unknown> {
    const failure = this.#runs.failures.get(runId);
    if (failure !== undefined) return failure;
    const status = await DBOS.getWorkflowStatus(runId);
    return status?.error ?? new Error(`the workflow ended as ${status?.status}`);
  }
}
