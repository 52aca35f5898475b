import type postgres from 'pg';
import { locks, type Queue } from './queue.ts';
import { entryColumns, entryOf, type QueueEntry } from './queued-run.ts';
import { heldNote, type Place, placeFor } from './workers.ts';

/**
 * Marks a waiting run as running again, if the limits that all workers share leave room for it; false: not now, or this
 * worker has lost it. Harmless when repeated.
 */
export function reactivateRun(
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

/** Limits over all workers: runs in parallel, and starts within a time. Default: unlimited. */
export type QueueLimits = {
  runs?: number | undefined;
  perRepository?: number | undefined;
  rate?: { runs: number; seconds: number } | undefined;
};

/** The running runs of all workers, and those started within the time of the rate limit. */
type Load = { atWork: number; byRepository: ReadonlyMap<string, number>; begun: number };

export type Claim<Candidate extends Place> = { entry: QueueEntry; place: Candidate };

/** The process that still has the directory of a run open: a removed worker that does not know it yet. */
type HolderAt<Candidate extends Place> = (run: string, place: Candidate) => number | undefined;

/** Of the runs that wait, in their order, those that may begin now, and where. */
export function chooseRuns<Candidate extends Place>(
  waiting: readonly QueueEntry[],
  places: readonly Candidate[],
  load: Load,
  limits: QueueLimits,
  most: number,
  isFree: (entry: QueueEntry, place: Candidate) => boolean = () => true,
): Claim<Candidate>[] {
  const chosen: Claim<Candidate>[] = [];
  const byRepository = new Map(load.byRepository);
  const free = freePlaces(load, limits, most);
  for (const entry of waiting) {
    if (chosen.length >= free) break;
    const busy = byRepository.get(entry.repository) ?? 0;
    if (busy >= (limits.perRepository ?? Number.POSITIVE_INFINITY)) continue;
    const place = placeFor(
      entry,
      places.filter((candidate) => isFree(entry, candidate)),
    );
    if (place === undefined) continue;
    chosen.push({ entry, place });
    byRepository.set(entry.repository, busy + 1);
  }
  return chosen;
}

function freePlaces(load: Load, limits: QueueLimits, most: number): number {
  return Math.min(
    most,
    (limits.runs ?? Number.POSITIVE_INFINITY) - load.atWork,
    (limits.rate?.runs ?? Number.POSITIVE_INFINITY) - load.begun,
  );
}

const pageSize = 20;

/** Takes runs for this worker; one worker decides at a time, so no limit is passed by two that count together. */
export function claimRuns<Candidate extends Place>(
  queue: Queue,
  worker: { id: string; labels: readonly string[]; places: readonly Candidate[]; codeVersion: string },
  limits: QueueLimits,
  most: number,
  holderAt: HolderAt<Candidate>,
): Promise<Claim<Candidate>[]> {
  return queue.transaction(async (client) => {
    // What the server expects of conditions on lists is far too few: it would sort all that wait to take the first of them.
    await client.query("SELECT pg_advisory_xact_lock($1), set_config('enable_sort', 'off', true)", [
      locks.claim,
    ]);
    // A worker that the others removed meanwhile must not claim anything. Its heartbeat may continue.
    const known = await client.query('SELECT 1 FROM charrette.workers WHERE worker = $1 FOR KEY SHARE', [
      worker.id,
    ]);
    if (known.rowCount === 0) return [];
    const load = await readLoad(client, limits);
    const free = freePlaces(load, limits, most);
    if (free <= 0) return [];
    const held = new Map<string, number>();
    const isFree = ({ run, epoch }: QueueEntry, place: Candidate) => {
      // Two processes in one directory would write over each other, whatever the store lets them do.
      const holder = epoch === 0 ? undefined : holderAt(run, place);
      if (holder !== undefined) held.set(run, holder);
      return holder === undefined;
    };
    const waiting: QueueEntry[] = [];
    let chosen: Claim<Candidate>[] = [];
    // Runs that cannot begin now must not hide those behind them.
    for (let more = true; more && chosen.length < free; ) {
      const count = Math.max(free, pageSize, waiting.length);
      const page = await readWaiting(client, worker, waiting, fullRepositories(load, limits), count);
      waiting.push(...page);
      chosen = chooseRuns(waiting, worker.places, load, limits, most, isFree);
      more = page.length === count;
    }
    for (const { entry } of chosen) held.delete(entry.run);
    for (const [run, holder] of held)
      await client.query('UPDATE charrette.runs SET note = $2 WHERE run = $1 AND note IS DISTINCT FROM $2', [
        run,
        heldNote(holder),
      ]);
    const claims: Claim<Candidate>[] = [];
    for (const { entry, place } of chosen) {
      const { rows } = await client.query(
        `UPDATE charrette.runs
         SET state = 'running', worker = $2, epoch = epoch + 1, taken = clock_timestamp(), note = NULL
         WHERE run = $1 RETURNING ${entryColumns}`,
        [entry.run, worker.id],
      );
      for (const row of rows) claims.push({ entry: entryOf(row), place });
    }
    return claims;
  });
}

function fullRepositories({ byRepository }: Load, { perRepository }: QueueLimits): string[] {
  if (perRepository === undefined) return [];
  return [...byRepository].flatMap(([repository, runs]) => (runs >= perRepository ? [repository] : []));
}

/** Counts the runs of all workers. */
async function readLoad(client: postgres.PoolClient, { rate }: QueueLimits): Promise<Load> {
  const busy = await client.query(
    "SELECT repository, count(*) AS runs FROM charrette.runs WHERE state = 'running' GROUP BY repository",
  );
  const byRepository = new Map(busy.rows.map((row) => [String(row.repository), Number(row.runs)]));
  const atWork = [...byRepository.values()].reduce((sum, runs) => sum + runs, 0);
  if (rate === undefined) return { atWork, byRepository, begun: 0 };
  // The time of the statement is a constant that an index can be asked for; the time of the clock is not.
  const begun = await client.query(
    'SELECT count(*) AS runs FROM charrette.runs WHERE taken > statement_timestamp() - make_interval(secs => $1)',
    [rate.seconds],
  );
  return { atWork, byRepository, begun: Number(begun.rows[0]?.runs) };
}

/** The next runs that the worker could execute: the same conditions as in `mismatchReason`. Skips locked rows. */
async function readWaiting(
  client: postgres.PoolClient,
  worker: { labels: readonly string[]; places: readonly Place[]; codeVersion: string },
  seen: readonly QueueEntry[],
  full: readonly string[],
  count: number,
): Promise<QueueEntry[]> {
  const values: unknown[] = [worker.codeVersion, worker.labels, seen.map(({ run }) => run), full, count];
  // A condition for each place rather than a table of them, which would have the server sort all that waits.
  const fits = worker.places.map((place) => {
    const { agents, clone, repository, head = null } = place;
    const [a, c, r, h] = [agents, clone, repository, head].map((value) => `$${values.push(value)}`);
    return `(agents <@ ${a} AND (clone = ${c} OR (travels AND repository = ${r} AND base_commit IS NOT DISTINCT FROM ${h})))`;
  });
  const { rows } = await client.query(
    `SELECT ${entryColumns} FROM charrette.runs
     WHERE state = 'queued' AND code_version = $1 AND labels <@ $2 AND run <> ALL($3) AND repository <> ALL($4)
       AND (${fits.join(' OR ') || 'false'})
     ORDER BY priority DESC, queued, run LIMIT $5
     FOR NO KEY UPDATE SKIP LOCKED`,
    values,
  );
  return rows.map(entryOf);
}

/** Records which clone has the newest directory of a run; false: another worker has the run. */
export async function setClone(
  { pool }: Queue,
  claim: { run: string; epoch: number },
  clone: string,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    'UPDATE charrette.runs SET at_clone = $3 WHERE run = $1 AND epoch = $2',
    [claim.run, claim.epoch, clone],
  );
  return rowCount === 1;
}

