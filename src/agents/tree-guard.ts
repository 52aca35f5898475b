import { constants, lstatSync } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../base/files/contained.ts';
import { askGit } from './ask-git.ts';
import { fingerprints } from './fingerprint.ts';
import { ignoredPrints } from './ignored-files.ts';
import { recordsFolder } from './records.ts';
import { repositoryPrints } from './repository-prints.ts';

/** Above this a copy costs more than it protects; the agent then works in place and the hash alone watches. */
const copyLimit = { files: 20_000, bytes: 512 * 1024 * 1024 };
const copiesAtOnce = 8;
const skippedFolders = new Set(['.git', 'node_modules', recordsFolder]);

/** Content of a folder as path → fingerprint. Two equal snapshots mean that nothing was changed. */
export type Snapshot = ReadonlyMap<string, string>;

/**
 * Fingerprints all files of a folder that git knows or would add, by their content; what it ignores, by size, times and place; and
 * what decides which code git runs. Without git all that are not skipped.
 */
export async function snapshotTree(directory: string): Promise<Snapshot> {
  const prints = await Promise.all([
    listFiles(directory).then((files) => fingerprints(directory, files)),
    ignoredPrints(directory),
    repositoryPrints(directory),
  ]);
  return new Map(prints.flat());
}

/** Fingerprints a copy: it may lie in a folder that git ignores, so git must not be asked what belongs to it. */
export async function snapshotCopy(directory: string): Promise<Snapshot> {
  return new Map(await fingerprints(directory, await walk(directory, '', new Set())));
}

/** The paths that differ between two snapshots, sorted. */
export function changedPaths(before: Snapshot, after: Snapshot): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((file) => before.get(file) !== after.get(file)).sort();
}

/** Copies the folder's files to a throw-away place, where nothing of an earlier call stays; `undefined` when there is too much. */
export async function copyTree(directory: string, target: string): Promise<string | undefined> {
  await rm(target, { recursive: true, force: true });
  const files = await listFiles(directory);
  if (files.length > copyLimit.files) return undefined;
  let isWhole = false;
  try {
    isWhole = await copyFiles(directory, files, target);
  } finally {
    if (!isWhole) await rm(target, { recursive: true, force: true });
  }
  return isWhole ? target : undefined;
}

/** Whether all were copied; `false` when there is too much. However it ends, nothing is being copied any more. */
async function copyFiles(directory: string, files: readonly string[], target: string): Promise<boolean> {
  await mkdir(target, { recursive: true });
  for (const folder of new Set(files.map((file) => path.dirname(file))))
    await mkdir(path.join(target, folder), { recursive: true });
  let bytes = 0;
  let hasFailed = false;
  const fits = (size: number) => {
    bytes += size;
    return bytes <= copyLimit.bytes;
  };
  const left = files.values();
  const copySome = async () => {
    for (const file of left) {
      if (hasFailed || bytes > copyLimit.bytes) return;
      await copyOne(path.join(directory, file), path.join(target, file), fits);
    }
  };
  const stopAll = (error: unknown) => {
    hasFailed = true;
    throw error;
  };
  const ends = await Promise.allSettled(
    Array.from({ length: copiesAtOnce }, () => copySome().catch(stopAll)),
  );
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return bytes <= copyLimit.bytes;
}

/** Copies what fits; a file that is gone is passed over. The size is asked for first, so that nothing beyond the limit is written. */
async function copyOne(from: string, to: string, fits: (size: number) => boolean): Promise<void> {
  try {
    const facts = await lstat(from);
    if (!fits(facts.size)) return;
    if (facts.isSymbolicLink()) await symlink(await readlink(from), to);
    else if (facts.isFile()) await copyFile(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function listFiles(directory: string): Promise<string[]> {
  const listed = await askGit(directory, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  if (listed === undefined) return walk(directory, '', skippedFolders);
  const files = new Set(listed.split('\0').filter((file) => file !== ''));
  const known = new Map([['.', true]]);
  // A tracked folder that a link or a file has taken the place of: what git remembers of it would be looked for behind the link.
  const isRealFolder = (folder: string): boolean => {
    const isReal =
      known.get(folder) ??
      (isRealFolder(path.posix.dirname(folder)) && isFolder(path.join(directory, folder)));
    known.set(folder, isReal);
    return isReal;
  };
  return [...files].filter((file) => isRealFolder(path.posix.dirname(file))).sort();
}

function isFolder(place: string): boolean {
  try {
    return lstatSync(place).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function walk(root: string, folder: string, skipped: ReadonlySet<string>): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) found.push(...(await walk(root, file, skipped)));
    } else found.push(file);
    if (found.length > copyLimit.files * 10) break;
  }
  return found;
}
