import type postgres from 'pg';
import { lacksDatabase, serverError } from '../engine-errors.ts';
import { sharedPool } from '../shared-pool.ts';
import { silentLogger } from '../silent-logger.ts';
import { locks, tables } from './tables.ts';

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
