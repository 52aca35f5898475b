import { hostname } from 'node:os';
import type postgres from 'pg';
import { locks, type Queue } from './queue.ts';
import { type QueuedRun, type QueueEntry, unclaimedSql } from './queued-run.ts';

/** A clone that a worker serves, and what can be done there. */
export type Place = {
  repository: string;
  clone: string;
  /** The commit that is checked out. */
  head?: string | undefined;
  agents: readonly string[];
};

/** A clone is known by where it is: on which host, in which folder. */
export function cloneAt(project: string): string {
  return `${hostname()}:${project}`;
}

type Wanted = Pick<QueuedRun, 'repository' | 'clone' | 'travels' | 'baseCommit' | 'agents'>;

/** What keeps a run from a place; nothing when it can be done there. */
export function mismatchReason(run: Wanted, place: Place): string | undefined {
  if (run.clone !== place.clone) {
    if (run.repository !== place.repository) return `it is about ${run.repository}`;
    if (!run.travels) return `its work stays in the clone ${run.clone}`;
    if (run.baseCommit !== place.head)
      return `it is about commit ${short(run.baseCommit)}, and ${place.clone} is at ${short(place.head)}`;
  }
  const missing = run.agents.filter((agent) => !place.agents.includes(agent));
  return missing.length === 0
    ? undefined
    : `the agents ${missing.join(', ')} are not declared in ${place.clone}`;
}

/** The place for a run, its own clone first. */
export function placeFor<Candidate extends Place>(
  run: Wanted,
  places: readonly Candidate[],
): Candidate | undefined {
  const fitting = places.filter((place) => mismatchReason(run, place) === undefined);
  return fitting.find((place) => place.clone === run.clone) ?? fitting[0];
}

function short(commit: string | undefined): string {
  return commit === undefined ? 'none' : commit.slice(0, 12);
}

/** Notes that say why a run waits, rather than how it came to wait. */
const reasons: readonly RegExp[] = [/^process \d+ of a worker/, /^it could not start: /];

/** Said of a run that waits for a process that does not know that it lost it. */
export function heldNote(pid: number): string {
  return `process ${pid} of a worker that timed out still has it; it continues when that process wakes or ends`;
}

/** Said of a run that a worker could not take up, though others may. */
export function refusedNote(message: string): string {
  return `it could not start: ${message}`;
}

/** Why a run waits; `undefined` when it runs, asks or has ended. */
export function whyWaiting(
  entry: QueueEntry,
  workers: readonly WorkerEntry[],
  heartbeatTimeoutSeconds: number,
): string | undefined {
  const live = workers.filter((worker) => worker.silentSeconds <= heartbeatTimeoutSeconds);
  if (entry.state === 'running' || entry.state === 'waiting') {
    if (live.some(({ worker }) => worker === entry.worker)) return undefined;
    return `its worker ${entry.worker ?? ''} is silent${live.length === 0 ? ' and no other is there' : ''}`;
  }
  if (entry.state === 'ended') return undefined;
  if (live.length === 0) return 'no worker is there';
  const sameCode = live.filter(({ codeVersion }) => codeVersion === entry.codeVersion);
  if (sameCode.length === 0) return `no worker has workflow code ${entry.codeVersion}`;
  const labelled = sameCode.filter(({ labels }) => entry.labels.every((label) => labels.includes(label)));
  if (labelled.length === 0) return `no worker has the labels ${entry.labels.join(', ')}`;
  const places = labelled.flatMap((worker) => worker.places);
  const mismatches = places.flatMap((place) => mismatchReason(entry, place) ?? []);
  if (mismatches.length < places.length)
    return reasons.some((reason) => reason.test(entry.note ?? '')) ? entry.note : 'workers are busy';
  const own = places.filter(({ repository }) => repository === entry.repository);
  if (own.length === 0) return `no worker has the repository ${entry.repository}`;
  const mismatchesThere = own.flatMap((place) => mismatchReason(entry, place) ?? []);
  const size = entry.bound === undefined ? '' : ` (${entry.bound})`;
  return `no worker can do it: ${[...new Set(mismatchesThere)].slice(0, 3).join('; ')}${size}`;
}

export type WorkerEntry = {
  worker: string;
  host: string;
  pid: number;
  labels: string[];
  places: Place[];
  codeVersion: string;
  /** Seconds since its last heartbeat, by the server's clock. */
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
 * Sends a heartbeat and returns the seconds since the last one, by the server's clock. `undefined`: the others have
 * removed the worker and requeued its runs.
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
 * Removes workers whose heartbeats timed out and requeues their runs, with those that name an unknown
 * worker. Locked rows are left for the next time: nothing may wait while no worker can claim.
 * `judge` is the calling worker: late itself, it is not gone.
 */
export function removeStaleWorkers(
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
       WHERE state IN ('running', 'waiting') AND ${unclaimedSql}
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
