import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { RunDirectory } from '../engine/run-directory.ts';

export type ArtifactEntry = { name: string; path: string; bytes: number };

/** The files of the public record, by name. */
export async function listArtifacts(directory: RunDirectory): Promise<ArtifactEntry[]> {
  if (!existsSync(directory.artifacts)) return [];
  const names = (await readdir(directory.artifacts)).filter((name) => !name.startsWith('.')).sort();
  return Promise.all(
    names.map(async (name) => {
      const file = path.join(directory.artifacts, name);
      return { name, path: file, bytes: (await stat(file)).size };
    }),
  );
}
