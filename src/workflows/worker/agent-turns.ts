import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../../agents/port.ts';
import type { Queue } from '../../engine/queue/queue.ts';
import { type TurnLimit, takeTurn } from '../../engine/queue/turns.ts';

/**
 * The agent under the limits that all workers share. They take effect around each single call: a lane that waits, retries
 * or turns to another agent holds no turn meanwhile.
 */
export function underLimit(agent: Agent, limit: TurnLimit | undefined, queue: Queue, worker: string): Agent {
  if (limit === undefined) return agent;
  return {
    id: agent.id,
    family: agent.family,
    title: agent.title,
    capabilities: agent.capabilities,
    probe: (context) => agent.probe(context),
    ...(agent.answered === undefined
      ? {}
      : { answered: (task) => agent.answered?.(task) ?? Promise.resolve(false) }),
    async call(task, context) {
      const turn = { agent: agent.id, call: randomUUID(), worker };
      const end = await patiently(() => takeTurn(queue, turn, limit, context.signal), context.signal);
      try {
        return await agent.call(task, context);
      } finally {
        // One that cannot be ended now goes with the worker.
        await patiently(end, AbortSignal.timeout(30_000)).catch(() => {});
      }
    },
  };
}

/** Tries again while the store does not answer. */
async function patiently<Result>(body: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await body();
    } catch (error) {
      if (signal.aborted) throw error;
      await sleep(500, undefined, { signal });
    }
  }
}
