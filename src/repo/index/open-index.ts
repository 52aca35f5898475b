import { createHash } from 'node:crypto';
import { open, opendir } from 'node:fs/promises';
import path from 'node:path';
import { readSnapshot, resolveCommit } from './git-snapshot.ts';
import { indexRepository, type RepositoryIndex } from './repository-index.ts';
import { startScriptReader } from './script-reader.ts';
import {
  readLimits,
  type SkippedFile,
  type Snapshot,
  type SnapshotFile,
  skipByContent,
  skipByPath,
} from './snapshot.ts';

const keptIndexes = 2;
const kept = new Map<string, Promise<RepositoryIndex>>();

/**
 * The index of a repository at a commit (default: HEAD), read once per process, also for parallel callers; the two
 * newest are kept. A folder outside of git is read each time.
 */
export async function openIndex(directory: string, revision?: string): Promise<RepositoryIndex> {
  const commit = await commitOf(directory, revision);
  if (commit === undefined) return indexed(() => readFolderSnapshot(directory));
  const key = `${directory}\0${commit}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const reading = indexed(() => readSnapshot(directory, commit));
  for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - keptIndexes + 1)))
    kept.delete(oldest);
  kept.set(key, reading);
  reading.catch(() => kept.delete(key));
  return reading;
}

/** The process that parses starts while the files are read. */
async function indexed(read: () => Promise<Snapshot>): Promise<RepositoryIndex> {
  const reader = startScriptReader();
  try {
    return await indexRepository(await read(), undefined, reader);
  } finally {
    reader.close();
  }
}

async function commitOf(directory: string, revision: string | undefined): Promise<string | undefined> {
  if (revision !== undefined && /^[0-9a-f]{40}$|^[0-9a-f]{64}$/.test(revision)) return revision;
  try {
    return await resolveCommit(directory, revision ?? 'HEAD');
  } catch (error) {
    // Without a repository or a commit only the folder can be read.
    if (revision !== undefined) throw error;
    return undefined;
  }
}

const folderLimit = 50_000;

/** Reads a folder that is not a git repository: no history, and a digest instead of a commit. */
export async function readFolderSnapshot(
  directory: string,
  totalBytes = readLimits.totalBytes,
): Promise<Snapshot> {
  const files: SnapshotFile[] = [];
  const skipped: SkippedFile[] = [];
  let total = 0;
  for (const relative of (await listFolder(directory, '')).sort()) {
    const handle = await open(path.join(directory, relative), 'r');
    try {
      const { size } = await handle.stat();
      const early =
        skipByPath(relative, size) ?? (total + size > totalBytes ? 'over the memory limit' : undefined);
      if (early !== undefined) {
        skipped.push({ path: relative, reason: early });
        continue;
      }
      const bytes = await handle.readFile();
      const reason = skipByContent(bytes);
      if (reason !== undefined) {
        skipped.push({ path: relative, reason });
        continue;
      }
      total += size;
      const oid = createHash('sha1').update(bytes).digest('hex');
      files.push({ path: relative, oid, size, text: bytes.toString('utf8') });
    } finally {
      await handle.close();
    }
  }
  const digest = createHash('sha1');
  for (const file of files) digest.update(`${file.path}\0${file.oid}\0`);
  return { commit: digest.digest('hex'), files, skipped, history: [] };
}

/** Regular files below a folder; links are not followed, hidden folders and dependencies are not entered. */
async function listFolder(root: string, below: string, found: string[] = []): Promise<string[]> {
  for await (const entry of await opendir(path.join(root, below))) {
    const relative = below === '' ? entry.name : `${below}/${entry.name}`;
    if (found.length >= folderLimit) break;
    if (entry.isFile()) found.push(relative);
    else if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules') {
      await listFolder(root, relative, found);
    }
  }
  return found;
}
