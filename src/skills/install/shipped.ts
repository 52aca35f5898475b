import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with the packages that come with the program, from sources and from the build alike. */
export function shippedRoot(): string {
  let directory = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(directory, 'package.json'))) {
    const parent = path.dirname(directory);
    if (parent === directory) break;
    directory = parent;
  }
  return path.join(directory, 'skills');
}

export function shippedSkills(): string[] {
  const root = shippedRoot();
  if (!existsSync(root)) return [];
  return readdirSync(root).filter((name) => existsSync(path.join(root, name, 'SKILL.md')));
}
