import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { isInside, isMissing } from '../base/files/contained.ts';
import {
  type ArtifactFile,
  type ArtifactFiles,
  type ArtifactKey,
  artifactKeys,
  artifacts,
  sideFiles,
} from './artifacts.ts';
import { type MetaReading, readMeta } from './feature/meta.ts';
import type { PrdResolution } from './prd.ts';
import { resolvePrd } from './resolve-prd.ts';

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

/** Looks at a feature directory; whatever is wrong with a file becomes part of the result. */
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
