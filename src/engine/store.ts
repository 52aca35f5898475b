import { existsSync } from 'node:fs';
import { access, constants, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { DBOS, type DBOSConfig } from '@dbos-inc/dbos-sdk';
import { ensurePGDatabase } from '@dbos-inc/dbos-sdk/internal/database_utils';
import { ensureSystemDatabase, verifySystemDatabase } from '@dbos-inc/dbos-sdk/internal/system_database';
import { GlobalLogger } from '@dbos-inc/dbos-sdk/internal/telemetry/logs';
import type { Pool, PoolClient } from 'pg';
import { CharretteError, toCharretteError } from '../base/errors.ts';
import { heldOnOtherHost } from './engine-errors.ts';
import { isForeign, type Lock, type ProcessIdentity, tryLock } from './lock.ts';
import { keepBaselineCode, sharedPool, silentLogger } from './pools.ts';
import type { Home } from './run-directory.ts';

/** What the embedded database may write when it opens: a segment of its log and some more. */
const openingBytes = 20 * 1024 * 1024;

/**
 * Throws what keeps any program from using the store: no room, no permission, no memory, no more open files. The embedded database
 * itself says of none of them why it did not open.
 */
export async function requireUsable(home: Home, failure: unknown): Promise<void> {
  // What the runtime has too little memory for is refused with this.
  if (failure instanceof RangeError) throw failure;
  const probe = `${home.store}.room`;
  try {
    await writeFile(probe, Buffer.alloc(openingBytes), { mode: 0o600 });
  } finally {
    await rm(probe, { force: true });
  }
  const { R_OK, W_OK } = constants;
  await access(home.store, R_OK | W_OK);
  for (const name of await readdir(home.store, { recursive: true }))
    await access(path.join(home.store, name), R_OK | W_OK);
}

/** The machinery's memory: PostgreSQL in this process, or a server that several processes share. */
export type StoreSetting = 'embedded' | SharedSetting;

/** `patienceSeconds`: how long a run waits for a server that stopped answering. */
type SharedSetting = { url: string; patienceSeconds?: number | undefined };

const defaultPatienceSeconds = 300;

/** An open store as the durable engine wants it. */
export type Store = {
  kind: 'embedded' | 'shared';
  settings: Partial<DBOSConfig>;
  /** Makes what must be there before the engine starts. */
  prepare?(): Promise<void>;
  /** A server can become unreachable: polls it, and how long to wait for it. */
  server?: { ask(): Promise<unknown>; patienceMs: number };
  /** Told after journals of so many runs were removed; gives their room back. */
  tidy(removed: number): Promise<void>;
  close(): Promise<void>;
};

type StoreOpening = { opened: true; store: Store } | { opened: false; holder: ProcessIdentity };

/** Opens the store, or says which process holds the embedded one. */
export async function openStore(home: Home, setting: StoreSetting): Promise<StoreOpening> {
  if (setting !== 'embedded') return { opened: true, store: await openShared(setting) };
  const attempt = await tryLock(home.lock);
  if (!attempt.held && isForeign(attempt.holder)) throw heldOnOtherHost(attempt.holder, home.lock);
  if (!attempt.held) return { opened: false, holder: attempt.holder };
  try {
    return { opened: true, store: await openEmbedded(home, attempt.lock) };
  } catch (error) {
    attempt.lock.release();
    throw error;
  }
}

async function openShared({ url, patienceSeconds = defaultPatienceSeconds }: SharedSetting): Promise<Store> {
  const { dbRetryConfig } = await import('@dbos-inc/dbos-sdk/internal/utils');
  // A server that is back is noticed within seconds, not after a minute and a half.
  Object.assign(dbRetryConfig, { initialBackoffSec: 0.2, maxBackoffSec: 3 });
  const patienceMs = patienceSeconds * 1000;
  const pool = sharedPool(url, { patienceMs });
  // A separate connection: a busy process that waits for one of the others has not lost its server.
  const asking = sharedPool(url, { patienceMs, connections: 1 });
  return {
    kind: 'shared',
    settings: { systemDatabaseUrl: url, systemDatabasePool: pool },
    prepare: () => prepareTables(url, pool),
    server: { ask: () => asking.query('SELECT 1'), patienceMs },
    // A server tidies automatically.
    tidy: async () => {},
    // Connections in use belong to stopped work; no one waits for their answers.
    close: async () => {
      for (const connections of [pool, asking]) void connections.end().catch(() => {});
    },
  };
}

async function openEmbedded(home: Home, lock: Lock): Promise<Store> {
  const [{ PGlite }, { embeddedPool }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('./pools.ts'),
    unpackTemplate(home),
  ]);
  // Our lock proves that no process has it open. A process killed while it wrote this file left it empty, which is refused.
  await rm(path.join(home.store, 'postmaster.pid'), { force: true });
  keepBaselineCode();
  const database = new PGlite({ dataDir: home.store });
  try {
    await database.waitReady;
    await database.query('SELECT 1');
  } catch (error) {
    // Keeps the store in place when something else is the cause.
    await requireUsable(home, error);
    throw await setCorruptStoreAside(home, error);
  }
  const pool = embeddedPool(database);
  let removed = 0;
  return {
    kind: 'embedded',
    // One connection serves everything, so nothing may hold it to listen; waits poll instead.
    settings: { systemDatabasePool: pool, useListenNotify: false, systemDatabasePollingConcurrency: 1 },
    async tidy(count) {
      removed += count;
      if (removed < tidyEvery) return;
      removed = 0;
      await tidyEmbedded(pool);
    },
    async close() {
      await pool.end().catch(() => {});
      await database.close().catch(() => {});
      lock.release();
    },
  };
}

