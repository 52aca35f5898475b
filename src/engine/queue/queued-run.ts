import type postgres from 'pg';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { RunRecord } from '../run-record.ts';
import { writeParts } from './mirror.ts';
import type { Queue } from './queue.ts';

const path = 'run.json';

/** Changes fields of the record that the store has of a run; of a run that stays in its clone it has none. */
export async function changeStoredRecord(
  client: postgres.PoolClient,
  run: string,
  change: Partial<RunRecord>,
): Promise<void> {
  const { rows } = await client.query('SELECT bytes FROM charrette.files WHERE run = $1 AND path = $2', [
    run,
    path,
  ]);
  const reading = readJson(String(rows[0]?.bytes ?? ''));
  // A damaged record is reported when it is restored.
  if (!reading.ok || !isRecord(reading.value)) return;
  const bytes = Buffer.from(`${JSON.stringify({ ...reading.value, ...change }, null, 2)}\n`);
  await writeParts(client, run, [path], [{ path, position: 0, bytes }]);
}

/** What has to be known of a run to give it to a worker that can do it. */
export type QueuedRun = {
  run: string;
  workflow: string;
  title: string;
  codeVersion: string;
  /** The repository, the same for every clone of it. */
  repository: string;
  /** The clone that the run was queued in. */
  clone: string;
  /** False: what it does stays in its clone, so only workers there may have it. */
  travels: boolean;
  baseCommit?: string | undefined;
  /** Agents that it needs, by id. */
  agents: readonly string[];
  /** Labels that a worker must carry. */
  labels: readonly string[];
  /** Higher goes first. */
  priority: number;
};

/** `queued` for a worker, `running` in one, `waiting` for answers while a worker holds it, `ended`. */
export type QueueState = 'queued' | 'running' | 'waiting' | 'ended';

export type QueueEntry = QueuedRun & {
  state: QueueState;
  worker?: string;
  /** The clone whose run directory is the newest. */
  atClone?: string;
  /** Goes up whenever the run changes hands; who has an older one has lost the run. */
  epoch: number;
  /** Why it is in this state, where that needs words. */
  note?: string;
  /** Why it can no longer leave its clone, when it could at first. */
  bound?: string;
  /** It ended so long ago that nothing but this entry is left of it in the store; `note` says how it ended. */
  forgotten?: true;
};

type Row = Record<string, unknown>;

export const entryColumns =
  'run, workflow, title, code_version, repository, clone, travels, base_commit, agents, labels, priority, state, worker, at_clone, epoch, note, bound, forgotten';

export function entryOf(row: Row): QueueEntry {
  const optional = (name: string) => (row[name] === null ? undefined : String(row[name]));
  const [baseCommit, worker, atClone, note, bound] = [
    'base_commit',
    'worker',
    'at_clone',
    'note',
    'bound',
  ].map(optional);
  return {
    run: String(row['run']),
    workflow: String(row['workflow']),
    title: String(row['title']),
    codeVersion: String(row['code_version']),
    repository: String(row['repository']),
    clone: String(row['clone']),
    travels: row['travels'] === true,
    agents: row['agents'] as string[],
    labels: row['labels'] as string[],
    priority: Number(row['priority']),
    state: row['state'] as QueueState,
    epoch: Number(row['epoch']),
    ...(baseCommit === undefined ? {} : { baseCommit }),
    ...(worker === undefined ? {} : { worker }),
    ...(atClone === undefined ? {} : { atClone }),
    ...(note === undefined ? {} : { note }),
    ...(bound === undefined ? {} : { bound }),
    ...(row['forgotten'] === null ? {} : { forgotten: true }),
  };
}

/** Puts a run in the queue. */
export async function enqueue(db: Queue['pool'] | postgres.PoolClient, run: QueuedRun): Promise<void> {
  await db.query(
    `INSERT INTO charrette.runs
       (run, workflow, title, code_version, repository, clone, travels, base_commit, agents, labels, priority, at_clone)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $6)`,
    [
      run.run,
      run.workflow,
      run.title,
      run.codeVersion,
      run.repository,
      run.clone,
      run.travels,
      run.baseCommit ?? null,
      run.agents,
      run.labels,
      run.priority,
    ],
  );
}

/**
 * The condition for runs without a worker: a worker whose row is gone holds nothing. It begins with an OR so that it is
 * not a join: for a run that changed while its lock was waited for, the server would not check the workers again.
 */
export const unclaimedSql =
  '(runs.worker IS NULL OR NOT EXISTS (SELECT 1 FROM charrette.workers WHERE workers.worker = runs.worker))';

/** Requeues a run that no worker holds; false: a worker holds it, or the queue does not have it. */
export async function requeue(
  { pool }: { pool: Queue['pool'] | postgres.PoolClient },
  run: string,
): Promise<boolean> {
  // A cancel that came when the run had just ended was about then, not about now.
  const { rowCount } = await pool.query(
    `WITH again AS (
       UPDATE charrette.runs
       SET state = 'queued', note = NULL, ended = NULL, forgotten = NULL, worker = NULL, epoch = epoch + 1
       WHERE run = $1 AND ${unclaimedSql} RETURNING run
     ), late AS (
       DELETE FROM charrette.messages WHERE run IN (SELECT run FROM again) AND body->>'type' = 'cancel'
     )
     SELECT run FROM again`,
    [run],
  );
  return rowCount === 1;
}

/** Takes a run that no worker holds out of the queue; false: a worker holds it, or the queue does not have it. */
export async function withdraw({ pool }: Queue, run: string, note: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE charrette.runs SET state = 'ended', note = $2, ended = clock_timestamp(), worker = NULL, epoch = epoch + 1
     WHERE run = $1 AND ${unclaimedSql} AND state <> 'ended'`,
    [run, note],
  );
  return rowCount === 1;
}

/** What the queue knows of these runs. */
export async function readEntries({ pool }: Queue, runs: readonly string[]): Promise<QueueEntry[]> {
  const { rows } = await pool.query(
    `SELECT ${entryColumns} FROM charrette.runs WHERE run = ANY($1) ORDER BY run`,
    [runs],
  );
  return rows.map(entryOf);
}

/**
 * Removes the files of runs that ended so long ago; returns their number. How a run ended stays: a late reader must
 * not mistake it for a run that never started. Resumed, it continues where its directory is.
 */
export async function forgetEnded({ pool }: Queue, days: number): Promise<number> {
  const { rows } = await pool.query(
    `WITH old AS (
       UPDATE charrette.runs
       SET forgotten = clock_timestamp(), travels = false, clone = COALESCE(at_clone, clone), bound = COALESCE(bound, $2)
       WHERE state = 'ended' AND forgotten IS NULL AND ended < statement_timestamp() - make_interval(secs => $1)
       RETURNING run
     ),
     files AS (DELETE FROM charrette.files WHERE run IN (SELECT run FROM old)),
     messages AS (DELETE FROM charrette.messages WHERE run IN (SELECT run FROM old))
     SELECT count(*) AS runs FROM old`,
    [days * 86_400, 'its files have left the store'],
  );
  return Number(rows[0]?.runs);
}
