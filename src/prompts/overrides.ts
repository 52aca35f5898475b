import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../base/files/bounded.ts';
import { containedPath, isMissing } from '../base/files/contained.ts';

const mostCharacters = 64 * 1024;

/**
 * A project's own wording: `<directory>/<task>/<part>.md` replaces that fixed part, an empty file leaves it out.
 * The data rule and the answer's schema cannot be replaced.
 */
export async function readOverrides(directory: string): Promise<Record<string, string>> {
  const overrides: Record<string, string> = {};
  const [home, folder] = [path.dirname(directory), path.basename(directory)];
  for (const file of await markdownFiles(directory)) {
    // Also where the folder itself is a link.
    await containedPath(home, folder);
    const text = await readTextFile(await containedPath(directory, file), mostCharacters);
    if (text !== undefined) overrides[file.split(path.sep).join('/').slice(0, -'.md'.length)] = text;
  }
  return overrides;
}

async function markdownFiles(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { recursive: true });
    return entries.filter((entry) => entry.endsWith('.md')).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
