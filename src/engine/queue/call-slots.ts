import { setTimeout as sleep } from 'node:timers/promises';
import { locks, type Queue } from './queue.ts';

/** How often an agent may be called, over all workers. */
export type CallLimit = {
  /** Calls at the same time. */
  parallel?: number | undefined;
  /** Calls that may begin within a time. */
  rate?: { calls: number; seconds: number } | undefined;
};

const pollMs = 150;

/**
 * Waits for a turn with the agent. It may be asked again for the same call. When it fails the turn may have been taken all the
 * same: the answer to it may be what was lost.
 */
export async function acquireSlot(
  queue: Queue,
  turn: { agent: string; call: string; worker: string },
  limit: CallLimit,
  signal: AbortSignal,
): Promise<void> {
  while (!(await tryAcquire(queue, turn, limit))) await sleep(pollMs, undefined, { signal });
}

/** Ends calls of agents; one that was ended before, or never began, is ended as well. */
export async function releaseSlots({ pool }: Queue, calls: readonly string[]): Promise<void> {
  await pool.query('DELETE FROM charrette.turns WHERE call = ANY($1)', [calls]);
}

function tryAcquire(
  queue: Queue,
  { agent, call, worker }: { agent: string; call: string; worker: string },
  { parallel, rate }: CallLimit,
): Promise<boolean> {
  return queue.transaction(async (client) => {
    // One after another: two that count at the same time would both find the last place free.
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [locks.turns, agent]);
    const taken = await client.query(
      'SELECT count(*) AS calls, count(*) FILTER (WHERE call = $2) AS own FROM charrette.turns WHERE agent = $1',
      [agent, call],
    );
    // It was taken before, and the answer was lost.
    if (Number(taken.rows[0]?.own) > 0) return true;
    if (parallel !== undefined && Number(taken.rows[0]?.calls) >= parallel) return false;
    if (rate !== undefined) {
      await client.query(
        'DELETE FROM charrette.turn_starts WHERE agent = $1 AND at < clock_timestamp() - make_interval(secs => $2)',
        [agent, rate.seconds],
      );
      const begun = await client.query(
        'SELECT count(*) AS calls FROM charrette.turn_starts WHERE agent = $1',
        [agent],
      );
      if (Number(begun.rows[0]?.calls) >= rate.calls) return false;
      await client.query('INSERT INTO charrette.turn_starts (agent) VALUES ($1)', [agent]);
    }
    // Fails for a removed worker: its row is gone.
    await client.query('INSERT INTO charrette.turns (agent, call, worker) VALUES ($1, $2, $3)', [
      agent,
      call,
      worker,
    ]);
    return true;
  });
}
