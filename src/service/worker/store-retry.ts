import { setTimeout as sleep } from 'node:timers/promises';
import { toCharretteError } from '../../base/errors.ts';
import { RunLostError } from '../../engine/queue/mirror.ts';
import type { WorkerEvent } from './worker-event.ts';

const retryDelayMs = 200;

/** Retries while the database cannot be reached, and reports that once. */
export class StoreRetry {
  readonly #report: (event: WorkerEvent) => void;
  readonly #lost: AbortSignal;
  readonly #drained: AbortSignal;
  #silent = false;

  /** `lost`: the worker's runs belong to others; `drained`: the time for a stop is over. */
  constructor(
    report: (event: WorkerEvent) => void,
    { lost, drained }: Record<'lost' | 'drained', AbortSignal>,
  ) {
    this.#report = report;
    this.#lost = lost;
    this.#drained = drained;
  }

  /** Retries until the store has it; false: the runs are lost, and nothing counts any more. */
  async untilSaved(body: () => Promise<unknown>): Promise<boolean> {
    while (!this.#lost.aborted) {
      try {
        await body();
        return true;
      } catch (error) {
        if (error instanceof RunLostError || this.#drained.aborted) throw error;
        this.fails(error);
        await sleep(retryDelayMs);
      }
    }
    return false;
  }

  fails(error: unknown): void {
    if (this.#silent || this.#lost.aborted) return;
    this.#silent = true;
    this.#report({ type: 'database-unreachable', message: toCharretteError(error).message });
  }

  answers(): void {
    if (!this.#silent) return;
    this.#silent = false;
    this.#report({ type: 'store-back' });
  }
}
