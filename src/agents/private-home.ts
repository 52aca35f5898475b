import { randomBytes } from 'node:crypto';
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { containedPath, isInside, isMissing } from '../base/files/contained.ts';

/** The HOME of a lane's agent, and of the conversations that began there. */
export function homeOf(laneDirectory: string): string {
  return path.join(laneDirectory, 'home');
}

/** Makes a lane's HOME with its `tmp`. What an earlier call of the conversation put in the place of that goes, not what it links to. */
export async function openHome(home: string): Promise<void> {
  const folder = path.join(home, 'tmp');
  const there = await lstat(folder).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  if (there?.isDirectory() === false) await rm(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/**
 * Writes files into HOME. Each is a new one that takes its place: what stands there is never opened, for it may be a pipe that
 * nobody reads, or a link.
 */
export async function writeHomeFiles(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const folder = await containedPath(home, path.dirname(name));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const fresh = path.join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
    try {
      await writeFile(fresh, content, { mode: 0o600, flag: 'wx' });
      await rename(fresh, path.join(folder, path.basename(name)));
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
  }
}

/** What a tree of files can be made to answer by whoever owns it. A full or broken disk is not among it. */
const errorsOfShape = new Set([
  ...['EACCES', 'EEXIST', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'ENXIO'],
  ...['EPERM', 'ERR_FS_EISDIR'],
]);

/** Why a HOME cannot be used any more, when an error comes from what an earlier call of the conversation made of it. */
export function spoiltHome(homes: readonly string[], error: unknown): string | undefined {
  if (error instanceof CharretteError) return error.code === 'path-unsafe' ? error.message : undefined;
  if (!(error instanceof Error) || !('code' in error) || !errorsOfShape.has(String(error.code)))
    return undefined;
  const place = 'path' in error ? error.path : undefined;
  if (typeof place !== 'string' || !homes.some((home) => isInside(home, place))) return undefined;
  return `The HOME of this conversation was left in a state that it cannot go on from: ${error.message}`;
}
