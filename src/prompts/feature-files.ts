import type { Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { isInside, isMissing, readTextFile } from '../base/files/bounded.ts';
import {
  type ArtifactFile,
  type ArtifactFiles,
  type ArtifactKey,
  artifactKeys,
  artifacts,
  sideFiles,
} from './artifacts.ts';
import { type MetaReading, readMeta } from './feature/meta.ts';

type PrdInput = {
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

/** T-013…T-015, lean/C-10: the feature's own file, else the brainstorm it came from, else nothing; a dead link is a separate case. */
async function resolvePrd(input: PrdInput): Promise<PrdResolution> {
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

/** A path that cannot be checked (too long, a loop of links, no permission) counts as missing. */
async function statOrNothing(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch {
    return undefined;
  }
}

/** lean/C-08: where the product requirements of a feature were found. */
export type PrdResolution =
  | { kind: 'path'; path: string }
  | { kind: 'fallback'; path: string; source: string }
  | { kind: 'none' }
  | { kind: 'broken'; source: string; reason: string };

/** T-015: replaces a missing PRD. */
const noPrd = 'No PRD — feature created without brainstorm';

/** lean/C-09: spellings that older files use for the same thing. */
const sentinelPattern = /^(?:no prd|none)\s*[—–-]+\s*feature created without brainstorm\.?$/i;

export function isPrdSentinel(text: string): boolean {
  return sentinelPattern.test(text.trim().replace(/^["'`]|["'`]$/g, ''));
}

/** T-013…T-016: the one line about the PRD, whatever was found. */
export function prdLine(resolution: PrdResolution): string {
  const { label } = artifacts.prd;
  switch (resolution.kind) {
    case 'path':
    case 'fallback':
      return `- ${label}: ${resolution.path}`;
    case 'none':
    case 'broken':
      return `- ${label}: ${noPrd}`;
  }
}

/** A feature directory as prompts see it. */
export type FeatureFiles = {
  /** Absolute. */
  directory: string;
  files: ArtifactFiles;
  meta: MetaReading;
  prd: PrdResolution;
};

/** Larger artifacts are referred to, never read into memory. */
const mostBytes = 8 * 1024 * 1024;

/** Reads a feature directory; problems of a file become part of the result. */
export async function readFeature(directory: string): Promise<FeatureFiles> {
  const absolute = path.resolve(directory);
  await assertDirectory(absolute);
  const real = await realpath(absolute);
  const read = await Promise.all(
    artifactKeys.map(async (key) => [key, await readArtifact(absolute, real, artifacts[key].file)] as const),
  );
  const files = Object.fromEntries(read) as Record<ArtifactKey, ArtifactFile>;
  const meta = await readState(absolute);
  const prd = await resolvePrd({
    featureDirectory: absolute,
    prd: files.prd,
    brainstormSource: meta.meta.brainstormSource,
  });
  return { directory: absolute, files, meta, prd };
}

async function assertDirectory(directory: string): Promise<void> {
  const facts = await stat(directory).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (facts?.isDirectory() === true) return;
  throw new CharretteError({
    code: 'not-found',
    message: `${directory} is ${facts === undefined ? 'not there' : 'not a directory'}; a feature is a directory with spec.md and its siblings.`,
    fix: 'Name the feature directory with --feature.',
  });
}

async function readArtifact(directory: string, realDirectory: string, name: string): Promise<ArtifactFile> {
  const file = path.join(directory, name);
  try {
    const facts = await stat(file);
    if (!isInside(realDirectory, await realpath(file))) {
      return { kind: 'unusable', reason: 'a link out of the feature' };
    }
    if (!facts.isFile()) return { kind: 'unusable', reason: 'not a file' };
    if (facts.size === 0) return { kind: 'unusable', reason: 'empty' };
    if (facts.size > mostBytes) return { kind: 'present', path: file, bytes: facts.size, damaged: false };
    return { kind: 'present', path: file, bytes: facts.size, ...decode(await readBytes(file)) };
  } catch (error) {
    return isMissing(error) ? { kind: 'missing' } : { kind: 'unusable', reason: 'unreadable' };
  }
}

async function readBytes(file: string): Promise<Uint8Array> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    return await handle.readFile();
  } finally {
    await handle?.close();
  }
}

const strict = new TextDecoder('utf-8', { fatal: true });
const lenient = new TextDecoder('utf-8');

function decode(bytes: Uint8Array): { text: string; damaged: boolean } {
  try {
    return { text: strict.decode(bytes), damaged: false };
  } catch {
    return { text: lenient.decode(bytes), damaged: true };
  }
}

async function readState(directory: string): Promise<MetaReading> {
  try {
    return readMeta(await readTextFile(path.join(directory, sideFiles.state), 1024 * 1024));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...readMeta('{}'), problems: [`.meta.json cannot be read: ${reason}`] };
  }
}