/** Runs whose journals go before the embedded database is tidied: it has no background processes that would do it. */
const tidyEvery = 20;

/** Room of deleted rows is used again only after VACUUM, and the log of changes is cut only at a checkpoint. */
async function tidyEmbedded(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'dbos'",
  );
  // By name: the catalogues hardly change, and going through them would open two hundred files more.
  await pool.query(`VACUUM ${rows.map(({ name }) => name).join(', ')}`);
  await pool.query('CHECKPOINT');
}

/** A prepared data directory spares the first run the making of a database; it is put in place whole or not at all. */
async function unpackTemplate(home: Home): Promise<void> {
  if (existsSync(home.store)) return;
  const template = await findTemplate();
  if (template === undefined) return;
  const { parseTar } = await import('nanotar');
  const staging = `${home.store}.new`;
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true, mode: 0o700 });
  const entries = parseTar(await promisify(gunzip)(template));
  for (const entry of entries) {
    const target = path.join(staging, entry.name);
    if (entry.type === 'directory') await mkdir(target, { recursive: true, mode: 0o700 });
  }
  await Promise.all(
    entries
      .filter((entry) => entry.type === 'file')
      .map((entry) =>
        writeFile(path.join(staging, entry.name), entry.data ?? new Uint8Array(), { mode: 0o600 }),
      ),
  );
  await rename(staging, home.store);
}

/** Next to the bundle; sources run without one and create a database instead. */
async function findTemplate(): Promise<Uint8Array | undefined> {
  for (const place of [
    'store-template.tar.gz',
    '../store-template.tar.gz',
    '../../dist/store-template.tar.gz',
  ]) {
    const file = new URL(place, import.meta.url);
    if (existsSync(file)) return readFile(file);
  }
  return undefined;
}

async function setCorruptStoreAside(home: Home, cause: unknown): Promise<CharretteError> {
  let copy = `${home.store}.corrupt`;
  for (let number = 2; existsSync(copy); number += 1) copy = `${home.store}.corrupt-${number}`;
  await rename(home.store, copy);
  return new CharretteError({
    code: 'store-corrupt',
    message: `The embedded store ${home.store} cannot be opened; it was moved to ${copy}. The records of all runs are intact.`,
    fix: 'Run the same command again: a new store is made, and `charrette resume RUN` rebuilds a run from its directory without repeating finished calls.',
    cause,
  });
}

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

