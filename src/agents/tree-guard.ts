import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../files/contained.ts';
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
  await mkdir(target, { recursive: true });
  for (const folder of new Set(files.map((file) => path.dirname(file))))
    await mkdir(path.join(target, folder), { recursive: true });
  let bytes = 0;
  const left = files.values();
  const copySome = async () => {
    for (const file of left) {
      bytes += await copyOne(path.join(directory, file), path.join(target, file));
      if (bytes > copyLimit.bytes) return;
    }
  };
  await Promise.all(Array.from({ length: copiesAtOnce }, copySome));
  if (bytes <= copyLimit.bytes) return target;
  await rm(target, { recursive: true, force: true });
  return undefined;
}

/** Gives the size of what was copied; a file that is gone has none. */
async function copyOne(from: string, to: string): Promise<number> {
  try {
    const facts = await lstat(from);
    if (facts.isSymbolicLink()) await symlink(await readlink(from), to);
    else if (facts.isFile()) await copyFile(from, to, constants.COPYFILE_FICLONE);
    return facts.size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

async function listFiles(directory: string): Promise<string[]> {
  const listed = await askGit(directory, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  if (listed === undefined) return walk(directory, '', skippedFolders);
  const files = new Set(listed.split('\0').filter((file) => file !== ''));
  // A tracked folder that a link has taken the place of: what git remembers of it would be looked for behind the link.
  const isBehind = (file: string): boolean => {
    const folder = path.posix.dirname(file);
    return folder !== '.' && (files.has(folder) || isBehind(folder));
  };
  return [...files].filter((file) => !isBehind(file)).sort();
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
