import type { Place } from './place.ts';
import type { Queue } from './queue.ts';
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

/** Removes a worker that goes, with the turns it may still have. */
export async function removeWorker({ pool }: Queue, worker: string): Promise<void> {
  await pool.query('DELETE FROM charrette.workers WHERE worker = $1', [worker]);
}

/** Gives up workers that have been silent for too long and puts their runs back into the queue. */
export function giveUpSilent(
  queue: Queue,
  limitSeconds: number,
): Promise<{ worker: string; runs: string[] }[]> {
  return queue.transaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [locks.claim]);
    const gone = await client.query(
      'DELETE FROM charrette.workers WHERE beat < clock_timestamp() - make_interval(secs => $1) RETURNING worker',
      [limitSeconds],
    );
    const given: { worker: string; runs: string[] }[] = [];
    for (const { worker } of gone.rows) {
      const runs = await client.query(
        `UPDATE charrette.runs SET state = 'waiting', worker = NULL, epoch = epoch + 1, note = $2
         WHERE worker = $1 RETURNING run`,
        [worker, `taken from ${worker}, which fell silent`],
      );
      given.push({ worker: String(worker), runs: runs.rows.map(({ run }) => String(run)) });
    }
    return given;
  });
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
