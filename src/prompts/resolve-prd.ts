import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../base/files/contained.ts';
import type { ArtifactFile } from './artifacts.ts';
import type { PrdResolution } from './prd.ts';

export type PrdInput = {
  /** Absolute. */
  featureDirectory: string;
  /** State of `prd.md` in the feature. */
  prd: ArtifactFile;
  /** `brainstorm_source` as `.meta.json` has it. */
  brainstormSource: string | undefined;
  /** lean/C-09: a PRD of the project, tried after the brainstorm when the setting is on. */
  projectPrd?: string;
};

/** Without a repository around it, a feature lies in `<root>/docs/features/<feature>`. */
const usualDepth = 3;
const deepest = 10;

/** T-013…T-015, lean/C-10: the feature's own file, else the brainstorm it came from, else nothing; a dead link is told apart. */
export async function resolvePrd(input: PrdInput): Promise<PrdResolution> {
  if (input.prd.kind === 'present') return { kind: 'path', path: input.prd.path };
  const source = input.brainstormSource?.trim() ?? '';
  const found = source === '' ? undefined : await findBrainstorm(input.featureDirectory, source);
  if (found?.kind === 'found') return { kind: 'fallback', path: found.path, source };
  if (input.projectPrd !== undefined && (await isReadableFile(input.projectPrd))) {
    return { kind: 'fallback', path: input.projectPrd, source: input.projectPrd };
  }
  return found === undefined ? { kind: 'none' } : { kind: 'broken', source, reason: found.reason };
}

type Search = { kind: 'found'; path: string } | { kind: 'not-found'; reason: string };

/** Relative sources count from the repository; the directories between it and the feature are tried too. */
async function findBrainstorm(featureDirectory: string, source: string): Promise<Search> {
  if (source.includes('\0')) return { kind: 'not-found', reason: 'the path has a NUL character' };
  const roots = await directoriesAbove(featureDirectory);
  for (const root of roots) {
    const candidate = path.resolve(root, source);
    if (!(await isReadableFile(candidate))) continue;
    // `.meta.json` is data by others: what it names must lie where the feature lies.
    if (await isWithin(roots.at(-1) ?? root, candidate)) return { kind: 'found', path: candidate };
    return { kind: 'not-found', reason: 'the path leads out of the repository' };
  }
  const where = path.isAbsolute(source) ? 'on this machine' : 'in the repository';
  return { kind: 'not-found', reason: `no such file ${where}` };
}

/** From the feature's parent up to the repository's root. */
async function directoriesAbove(directory: string): Promise<string[]> {
  const found: string[] = [];
  let current = path.dirname(directory);
  while (found.length < deepest && current !== path.dirname(current)) {
    found.push(current);
    if (await exists(path.join(current, '.git'))) return found;
    current = path.dirname(current);
  }
  return found.slice(0, usualDepth);
}

async function isWithin(root: string, candidate: string): Promise<boolean> {
  return isInside(await realpath(root), await realpath(candidate));
}

async function exists(file: string): Promise<boolean> {
  return (await statOrNothing(file)) !== undefined;
}

async function isReadableFile(file: string): Promise<boolean> {
  const facts = await statOrNothing(file);
  return facts?.isFile() === true && facts.size > 0;
}

/** A path that cannot be looked at (too long, a loop of links, no permission) is as good as none. */
async function statOrNothing(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch {
    return undefined;
  }
}
