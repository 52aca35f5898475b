import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import type { Pool } from 'pg';
import type { Home } from '../../src/engine/run-directory.ts';
import { lookAtProcess, type ProcessLook } from './process-look.ts';

/** Memory, handles and store size of an idle process. Bytes. */
export type Look = ProcessLook & {
  seconds: number;
  /** Of the tables, with their indexes. */
  tables: number;
  /** Of all that the store takes, logs included where they are ours. */
  disk: number;
  rows: number;
};

const begun = performance.now();

export async function look(home: Home, isEmbedded: boolean): Promise<Look> {
  const pool = journalPool();
  return {
    seconds: (performance.now() - begun) / 1000,
    // Open files of the embedded server itself do not count.
    ...(await lookAtProcess(isEmbedded ? home.store : undefined)),
    tables: await tableBytes(pool),
    disk: isEmbedded
      ? sizeOf(home.store)
      : await numberOf(pool, 'SELECT pg_database_size(current_database()) AS number'),
    rows: await rowCount(pool),
  };
}

/** The connections of the engine's journal: the embedded store has no others. */
export function journalPool(): Pool {
  const pool = (DBOSExecutor.globalInstance?.systemDatabase as { pool?: Pool } | undefined)?.pool;
  if (pool === undefined) throw new Error('the engine is not open');
  return pool;
}

const ours = "('dbos', 'charrette')";

/** Vacuums freed space first: only space in use counts. */
async function tableBytes(pool: Pool): Promise<number> {
  await pool.query('VACUUM');
  return numberOf(
    pool,
    `SELECT sum(pg_total_relation_size(c.oid)) AS number FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname IN ${ours}`,
  );
}

/** Of every table of the journal and the queue. */
async function rowCount(pool: Pool): Promise<number> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
     WHERE table_schema IN ${ours} AND table_type = 'BASE TABLE'`,
  );
  const counts = tables.map(({ name }) => `(SELECT count(*) FROM ${name})`);
  return numberOf(pool, `SELECT ${counts.join(' + ')} AS number`);
}

async function numberOf(pool: Pool, query: string): Promise<number> {
  const { rows } = await pool.query<{ number: string | number }>(query);
  return Number(rows[0]?.number);
}

function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const { size } = statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false }) ?? {
      size: 0,
    };
    if (entry.isFile()) bytes += size;
  }
  return bytes;
}
