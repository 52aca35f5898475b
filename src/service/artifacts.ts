import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { containedPath } from '../base/files/contained.ts';
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
