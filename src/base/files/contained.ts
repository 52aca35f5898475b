import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../errors.ts';

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
