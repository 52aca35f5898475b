import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { containedPath } from '../../base/files/contained.ts';
import { relocateInputs } from '../relocate.ts';
import type { RunDirectory } from '../run-directory.ts';
import { isPortable } from '../run-files.ts';
import { readRunRecord, updateRunRecord } from '../run-record.ts';
import { digestOf, mirrorBounds } from './mirror.ts';
import type { Queue } from './queue.ts';

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