/** Records the state of a claimed run; false: another worker has it. An ended run stays ended. */
export async function setState(
  { pool }: Queue,
  claim: { run: string; epoch: number },
  state: 'running' | 'waiting' | 'ended',
  note?: string,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE charrette.runs
     SET state = $3, note = $4,
         worker = CASE WHEN $3 = 'ended' THEN NULL ELSE worker END,
         ended = CASE WHEN $3 = 'ended' THEN clock_timestamp() ELSE NULL END
     WHERE run = $1 AND epoch = $2 AND (state <> 'ended' OR $3 = 'ended')`,
    [claim.run, claim.epoch, state, note ?? null],
  );
  return rowCount === 1;
}

/** The runs that a worker holds as the store knows it: more than it knows of when the answer to a claim was lost. */
export async function heldRuns({ pool }: Queue, worker: string): Promise<{ run: string; epoch: number }[]> {
  const { rows } = await pool.query(
    `SELECT run, epoch FROM charrette.runs WHERE worker = $1 AND state IN ('running', 'waiting') ORDER BY run`,
    [worker],
  );
  return rows.map((row) => ({ run: String(row.run), epoch: Number(row.epoch) }));
}

/**
 * Gives a run back to the queue, unless it has ended; one that asks keeps waiting for its answer there. `behind`: after all that
 * wait by now, so that a run that cannot begin keeps none of them from doing so.
 */
export async function handBack(
  { pool }: Queue,
  claim: { run: string; epoch: number },
  note: string,
  behind = false,
): Promise<void> {
  await pool.query(
    `UPDATE charrette.runs SET state = 'queued', worker = NULL, note = $3, epoch = epoch + 1,
       queued = CASE WHEN $4 THEN clock_timestamp() ELSE queued END
     WHERE run = $1 AND epoch = $2 AND state <> 'ended'`,
    [claim.run, claim.epoch, note, behind],
  );
}
