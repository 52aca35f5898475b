// Prepares the data directory that the embedded store starts from: database made, engine tables migrated, as small as
// it gets. Written to dist/store-template.tar.gz, or to the path given.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import pg from 'pg';

const target = process.argv[2] ?? fileURLToPath(new URL('../dist/store-template.tar.gz', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'charrette-template-'));
const database = new PGlite({
  dataDir: path.join(folder, 'data'),
  initDbStartParams: ['--wal-segsize=1', '--no-sync'],
  postgresqlconf: [
    'shared_buffers=4MB',
    'min_wal_size=2MB',
    'max_wal_size=8MB',
    'wal_level=minimal',
    'max_wal_senders=0',
  ],
});
await database.waitReady;
DBOS.setConfig({
  name: 'charrette',
  systemDatabasePool: new pg.Pool({ ...createPgConfig(database), max: 1 }),
  useListenNotify: false,
  logLevel: 'error',
  executorID: 'template',
  applicationVersion: 'template',
});
await DBOS.launch();
await DBOS.shutdown();
// The template databases of PostgreSQL are of no use in a private store.
for (const statement of [
  'UPDATE pg_database SET datistemplate = false',
  'DROP DATABASE template0',
  'DROP DATABASE template1',
  'DELETE FROM dbos.application_versions',
  'VACUUM FULL',
  'CHECKPOINT',
  'CHECKPOINT',
]) {
  await database.exec(statement);
}
const archive = await database.dumpDataDir('gzip');
writeFileSync(target, Buffer.from(await archive.arrayBuffer()));
await database.close();
rmSync(folder, { recursive: true, force: true });