export type JournalOptions = {
  store: Store;
  /** Names of the main workflows. */
  workflows: readonly string[];
  /** Whether the run has a directory whose record is not final; only the embedded store has the directories of all runs. */
  isOpen: (runId: string) => boolean;
  /** How long the journal of an ended run stays. */
  keptMs?: number | undefined;
};

/** On a shared store another process may still ask how a run ended; the embedded one has a single user. */
const usuallyKeptMs = { embedded: 0, shared: 600_000 } as const;
const firstSweepMs = 1000;
const sweepMs = 60_000;
const maxAtOnce = 200;
const momentMs = 50;

/**
 * Removes from the store what nothing will ask for again. The directory of a run is its record; the journal is only
 * needed to continue, and a failed run continues from its directory. Without this a store grows with every run ever made.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #keptMs: number;
  #timer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();
  #work: Promise<unknown> = Promise.resolve();
  #leaving: string[] = [];

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#keptMs = options.keptMs ?? usuallyKeptMs[options.store.kind];
  }

  start(): void {
    // What is not kept goes at once; a sweep finds only what a crash or a removal left.
    const pause = this.#keptMs === 0 ? sweepMs : Math.min(sweepMs, Math.max(firstSweepMs, this.#keptMs));
    const sweep = (delay: number) => {
      this.#timer = setTimeout(() => {
        this.#afterOthers(() => this.#sweep());
        sweep(pause);
      }, delay).unref();
    };
    sweep(firstSweepMs);
  }

  /**
   * Removes the journal of this run if it has ended; where journals are kept for a while, that is left to a later sweep. It
   * happens a moment later: waiters for the run continue first, and runs that end together are removed together.
   */
  forget(runId: string): void {
    if (this.#keptMs !== 0) return;
    this.#leaving.push(runId);
    if (this.#leaving.length > 1) return;
    this.#afterOthers(async () => {
      await sleep(momentMs, undefined, { signal: this.#closing.signal }).catch(() => {});
      const ids = this.#leaving.splice(0);
      for (let at = 0; at < ids.length; at += maxAtOnce)
        await this.#removeEnded({ workflowIDs: ids.slice(at, at + maxAtOnce) });
    });
  }

  /** Ends the sweeps and finishes what was begun. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort();
    await this.#work;
  }

  #afterOthers(work: () => Promise<unknown>): void {
    // A store that cannot be reached now is swept another time.
    this.#work = this.#work.then(work).catch(() => {});
  }

  async #sweep(): Promise<void> {
    await this.#removeEnded({ completedBefore: new Date(Date.now() - this.#keptMs).toISOString() });
    if (this.#options.store.kind === 'embedded') await this.#removeUnknown();
  }

  async #removeEnded(which: { workflowIDs?: string[]; completedBefore?: string }): Promise<void> {
    await this.#remove(await this.#list({ ...which, status: ['SUCCESS', 'ERROR', 'CANCELLED'] }));
  }

  /** Runs that were removed before they ended, and those whose process died between their end and the store's knowing it. */
  async #removeUnknown(): Promise<void> {
    const open = await this.#list({ status: ['PENDING', 'ENQUEUED'] });
    await this.#remove(open.filter((id) => !this.#options.isOpen(id)));
  }

  /** Runs without a parent: a resumed parent replays its steps and needs its children. */
  async #list(which: Parameters<typeof DBOS.listWorkflows>[0]): Promise<string[]> {
    const found = await DBOS.listWorkflows({
      ...which,
      workflowName: [...this.#options.workflows],
      hasParent: false,
      limit: maxAtOnce,
      loadInput: false,
      loadOutput: false,
    });
    return found.map(({ workflowID }) => workflowID);
  }

  async #remove(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await DBOS.deleteWorkflows(ids, true);
    await this.#options.store.tidy(ids.length);
  }
}

/** Whether a step failed on a full disk: replaying that journal would fail again, however much room there is now. */
export async function hasDiskFullError(runs: readonly string[]): Promise<boolean> {
  const steps = await Promise.all(runs.map((id) => DBOS.listWorkflowSteps(id)));
  const errors = steps.flatMap((list) => list ?? []).map(({ error }) => error);
  return errors.some((error) => error != null && toCharretteError(error).code === 'disk-full');
}
