import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import { isInside, isMissing } from '../../base/files/contained.ts';
import { countCodePoints } from '../../base/text/strings.ts';
import { close, constants, open, read, realPath, stat, statDescriptor } from './defaults.ts';

/** the only reasons there are; no comma or bracket, so that the warnings line stays a list. */
export const unreadableReasons = [
  'permission denied',
  'is a directory',
  'not a regular file',
  'invalid UTF-8',
  'contains NUL',
  'symlink leaves design dir',
  'io error',
] as const;

export type UnreadableReason = (typeof unreadableReasons)[number];

export type DocumentReading =
  | { state: 'text'; text: string; characters: number }
  | { state: 'absent' }
  | { state: 'unreadable'; reason: UnreadableReason };

/** Reads one document of a folder; tests pass their own to see how reads overlap. */
export type DocumentReader = (directory: string, filename: string) => Promise<DocumentReading>;

/** A JavaScript string holds no more than this. */
const sizeLimit = 500 * 1024 * 1024;

const absent: DocumentReading = { state: 'absent' };
const unreadable = (reason: UnreadableReason): DocumentReading => ({ state: 'unreadable', reason });

/**
 * Reads `<directory>/<filename>` as strict UTF-8. Never throws, and opens only what is known to be a regular file
 * inside the folder, so a FIFO or device cannot hang it. `directory` is a real path.
 */
export async function readDocument(
  directory: string,
  filename: string,
  limit = sizeLimit,
): Promise<DocumentReading> {
  try {
    const target = await realPath(path.join(directory, filename));
    return isInside(directory, target)
      ? await readRegularFile(target, limit)
      : unreadable('symlink leaves design dir');
  } catch (error) {
    return readingOf(error);
  }
}

async function readRegularFile(target: string, limit: number): Promise<DocumentReading> {
  const before = await stat(target);
  if (before.isDirectory()) return unreadable('is a directory');
  if (!before.isFile()) return unreadable('not a regular file');
  if (before.size > limit) return unreadable('io error');
  const descriptor = await open(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const opened = await statDescriptor(descriptor);
    if (!opened.isFile()) return unreadable('not a regular file');
    return decode(await readWhole(descriptor, Math.min(opened.size, limit)));
  } finally {
    await close(descriptor);
  }
}

/** One read is enough for an unchanged file; of a growing file the first size is read. */
async function readWhole(descriptor: number, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await read(descriptor, buffer, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** strict UTF-8, no NUL, a leading BOM removed. */
export function decode(bytes: Buffer): DocumentReading {
  if (!isUtf8(bytes)) return unreadable('invalid UTF-8');
  if (bytes.includes(0)) return unreadable('contains NUL');
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const text = bytes.toString('utf8', start);
  const plain = text.length === bytes.length - start;
  return { state: 'text', text, characters: plain ? text.length : countCodePoints(text) };
}

function readingOf(error: unknown): DocumentReading {
  return isMissing(error) || codeOf(error) === 'ENAMETOOLONG' ? absent : unreadable(reasonOf(error));
}

function reasonOf(error: unknown): UnreadableReason {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EISDIR') return 'is a directory';
  return 'io error';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
