import { cp, lstat, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { importedNames } from '../../../prompts/context/imported.ts';

/** Copies what a person put among the outputs of an earlier import, and no bundle brings, to the new ones. */
export async function keepOwn(target: string, fresh: string): Promise<void> {
  const imported = await importedNames(target);
  for (const name of ['copy.json', ...(await filesBelow(target, 'assets'))]) {
    const [source, place] = [path.join(target, name), path.join(fresh, name)];
    if (imported.has(name) || !(await isThere(source)) || (await isThere(place))) continue;
    await mkdir(path.dirname(place), { recursive: true });
    await cp(source, place, { verbatimSymlinks: true });
  }
}

async function filesBelow(target: string, name: string): Promise<string[]> {
  const folder = path.join(target, name);
  if ((await lstat(folder).catch(() => undefined))?.isDirectory() !== true) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => path.relative(target, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
}

async function isThere(place: string): Promise<boolean> {
  return (await lstat(place).catch(() => undefined)) !== undefined;
}
