import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../errors.ts';

type Bounds = { bytes: number; silenceMs: number };

const defaultBounds: Bounds = { bytes: 16 * 1024 * 1024, silenceMs: 60_000 };

/**
 * Reads what a person names on the command line: a file, or once what a pipe gives until its writer is done, such as `<(…)` and
 * `/dev/stdin`. Bounded in size, and in how long a writer may be silent; ends with the reason of the signal when that comes
 * first. `undefined` when there is nothing of that name.
 */
export async function readTextOnce(
  file: string,
  signal: AbortSignal,
  bounds: Partial<Bounds> = {},
): Promise<string | undefined> {
  const { bytes, silenceMs } = { ...defaultBounds, ...bounds };
  const found = await stat(file).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found === undefined || !(found.isFIFO() || found.isSocket())) return readTextFile(file, bytes);
  signal.throwIfAborted();
  const fd = found.isFIFO()
    ? openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    : inheritedDescriptor(file);
  const { Socket } = await import('node:net');
  const pipe = new Socket({ fd, readable: true, writable: false });
  pipe.setTimeout(silenceMs, () => pipe.destroy(silent(file, silenceMs)));
  const stop = () => pipe.destroy();
  signal.addEventListener('abort', stop, { once: true });
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of pipe) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      // Leaving the loop closes the pipe.
      if (size > bytes) throw tooMuch(file, bytes);
    }
  } catch (error) {
    // A pipe that was closed early says only that.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What programs start others with is often a socket, which cannot be opened by its name. */
function inheritedDescriptor(file: string): number {
  if (file === '/dev/stdin') return 0;
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d{1,4})$/.exec(file)?.[1];
  if (number !== undefined) return Number(number);
  throw new CharretteError({ code: 'not-found', message: `${file} is neither a file nor a pipe.` });
}

function tooMuch(file: string, limit: number): CharretteError {
  return new CharretteError({
    code: 'file-too-large',
    message: `${file} gives more than ${limit} bytes, which is all that is read.`,
    fix: 'Give less.',
  });
}

function silent(file: string, silenceMs: number): CharretteError {
  return new CharretteError({
    code: 'usage',
    message: `Nothing came through ${file} for ${silenceMs / 1000} s, and its writer is not done.`,
    fix: 'Close what writes to it, or give a file.',
  });
}

const defaultLimit = 16 * 1024 * 1024;

/** Reads a regular file as UTF-8 up to a limit. Never blocks on a FIFO or device; `undefined` when the file does not exist. */
export async function readTextFile(file: string, limit = defaultLimit): Promise<string | undefined> {
  const handle = await openRegularFile(file);
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    if (size > limit) throw tooLarge(file, size, limit);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Same as `readTextFile`, without yielding: a third of the work for callers that read thousands of small files. */
export function readTextFileSync(file: string, limit = defaultLimit): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw loopNamed(file, error);
  }
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) throw notRegular(file);
    if (facts.size > limit) throw tooLarge(file, facts.size, limit);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function tooLarge(file: string, size: number, limit: number): CharretteError {
  return new CharretteError({
    code: 'file-too-large',
    message: `${file} has ${size} bytes; at most ${limit} are read.`,
    fix: 'Make the file smaller or split it.',
  });
}

function notRegular(file: string): CharretteError {
  return new CharretteError({ code: 'not-found', message: `${file} is not a regular file.` });
}

function loopNamed(file: string, error: unknown): unknown {
  return error instanceof Error && 'code' in error && error.code === 'ELOOP'
    ? new CharretteError({ code: 'not-found', message: `The links of ${file} form a loop.` })
    : error;
}

async function openRegularFile(file: string) {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    throw notRegular(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw loopNamed(file, error);
  }
}

/** Joins an untrusted relative path to a root and refuses every way out: absolute, `..`, NUL, symlinks. */
export async function containedPath(root: string, untrusted: string): Promise<string> {
  if (untrusted.includes('\0') || path.isAbsolute(untrusted)) throw unsafe(root, untrusted);
  if (Buffer.byteLength(untrusted) > maxPathBytes) throw unsafe(root, untrusted.slice(0, 200));
  const joined = path.resolve(root, untrusted);
  if (!isInside(root, joined) || !(await isReallyInside(root, joined))) throw unsafe(root, untrusted);
  return joined;
}

/** What systems take as a path. */
const maxPathBytes = 4096;

export function isInside(root: string, target: string): boolean {
  const relative = path.relative(root, target);
  return (
    relative === '' ||
    (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative))
  );
}

/** L-844, F-29: only a directory strictly inside one of the known roots may be removed. All must be canonical paths. */
export function mayRemove(directory: string, roots: readonly string[]): boolean {
  return (
    path.isAbsolute(directory) &&
    roots.some((root) => path.relative(root, directory) !== '' && isInside(root, directory))
  );
}

/** Follows the path from the root down as far as it exists. Refuses a dangling link: its target may be outside once created. */
async function isReallyInside(root: string, target: string): Promise<boolean> {
  const realRoot = await realpath(root);
  let place = realRoot;
  for (const part of path.relative(root, target).split(path.sep)) {
    const next = path.join(place, part);
    try {
      place = await realpath(next);
    } catch (error) {
      if (hasCode(error, 'ENAMETOOLONG', 'ELOOP')) return false;
      if (!isMissing(error)) throw error;
      return (await lstat(next).catch(() => undefined))?.isSymbolicLink() !== true;
    }
    if (!isInside(realRoot, place)) return false;
  }
  return true;
}

export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR');
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

function unsafe(root: string, untrusted: string): CharretteError {
  return new CharretteError({
    code: 'path-unsafe',
    message: `The path ${JSON.stringify(untrusted)} leads out of ${root}.`,
    fix: 'Use a relative path that stays inside the directory.',
  });
}
