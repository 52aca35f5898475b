import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { appendFile, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from './bounded.ts';
import { containedPath } from './contained.ts';

/**
 * Adds a line to a file below a folder of ours; one that is there already is not added. A link that leads out is refused:
 * whoever planted it would have us write into a file of the user.
 */
export async function appendOwnLine(
  folder: string,
  file: string,
  text: string,
  limit: number,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const target = await containedPath(folder, path.relative(folder, file));
  await mkdir(path.dirname(target), { recursive: true });
  const there = (await readTextFile(target, limit)) ?? '';
  const line = `${text}\n`;
  if (!there.includes(line))
    await appendFile(target, there === '' || there.endsWith('\n') ? line : `\n${line}`);
}

const modes = { plain: 0o666, executable: 0o777, private: 0o600 };

/** Who may do what with a new file, as far as the user's own mask allows; a number is what an older file had, and counts as it is. */
type FileMode = keyof typeof modes;

/** Writes a whole file or nothing: a reader sees the old content or the new, never a part. Nobody beyond `mode` ever does. */
export async function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  mode: FileMode | number = 'plain',
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const temporary = temporaryBeside(file);
  try {
    const handle = await open(temporary, 'wx', typeof mode === 'number' ? modes.private : modes[mode]);
    try {
      if (typeof mode === 'number') await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The same without giving up the turn: nothing else of this process runs between reading a file and writing it back. */
export function writeFileAtomicSync(file: string, content: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = temporaryBeside(file);
  try {
    const descriptor = openSync(temporary, 'wx');
    try {
      // Writes all of it or throws; a full disk may take only a part of a single write.
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function temporaryBeside(file: string): string {
  return path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
}

export function writeJsonAtomicSync(file: string, value: unknown): void {
  writeFileAtomicSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

export async function writeJsonAtomic(file: string, value: unknown): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** The same for a file that nobody else writes: what an attempt that was killed left beside it goes first. */
export async function rewriteFileAtomic(file: string, content: string): Promise<void> {
  const folder = path.dirname(file);
  const left = (name: string) => name.startsWith(`.${path.basename(file)}.`) && unfinished.test(name);
  for (const name of existsSync(folder) ? readdirSync(folder).filter(left) : [])
    rmSync(path.join(folder, name), { force: true });
  await writeFileAtomic(file, content);
}

const unfinished = /^\..+\.[0-9a-f]{12}\.tmp$/;

/** Removes what writers that were killed left in a folder, and below it, that nobody else writes to now. */
export function removeUnfinished(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (unfinished.test(path.basename(name))) rmSync(path.join(folder, name), { force: true });
  }
}
