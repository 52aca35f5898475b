import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type postgres from 'pg';
import { CharretteError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { containedPath } from '../../base/files/bounded.ts';
import {
  isPortable,
  listRunFiles,
  type RunDirectory,
  type RunFile,
  relocateInputs,
} from '../run-directory.ts';
import { readRunRecord, updateRunRecord } from '../run-record.ts';
import type { Queue } from './queue.ts';

/** The run belongs to another worker; its last one must not write anything any more. */
export class RunLostError extends Error {
  constructor(run: string) {
    super(`The run ${run} was given to another worker.`);
    this.name = 'RunLostError';
  }
}

/** Larger ones are not copied to the store, and the run stays with its clone. */
export const mirrorBounds = { file: 8 * 1024 * 1024, run: 64 * 1024 * 1024 } as const;

/** A piece of a file: from where on, and what. Files that only grow are kept in pieces, others whole. */
type Part = { path: string; position: number; bytes: Buffer };

/**
 * The files of a run in the store, brought up to date before a step counts as done. In the same transaction it is
 * checked that the run is still ours: what a worker writes that has lost its run never gets here.
 */
export class RunMirror {
  readonly #queue: Queue;
  readonly #claim: { run: string; epoch: number };
  readonly #root: string;
  readonly #known = new Map<string, RunFile>();
  /** False: only whose the run is gets checked. */
  #copies: boolean;
  #current: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(queue: Queue, claim: { run: string; epoch: number }, root: string, copies: boolean) {
    this.#queue = queue;
    this.#claim = claim;
    this.#root = root;
    this.#copies = copies;
  }

  /** Copies everything that is written by now. One check serves all callers that ask before it begins. */
  keep(): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined;
      const looking = this.#copies ? this.#copy() : this.#check(this.#queue.pool);
      this.#current = looking.catch(() => {});
      return looking;
    });
    return this.#next;
  }

  async #copy(): Promise<void> {
    const files = await listRunFiles(this.#root);
    const tooMuch = excess(files);
    if (tooMuch !== undefined) return this.#stay(tooMuch);
    const changed = files.filter((file) => !isSame(this.#known.get(file.path), file));
    const present = new Set(files.map((file) => file.path));
    const gone = [...this.#known.keys()].filter((name) => !present.has(name));
    if (changed.length === 0 && gone.length === 0) return this.#check(this.#queue.pool);
    const read = await Promise.all(changed.map((file) => this.#read(file)));
    const parts = read.flatMap(({ part }) => part ?? []);
    const replaced = [...gone, ...parts.filter(({ position }) => position === 0).map((part) => part.path)];
    await this.#queue.transaction(async (client) => {
      await this.#check(client);
      await writeParts(client, this.#claim.run, replaced, parts);
    });
    for (const { file } of read) this.#known.set(file.path, file);
    for (const name of gone) this.#known.delete(name);
  }

  /** What is new of a file. */
  async #read(file: RunFile): Promise<{ file: RunFile; part: Part[] }> {
    const known = this.#known.get(file.path);
    const grown = known !== undefined && known.inode === file.inode && known.size < file.size;
    const position = grown && file.path.endsWith('.jsonl') ? known.size : 0;
    const bytes = await readFrom(path.join(this.#root, file.path), position, file.size - position);
    if (bytes === undefined) return { file, part: [] };
    return {
      file: { ...file, size: position + bytes.length },
      part: [{ path: file.path, position, bytes }],
    };
  }

  /** Too large to travel: from here on the run belongs to the clone it is worked on in, wherever it was queued. */
  async #stay(reason: string): Promise<void> {
    const { rowCount } = await this.#queue.pool.query(
      `UPDATE charrette.runs SET travels = false, clone = COALESCE(at_clone, clone), bound = $3
       WHERE run = $1 AND epoch = $2`,
      [this.#claim.run, this.#claim.epoch, reason],
    );
    if (rowCount === 0) throw new RunLostError(this.#claim.run);
    this.#copies = false;
  }

  async #check(db: Pick<postgres.PoolClient, 'query'>): Promise<void> {
    const { rowCount } = await db.query(
      'SELECT 1 FROM charrette.runs WHERE run = $1 AND epoch = $2 FOR SHARE',
      [this.#claim.run, this.#claim.epoch],
    );
    if (rowCount === 0) throw new RunLostError(this.#claim.run);
  }
}

/** Copies all files of a run that is being put into the queue, or gives the reason why they are too large to travel. */
export async function copyRun(
  client: postgres.PoolClient,
  run: string,
  root: string,
): Promise<string | undefined> {
  const files = await listRunFiles(root);
  const tooMuch = excess(files);
  if (tooMuch !== undefined) return tooMuch;
  const parts = await Promise.all(
    files.map(async (file): Promise<Part[]> => {
      const bytes = await readFrom(path.join(root, file.path), 0, file.size);
      return bytes === undefined ? [] : [{ path: file.path, position: 0, bytes }];
    }),
  );
  await writeParts(
    client,
    run,
    files.map((file) => file.path),
    parts.flat(),
  );
  return undefined;
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export async function writeParts(
  client: postgres.PoolClient,
  run: string,
  replaced: readonly string[],
  parts: readonly Part[],
): Promise<void> {
  if (replaced.length > 0)
    await client.query('DELETE FROM charrette.files WHERE run = $1 AND path = ANY($2)', [run, replaced]);
  if (parts.length === 0) return;
  // A piece that is there already was written by a transaction whose answer was lost; the file may have grown since.
  await client.query(
    `INSERT INTO charrette.files (run, path, position, bytes, digest, change)
     SELECT $1, path, position, bytes, digest, nextval('charrette.changes')
     FROM unnest($2::text[], $3::bigint[], $4::bytea[], $5::text[]) AS part (path, position, bytes, digest)
     ON CONFLICT (run, path, position) DO UPDATE
     SET bytes = EXCLUDED.bytes, digest = EXCLUDED.digest, change = EXCLUDED.change`,
    [
      run,
      parts.map((part) => part.path),
      parts.map(({ position }) => position),
      parts.map(({ bytes }) => bytes),
      parts.map(({ bytes }) => digestOf(bytes)),
    ],
  );
}

function excess(files: readonly RunFile[]): string | undefined {
  const large = files.find(({ size }) => size > mirrorBounds.file);
  if (large !== undefined) return `${large.path} is larger than ${mirrorBounds.file} bytes`;
  const sum = files.reduce((total, { size }) => total + size, 0);
  return sum > mirrorBounds.run ? `its files are larger than ${mirrorBounds.run} bytes` : undefined;
}

function isSame(known: RunFile | undefined, file: RunFile): boolean {
  return (
    known !== undefined &&
    known.size === file.size &&
    known.modified === file.modified &&
    known.inode === file.inode
  );
}

/** So many bytes from a position on; fewer when there are fewer, `undefined` when the file has gone. */
async function readFrom(file: string, position: number, length: number): Promise<Buffer | undefined> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(Math.max(0, length));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, position);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

type StoredFile = { path: string; bytes: Buffer };

/**
 * Makes the directory of a run from the store, whole or not at all, for a clone where it has not been worked on last. What
 * was there before is replaced: it is an older state.
 */
export async function restoreRun(queue: Queue, directory: RunDirectory, project: string): Promise<void> {
  const { files } = await readStored(queue, directory.id, 0);
  if (!files.some((file) => file.path === 'run.json')) {
    throw new CharretteError({
      code: 'run-not-found',
      message: `The store holds no files of the run ${directory.id}.`,
      fix: 'Let a worker in the clone where it was worked on take it.',
    });
  }
  const staging = path.join(path.dirname(path.dirname(directory.root)), `restoring-${directory.id}`);
  await rm(staging, { recursive: true, force: true });
  for (const folder of ['artifacts', 'lanes', 'inbox'])
    await mkdir(path.join(staging, folder), { recursive: true });
  for (const file of files) {
    const target = await containedPath(staging, file.path);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, file.bytes, { flag: 'wx' });
  }
  await rm(directory.root, { recursive: true, force: true });
  await mkdir(path.dirname(directory.root), { recursive: true });
  await rename(staging, directory.root);
  const { inputs } = await readRunRecord(directory);
  await updateRunRecord(directory, { inputs: relocateInputs(inputs, project) });
}

/** Updates a copy for readers with what has changed since; returns the number of the last change. */
export async function pullRun(queue: Queue, directory: RunDirectory, since: number): Promise<number> {
  const { files, last } = await readStored(queue, directory.id, since);
  for (const file of files) await writeFileAtomic(await containedPath(directory.root, file.path), file.bytes);
  return last;
}

/** The files of a run that changed since. What a store says is checked like any other input. */
async function readStored(
  { pool }: Queue,
  run: string,
  since: number,
): Promise<{ files: StoredFile[]; last: number }> {
  const { rows } = await pool.query(
    `SELECT path, position, bytes, digest, change FROM charrette.files
     WHERE run = $1 AND path IN (SELECT path FROM charrette.files WHERE run = $1 AND change > $2)
     ORDER BY path, position`,
    [run, since],
  );
  const parts = new Map<string, Buffer[]>();
  let [last, sum] = [since, 0];
  for (const row of rows) {
    const [name, bytes] = [String(row.path), row.bytes as Buffer];
    const before = parts.get(name) ?? [];
    const position = before.reduce((length, part) => length + part.length, 0);
    sum += bytes.length;
    if (!isPortable(name) || position !== Number(row.position) || digestOf(bytes) !== row.digest)
      throw damaged(run, name);
    if (sum > mirrorBounds.run) throw damaged(run, name);
    parts.set(name, [...before, bytes]);
    last = Math.max(last, Number(row.change));
  }
  return { files: [...parts].map(([name, bytes]) => ({ path: name, bytes: Buffer.concat(bytes) })), last };
}

function damaged(run: string, name: string): CharretteError {
  return new CharretteError({
    code: 'store-corrupt',
    message: `What the store holds of ${run} cannot be used: ${JSON.stringify(name.slice(0, 200))}.`,
    fix: 'Let a worker in the clone where it was worked on take it.',
  });
}
