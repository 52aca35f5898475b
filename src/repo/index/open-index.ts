import { readFolderSnapshot } from './folder-snapshot.ts';
import { readSnapshot, resolveCommit } from './git-snapshot.ts';
import { indexRepository, type RepositoryIndex } from './repository-index.ts';
import { startScriptReader } from './script-reader.ts';
import type { Snapshot } from './snapshot.ts';

const keptIndexes = 2;
const kept = new Map<string, Promise<RepositoryIndex>>();

/**
 * The index of a repository at a commit (absent: HEAD), read once per process however many ask at the same time; the two
 * newest are kept. A folder outside of git is read as it is, each time.
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
    // No repository, or one without a commit yet: there is nothing but the folder.
    if (revision !== undefined) throw error;
    return undefined;
  }
}
