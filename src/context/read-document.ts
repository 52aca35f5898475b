import { isUtf8 } from 'node:buffer';
import { constants, type FileHandle, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isInside, isMissing } from '../files/contained.ts';
import { countCodePoints } from '../text/code-points.ts';

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
  let handle: FileHandle | undefined;
  try {
    const target = await realpath(path.join(directory, filename));
    if (!isInside(directory, target)) return unreadable('symlink leaves design dir');
    const before = await stat(target);
    if (before.isDirectory()) return unreadable('is a directory');
    if (!before.isFile()) return unreadable('not a regular file');
    if (before.size > limit) return unreadable('io error');
    handle = await open(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const opened = await handle.stat();
    if (!opened.isFile()) return unreadable('not a regular file');
    return decode(await handle.readFile());
  } catch (error) {
    return isMissing(error) || codeOf(error) === 'ENAMETOOLONG' ? absent : unreadable(reasonOf(error));
  } finally {
    await handle?.close().catch(() => undefined);
  }
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

function reasonOf(error: unknown): UnreadableReason {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EISDIR') return 'is a directory';
  return 'io error';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
