import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireSlot, type CallLimit, releaseSlots } from '../../engine/queue/call-slots.ts';
import type { Queue } from '../../engine/queue/queue.ts';

const retryDelayMs = 500;

/**
 * The call slots of a worker for agents whose calls are limited over all workers. Limits apply to each single call: a lane
 * that retries or changes to another agent holds no slot meanwhile.
 */
export class AgentRateLimiter {
  readonly #queue: Queue;
  readonly #worker: string;
  readonly #limits: Readonly<Record<string, CallLimit>>;
  /** Ended calls that the store may not have recorded; only this worker can release their slots. */
  readonly #over = new Set<string>();

  constructor(queue: Queue, worker: string, limits: Readonly<Record<string, CallLimit>>) {
    this.#queue = queue;
    this.#worker = worker;
    this.#limits = limits;
  }

  /** Waits for a slot of the agent and runs the body within it. */
  async within<Result>(agent: string, signal: AbortSignal, body: () => Promise<Result>): Promise<Result> {
    const limit = this.#limits[agent];
    if (limit === undefined) return body();
    const call = randomUUID();
    try {
      await patiently(
        () => acquireSlot(this.#queue, { agent, call, worker: this.#worker }, limit, signal),
        signal,
      );
      return await body();
    } finally {
      // Also after a failed wait: the store may have given a slot whose answer was lost. The result of the call does not wait.
      this.#over.add(call);
      void this.endLeft().catch(() => {});
    }
  }

  /** Reports ended calls to the store; retries the unsaved ones the next time. */
  async endLeft(): Promise<void> {
    const calls = [...this.#over];
    if (calls.length === 0) return;
    await releaseSlots(this.#queue, calls);
    for (const call of calls) this.#over.delete(call);
  }
}

/** Retries while the database cannot be reached. */
async function patiently<Result>(body: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await body();
    } catch (error) {
      if (signal.aborted) throw error;
      await sleep(retryDelayMs, undefined, { signal });
    }
  }
}
