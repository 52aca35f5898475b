import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../files/contained.ts';

/** Fingerprints files by their content, those that are there. */
export async function fingerprints(directory: string, files: readonly string[]): Promise<[string, string][]> {
  const entries: [string, string][] = [];
  for (const file of files) {
    const print = await fingerprint(path.join(directory, file));
    if (print !== undefined) entries.push([file, print]);
  }
  return entries;
}

async function fingerprint(file: string): Promise<string | undefined> {
  try {
    const facts = await lstat(file);
    if (facts.isSymbolicLink()) return `link ${await readlink(file)}`;
    if (!facts.isFile()) return facts.isDirectory() ? 'folder' : 'special';
    if (facts.size > 32 * 1024 * 1024) return `large ${facts.size} ${facts.mtimeMs}`;
    const hash = createHash('sha256').update(await readFile(file));
    return `${facts.mode.toString(8)} ${hash.digest('hex')}`;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
