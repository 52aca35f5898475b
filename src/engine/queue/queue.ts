import type postgres from 'pg';
import { lacksDatabase, serverError } from '../engine-errors.ts';
import { sharedPool, silentLogger } from '../pools.ts';

/** The part of a shared store that says who works on what. */
export type Queue = {
  pool: postgres.Pool;
  /** Runs a body in one transaction; an error undoes all of it. */
  transaction<Result>(body: (client: postgres.PoolClient) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

/** Connects to the server and makes the database and the tables where they are missing. */
export async function openQueue(url: string): Promise<Queue> {
  const pool = sharedPool(url, {
    patienceMs: 30_000,
    connections: 6,
    // A process that is suspended in the middle of a transaction must not stop all others.
    idleTransactionMs: 5_000,
    // A lock wait fails before its client times out: a client that is gone would leave a server process waiting.
    lockMs: 5_000,
    name: 'charrette queue',
  });
  const queue: Queue = {
    pool,
    transaction: (body) => inTransaction(pool, body),
    close: () => pool.end(),
  };
  try {
    await prepare(queue).catch(async (error: unknown) => {
      if (!lacksDatabase(error)) throw error;
      const { ensurePGDatabase } = await import('@dbos-inc/dbos-sdk/internal/database_utils');
      await ensurePGDatabase(url, silentLogger);
      await prepare(queue);
    });
  } catch (cause) {
    await pool.end().catch(() => {});
    throw serverError(cause);
  }
  return queue;
}

async function prepare(queue: Queue): Promise<void> {
  // The last that was added to them.
  const { rowCount } = await queue.pool.query(
    "SELECT 1 FROM information_schema.columns WHERE table_schema = 'charrette' AND table_name = 'runs' AND column_name = 'forgotten'",
  );
  if (rowCount !== 0) return;
  // Two processes that make the same schema at the same time would fail one another.
  await queue.transaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [locks.tables]);
    await client.query(tables);
  });
}

async function inTransaction<Result>(
  pool: postgres.Pool,
  body: (client: postgres.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await body(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * What workers share in addition to the journal, in a separate schema. Every time in it is the server's: the clocks of the
 * workers' machines are never compared.
 */
export const tables = `
CREATE SCHEMA IF NOT EXISTS charrette;

CREATE TABLE IF NOT EXISTS charrette.workers (
  worker text PRIMARY KEY,
  host text NOT NULL,
  pid integer NOT NULL,
  labels text[] NOT NULL,
  places jsonb NOT NULL,
  code_version text NOT NULL,
  started timestamptz NOT NULL DEFAULT clock_timestamp(),
  beat timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE IF NOT EXISTS charrette.runs (
  run text PRIMARY KEY,
  workflow text NOT NULL,
  title text NOT NULL,
  code_version text NOT NULL,
  repository text NOT NULL,
  clone text NOT NULL,
  travels boolean NOT NULL,
  base_commit text,
  agents text[] NOT NULL,
  labels text[] NOT NULL,
  priority integer NOT NULL DEFAULT 0,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'waiting', 'ended')),
  worker text,
  at_clone text,
  epoch bigint NOT NULL DEFAULT 0,
  note text,
  queued timestamptz NOT NULL DEFAULT clock_timestamp(),
  taken timestamptz,
  ended timestamptz
);
ALTER TABLE charrette.runs ADD COLUMN IF NOT EXISTS bound text;
ALTER TABLE charrette.runs ADD COLUMN IF NOT EXISTS forgotten timestamptz;
CREATE INDEX IF NOT EXISTS runs_queued ON charrette.runs (priority DESC, queued, run) WHERE state = 'queued';
CREATE INDEX IF NOT EXISTS runs_open ON charrette.runs (worker) WHERE state IN ('running', 'waiting');
CREATE INDEX IF NOT EXISTS runs_taken ON charrette.runs (taken);
CREATE INDEX IF NOT EXISTS runs_ended ON charrette.runs (ended) WHERE state = 'ended' AND forgotten IS NULL;

CREATE TABLE IF NOT EXISTS charrette.messages (
  id bigserial PRIMARY KEY,
  run text NOT NULL REFERENCES charrette.runs ON DELETE CASCADE,
  body jsonb NOT NULL
);
CREATE INDEX IF NOT EXISTS messages_run ON charrette.messages (run);

CREATE TABLE IF NOT EXISTS charrette.turns (
  agent text NOT NULL,
  call text NOT NULL,
  worker text NOT NULL REFERENCES charrette.workers ON DELETE CASCADE,
  PRIMARY KEY (agent, call)
);
CREATE INDEX IF NOT EXISTS turns_worker ON charrette.turns (worker);

CREATE TABLE IF NOT EXISTS charrette.turn_starts (
  agent text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS turn_starts_at ON charrette.turn_starts (agent, at);

CREATE TABLE IF NOT EXISTS charrette.files (
  run text NOT NULL REFERENCES charrette.runs ON DELETE CASCADE,
  path text NOT NULL,
  position bigint NOT NULL,
  bytes bytea NOT NULL,
  digest text NOT NULL,
  change bigint NOT NULL,
  PRIMARY KEY (run, path, position)
);
CREATE INDEX IF NOT EXISTS files_change ON charrette.files (run, change);
CREATE SEQUENCE IF NOT EXISTS charrette.changes;
`;

/** Numbers of the advisory locks that keep decisions of several workers apart. */
export const locks = { tables: 7_301, claim: 7_302, turns: 7_303, answers: 7_304 } as const;
