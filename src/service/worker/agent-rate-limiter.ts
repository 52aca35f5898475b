import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from '../../engine/queue/queue.ts';
import { endTurns, type TurnLimit, takeTurn } from '../../engine/queue/turns.ts';

const againMs = 500;

/**
 * The turns of a worker with agents whose calls are limited over all workers. Limits take effect around each single call: a lane
 * that retries or turns to another agent holds no turn meanwhile.
 */
export class AgentRateLimiter {
  readonly #queue: Queue;
  readonly #worker: string;
  readonly #limits: Readonly<Record<string, TurnLimit>>;
  /** Calls that are over and that the store may not know of: nobody else would ever give their turns back. */
  readonly #over = new Set<string>();

  constructor(queue: Queue, worker: string, limits: Readonly<Record<string, TurnLimit>>) {
    this.#queue = queue;
    this.#worker = worker;
    this.#limits = limits;
  }

  /** Waits for a turn with the agent and runs the body within it. */
  async within<Result>(agent: string, signal: AbortSignal, body: () => Promise<Result>): Promise<Result> {
    const limit = this.#limits[agent];
    if (limit === undefined) return body();
    const call = randomUUID();
    try {
      await patiently(
        () => takeTurn(this.#queue, { agent, call, worker: this.#worker }, limit, signal),
        signal,
      );
      return await body();
    } finally {
      // Also when it was not got: the store may have given it and its answer may be lost. What came of the call does not wait.
      this.#over.add(call);
      void this.endLeft().catch(() => {});
    }
  }

  /** Tells the store which calls are over; those that it does not hear of are told again the next time. */
  async endLeft(): Promise<void> {
    const calls = [...this.#over];
    if (calls.length === 0) return;
    await endTurns(this.#queue, calls);
    for (const call of calls) this.#over.delete(call);
  }
}

/** Tries again while the store does not answer. */
async function patiently<Result>(body: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await body();
    } catch (error) {
      if (signal.aborted) throw error;
      await sleep(againMs, undefined, { signal });
    }
  }
}
