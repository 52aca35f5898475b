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
import { appendFile, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CharretteError } from '../errors.ts';
import { containedPath, readTextFile } from './bounded.ts';

/**
 * Adds a line to a file below a folder of ours, unless the file has it. Refuses a link to a place outside: an
 * attacker could have us write into a file of the user.
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

/** Permissions of a new file, limited by the user's umask; a number is the mode of an older file and is used unchanged. */
type FileMode = keyof typeof modes;

/** Writes a whole file or nothing: a reader sees the old content or the new, never a part, and only users that `mode` allows. */
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
/** Same as `writeFileAtomic`, without yielding: nothing else of this process runs between reading a file and writing it back. */
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

/** Same for a file with one writer: removes what a killed attempt left next to it first. */
export async function rewriteFileAtomic(file: string, content: string): Promise<void> {
  const folder = path.dirname(file);
  const left = (name: string) => name.startsWith(`.${path.basename(file)}.`) && unfinished.test(name);
  for (const name of existsSync(folder) ? readdirSync(folder).filter(left) : [])
    rmSync(path.join(folder, name), { force: true });
  await writeFileAtomic(file, content);
}

const unfinished = /^\..+\.[0-9a-f]{12}\.tmp$/;

/** Removes what killed writers left in a folder and below it, which no one writes to now. */
export function removeUnfinished(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (unfinished.test(path.basename(name))) rmSync(path.join(folder, name), { force: true });
  }
}

const lockTries = 100;
const lockWaitMs = 50;
/** A lock older than this was left behind by a process that died. */
const staleLockMs = 60_000;

/** L-765, L-873: works while holding `<file>.lock.d`, so that parallel writers of a shared file lose nothing; waits 5 s for it. */
export async function withDirectoryLock<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${file}.lock.d`;
  await takeLock(lock);
  try {
    return await work();
  } finally {
    await rmdir(lock).catch(() => undefined);
  }
}

async function takeLock(lock: string): Promise<void> {
  for (let attempt = 0; attempt < lockTries; attempt += 1) {
    try {
      await mkdir(lock);
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const age = await stat(lock).then(
      ({ mtimeMs }) => Math.abs(Date.now() - mtimeMs),
      () => 0,
    );
    if (age > staleLockMs) await rmdir(lock).catch(() => undefined);
    await sleep(lockWaitMs);
  }
  throw new CharretteError({
    code: 'timed-out',
    message: `${lock} was not released in ${(lockTries * lockWaitMs) / 1000} s.`,
    fix: 'Remove the lock directory if no other process is writing the file.',
  });
}
