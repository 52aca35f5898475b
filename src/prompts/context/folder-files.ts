import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../../base/files/contained.ts';

const maximumEntries = 100_000;

/** Files below a folder, relative with `/`, sorted; links count as files and are not followed. Empty when missing. */
export async function filesBelow(folder: string): Promise<string[]> {
  const files: string[] = [];
  const pending = [''];
  while (pending.length > 0 && files.length < maximumEntries) {
    const relative = pending.pop() ?? '';
    const entries = await readdir(path.join(folder, relative), { withFileTypes: true }).catch(
      (error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      },
    );
    for (const entry of entries) {
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) pending.push(name);
      else files.push(name);
    }
  }
  return files.sort();
}

/** M-068: hidden files (`.DS_Store`, `.gitkeep`) do not make a folder non-empty. */
export function isVisible(relative: string): boolean {
  return !relative.split('/').some((part) => part.startsWith('.'));
}

/** SHA-256 of a regular file's bytes; `undefined` for anything else, which is then never touched. */
export async function hashFile(file: string): Promise<string | undefined> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined || !found.isFile()) return undefined;
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}

export async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined;
}

/** Writes a file that must not exist yet; a file that appeared meanwhile is left alone. */
export async function createFile(file: string, content: string): Promise<boolean> {
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644).catch(
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
      throw error;
    },
  );
  if (handle === undefined) return false;
  try {
    await handle.writeFile(content);
    return true;
  } finally {
    await handle.close();
  }
}
