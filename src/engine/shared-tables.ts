import { setTimeout as sleep } from 'node:timers/promises';
import { ensurePGDatabase } from '@dbos-inc/dbos-sdk/internal/database_utils';
import { ensureSystemDatabase, verifySystemDatabase } from '@dbos-inc/dbos-sdk/internal/system_database';
import { GlobalLogger } from '@dbos-inc/dbos-sdk/internal/telemetry/logs';
import type { Pool, PoolClient } from 'pg';
import { silentLogger } from './silent-logger.ts';

/** Any number will do, as long as nothing else on the server takes it. */
const lockNumber = 7_203_118_645;
const lockTries = 600;
const lockPauseMs = 100;

/**
 * Makes the database and its tables where they are missing, one process after another: several that find a new server at
 * the same time would be in each other's way and fail.
 */
export async function prepareTables(url: string, pool: Pool): Promise<void> {
  const logger = new GlobalLogger(undefined, { logger: silentLogger });
  const isReady = await verifySystemDatabase(url, logger, pool).then(
    () => true,
    () => false,
  );
  if (isReady) return;
  await ensurePGDatabase(url, silentLogger);
  const client = await pool.connect();
  // A broken connection fails its next query.
  const ignore = () => {};
  client.on('error', ignore);
  try {
    await lock(client);
    await ensureSystemDatabase(url, logger, pool);
  } finally {
    client.removeListener('error', ignore);
    // The lock goes with the connection.
    client.release(true);
  }
}

/** Polls instead of waiting in the server: a connection that is silent too long counts as dead. */
async function lock(client: PoolClient): Promise<void> {
  for (let tries = 0; tries < lockTries; tries += 1) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS held', [lockNumber]);
    if (rows[0]?.held === true) return;
    await sleep(lockPauseMs);
  }
}
