import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { containedPath, readTextFile } from '../base/files/bounded.ts';
import type { RunDirectory } from '../engine/run-directory.ts';

/** What a writer has begun and not yet put in its place. */
const unfinished = /^\..+\.tmp$/;

export type ArtifactEntry = { name: string; path: string; bytes: number };

/** The files of the public record, by name. */
export async function listArtifacts(directory: RunDirectory): Promise<ArtifactEntry[]> {
  if (!existsSync(directory.artifacts)) return [];
  const entries = await readdir(directory.artifacts, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && !unfinished.test(entry.name))
    .map((entry) => path.relative(directory.artifacts, path.join(entry.parentPath, entry.name)))
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const file = path.join(directory.artifacts, name);
      return { name, path: file, bytes: (await stat(file)).size };
    }),
  );
}

/** The text of one artifact; the name may come from anybody. */
export async function readArtifact(directory: RunDirectory, name: string): Promise<string> {
  const text = await readTextFile(await containedPath(directory.artifacts, name));
  if (text !== undefined) return text;
  const names = (await listArtifacts(directory)).map((artifact) => artifact.name);
  throw new CharretteError({
    code: 'not-found',
    message: `The run has no artifact ${JSON.stringify(name)}; it has ${names.join(', ') || 'none yet'}.`,
  });
}

const pictureName = /^[\w.-]{1,200}\.png$/;
const maxPicture = 8 * 1024 * 1024;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function isPicture(name: string): boolean {
  return pictureName.test(name);
}

/** A PNG among the artifacts as a data address, which a page can show and nothing else can be; the name is untrusted. */
export async function readPicture(directory: RunDirectory, name: string): Promise<string> {
  const missing = new CharretteError({ code: 'not-found', message: 'The run has no such picture.' });
  if (!isPicture(name)) throw missing;
  const file = await containedPath(directory.artifacts, name);
  const facts = await stat(file).catch(() => undefined);
  if (facts?.isFile() !== true || facts.size > maxPicture) throw missing;
  const bytes = await readFile(file);
  if (!bytes.subarray(0, signature.length).equals(signature)) throw missing;
  return `data:image/png;base64,${bytes.toString('base64')}`;
}
