import { retriablePostgresException } from '@dbos-inc/dbos-sdk/internal/system_database';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toCharretteError } from '../base/errors.ts';
import { embeddedPool } from './pools.ts';

let database: PGlite;
beforeAll(async () => {
  database = new PGlite();
  await database.waitReady;
}, 60_000);
afterAll(() => database.close());

test('a statement that failed at its first try works when it is asked again', async () => {
  const pool = embeddedPool(database);
  await pool.query('CREATE TABLE numbers (id int primary key)');
  await pool.query('INSERT INTO numbers VALUES (1)');
  const insert = (id: number) => pool.query('INSERT INTO numbers VALUES ($1)', [id]);
  await expect(insert(1)).rejects.toMatchObject({ code: '23505' });
  await insert(2);
  await expect(insert(2)).rejects.toMatchObject({ code: '23505' });
  await insert(3);
  const client = await pool.connect();
  await expect(client.query('SELECT 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
  await expect(client.query('SELECT 1 / $1::int AS one', [1])).resolves.toMatchObject({ rows: [{ one: 1 }] });
  client.release();
  const { rows } = await pool.query('SELECT id FROM numbers ORDER BY id');
  expect(rows).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
});

test('after a panic every query fails at once with its reason', async () => {
  const broken = new PGlite();
  await broken.waitReady;
  const pool = embeddedPool(broken);
  const client = await pool.connect();
  await client.query('BEGIN');
  const ask = broken.execProtocolRawStream.bind(broken);
  // What it says when its log cannot be written: the error, and not that it is ready.
  const words = 'SPANIC\0VPANIC\0C42501\0Mcould not write to log file: Read-only file system\0\0';
  const length = Buffer.alloc(4);
  length.writeUInt32BE(words.length + 4);
  broken.execProtocolRawStream = async (_message, { onRawData }) =>
    onRawData(Buffer.concat([Buffer.from('E'), length, Buffer.from(words)]));
  const refused = { code: 'EACCES', message: expect.stringContaining('Read-only file system') };
  await expect(client.query('COMMIT')).rejects.toMatchObject(refused);
  broken.execProtocolRawStream = ask;
  await expect(client.query('ROLLBACK')).rejects.toMatchObject(refused);
  await expect(client.query('SELECT $1::int', [1])).rejects.toMatchObject(refused);
  client.release(true);
  await expect(pool.query('SELECT 1')).rejects.toMatchObject(refused);
  await pool.end();
  await broken.close();
});

test.each([
  ['42501', 'permission-denied'],
  ['53100', 'disk-full'],
  ['53200', 'internal'],
  ['53000', 'internal'],
])('reports a machine that lacks or refuses resources (%s) instead of retrying', async (state, code) => {
  const pool = embeddedPool(database);
  const client = await pool.connect();
  const raise = `DO $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '${state}'; END $$`;
  for (const asked of [client.query(raise), client.query(raise, [])]) {
    const error = await asked.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Error);
    expect(retriablePostgresException(error)).toBe(false);
    expect(toCharretteError(error).code).toBe(code);
    // What the journal keeps of it.
    expect(toCharretteError(new Error((error as Error).message)).code).toBe(code);
  }
  client.release();
});
