import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { isMissing } from '../base/files/contained.ts';

/** So long others may have to wait. A file read at once takes a tenth of the processor time of one that is waited for. */
const turnMs = 10;

/** Fingerprints files by their content, those that are there. */
export async function fingerprints(directory: string, files: readonly string[]): Promise<[string, string][]> {
  const entries: [string, string][] = [];
  let since = performance.now();
  for (const file of files) {
    const print = fingerprint(path.join(directory, file));
    if (print !== undefined) entries.push([file, print]);
    if (performance.now() - since < turnMs) continue;
    await turn();
    since = performance.now();
  }
  return entries;
}

function fingerprint(file: string): string | undefined {
  try {
    const facts = lstatSync(file);
    if (facts.isSymbolicLink()) return `link ${readlinkSync(file)}`;
    if (!facts.isFile()) return facts.isDirectory() ? 'folder' : 'special';
    if (facts.size > 32 * 1024 * 1024) return `large ${facts.size} ${facts.mtimeMs}`;
    const hash = createHash('sha256').update(readFileSync(file));
    return `${facts.mode.toString(8)} ${hash.digest('hex')}`;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
