import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { recordsFolder } from '../records.ts';

/** Folders nobody wants to search, and the most files a search looks at. */
const skippedFolders = new Set(['.git', 'node_modules', recordsFolder]);
const fileLimit = 20_000;

/** The regular files below a directory as relative paths with `/`, sorted; symbolic links are never followed. */
export async function listFiles(root: string, below = ''): Promise<{ files: string[]; complete: boolean }> {
  const files: string[] = [];
  const folders = [below];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) files.push(relative);
      else if (entry.isDirectory() && !skippedFolders.has(entry.name)) folders.push(relative);
      if (files.length >= fileLimit) return { files: files.sort(), complete: false };
    }
  }
  return { files: files.sort(), complete: true };
}
