import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../errors.ts';

/** Joins an untrusted relative path to a root and refuses every way out: absolute, `..`, NUL, symlinks. */
export async function containedPath(root: string, untrusted: string): Promise<string> {
  if (untrusted.includes('\0') || path.isAbsolute(untrusted)) throw unsafe(root, untrusted);
  const joined = path.resolve(root, untrusted);
  if (!isInside(root, joined)) throw unsafe(root, untrusted);
  const [realRoot, realTarget] = [await realpath(root), await realExistingPart(joined)];
  if (!isInside(realRoot, realTarget)) throw unsafe(root, untrusted);
  return joined;
}

export function isInside(root: string, target: string): boolean {
  const relative = path.relative(root, target);
  return (
    relative === '' ||
    (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative))
  );
}

/** The real path of the target, or of its nearest ancestor that exists, with the missing rest appended. */
async function realExistingPart(target: string): Promise<string> {
  try {
    return await realpath(target);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const parent = path.dirname(target);
    if (parent === target) return target;
    return path.join(await realExistingPart(parent), path.basename(target));
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function unsafe(root: string, untrusted: string): CharretteError {
  return new CharretteError({
    code: 'path-unsafe',
    message: `The path ${JSON.stringify(untrusted)} leads out of ${root}.`,
    fix: 'Use a relative path that stays inside the directory.',
  });
}
