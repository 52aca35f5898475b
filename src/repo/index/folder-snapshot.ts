import { createHash } from 'node:crypto';
import { open, opendir } from 'node:fs/promises';
import path from 'node:path';
import { readLimits, skipByContent, skipByPath } from './skip-rules.ts';
import type { SkippedFile, Snapshot, SnapshotFile } from './snapshot.ts';

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
