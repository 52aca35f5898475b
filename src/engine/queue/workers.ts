import type postgres from 'pg';
import type { Place } from './place.ts';
import type { Queue } from './queue.ts';
import { heldByNobody } from './queued-run.ts';
import { locks } from './tables.ts';

export type WorkerEntry = {
  worker: string;
  host: string;
  pid: number;
  labels: string[];
  places: Place[];
  codeVersion: string;
  /** Seconds since it last said that it is there, by the server's clock. */
  silentSeconds: number;
};

export async function registerWorker(
  { pool }: Queue,
  worker: Omit<WorkerEntry, 'silentSeconds'>,
): Promise<void> {
  await pool.query(
    `INSERT INTO charrette.workers (worker, host, pid, labels, places, code_version)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [
      worker.worker,
      worker.host,
      worker.pid,
      worker.labels,
      JSON.stringify(worker.places),
      worker.codeVersion,
    ],
  );
}

/**
 * Says that the worker is there, and gives the seconds since it said so before, by the server's clock. Nothing: the others have
 * given it up, and its runs are no longer its own.
 */
export async function beat({ pool }: Pick<Queue, 'pool'>, worker: string): Promise<number | undefined> {
  const { rows } = await pool.query(
    `UPDATE charrette.workers AS now SET beat = clock_timestamp() FROM charrette.workers AS before
     WHERE now.worker = $1 AND before.worker = now.worker
     RETURNING extract(epoch FROM now.beat - before.beat)::float AS gap`,
    [worker],
  );
  return rows[0] === undefined ? undefined : Number(rows[0].gap);
}

/** Says what the worker has now. */
export async function setPlaces({ pool }: Queue, worker: string, places: readonly Place[]): Promise<void> {
  await pool.query('UPDATE charrette.workers SET places = $2 WHERE worker = $1', [
    worker,
    JSON.stringify(places),
  ]);
}

/** Removes a worker that goes, with the turns it may still have; runs that it may still hold wait again. */
export async function removeWorker(queue: Queue, worker: string): Promise<void> {
  await queue.transaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [locks.claim]);
    await client.query('DELETE FROM charrette.workers WHERE worker = $1', [worker]);
    await freeRuns(client);
  });
}

/**
 * Gives up workers that have been silent for too long and puts their runs back into the queue, with those that still name a
 * worker which nobody knows. What somebody holds locked is left for the next time: nobody may wait while none can claim.
 * `judge` is the worker that asks: late itself, it is not gone.
 */
export function giveUpSilent(
  queue: Queue,
  limitSeconds: number,
  judge = '',
): Promise<{ worker: string; runs: string[] }[]> {
  return queue.transaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [locks.claim]);
    const gone = await client.query(
      `DELETE FROM charrette.workers WHERE worker IN (
         SELECT worker FROM charrette.workers
         WHERE beat < clock_timestamp() - make_interval(secs => $1) AND worker <> $2
         FOR UPDATE SKIP LOCKED)
       RETURNING worker`,
      [limitSeconds, judge],
    );
    const given = new Map<string, string[]>(gone.rows.map(({ worker }) => [String(worker), []]));
    for (const { run, worker } of await freeRuns(client))
      given.set(worker, [...(given.get(worker) ?? []), run]);
    return [...given].map(([worker, runs]) => ({ worker, runs }));
  });
}

/** Lets runs wait again whose worker has no row any more. */
async function freeRuns(client: postgres.PoolClient): Promise<{ run: string; worker: string }[]> {
  const { rows } = await client.query(
    `WITH free AS (
       SELECT run, COALESCE(worker, 'a worker') AS worker FROM charrette.runs
       WHERE state IN ('running', 'waiting') AND ${heldByNobody}
       FOR NO KEY UPDATE OF runs SKIP LOCKED
     )
     UPDATE charrette.runs
     SET state = 'queued', worker = NULL, epoch = epoch + 1, note = 'taken from ' || free.worker || ', which is gone'
     FROM free WHERE runs.run = free.run RETURNING runs.run, free.worker`,
  );
  return rows.map((row) => ({ run: String(row.run), worker: String(row.worker) }));
}

export async function readWorkers({ pool }: Queue): Promise<WorkerEntry[]> {
  const { rows } = await pool.query(
    `SELECT worker, host, pid, labels, places, code_version,
            extract(epoch FROM clock_timestamp() - beat)::float AS silent
     FROM charrette.workers ORDER BY worker`,
  );
  return rows.map((row) => ({
    worker: String(row.worker),
    host: String(row.host),
    pid: Number(row.pid),
    labels: row.labels as string[],
    places: row.places as Place[],
    codeVersion: String(row.code_version),
    silentSeconds: Number(row.silent),
  }));
}
