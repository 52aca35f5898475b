import type { QueueLimits } from './claim.ts';
import type { Queue } from './queue.ts';
import { locks } from './tables.ts';

/**
 * Lets a run that asked count as at work again, if the limits that all workers share leave room for it; false: not now, or it is
 * held no more. Saying it twice is no harm.
 */
export function goOn(
  queue: Queue,
  claim: { run: string; epoch: number; repository: string },
  { runs, perRepository }: QueueLimits,
): Promise<boolean> {
  return queue.transaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [locks.claim]);
    const { rows } = await client.query(
      `SELECT count(*) AS runs, count(*) FILTER (WHERE repository = $2) AS same
       FROM charrette.runs WHERE state = 'running' AND run <> $1`,
      [claim.run, claim.repository],
    );
    const isFull = (limit: number | undefined, count: unknown) =>
      limit !== undefined && Number(count) >= limit;
    if (isFull(runs, rows[0]?.runs) || isFull(perRepository, rows[0]?.same)) return false;
    const { rowCount } = await client.query(
      `UPDATE charrette.runs SET state = 'running', note = 'running'
       WHERE run = $1 AND epoch = $2 AND state IN ('waiting', 'running')`,
      [claim.run, claim.epoch],
    );
    return rowCount === 1;
  });
}
