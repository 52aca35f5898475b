import { existsSync } from 'node:fs';
import path from 'node:path';
import { defaultSettings, settingsFile } from './defaults.ts';

/** The nearest folder upward, within the repository, that has design settings or documents; else the folder itself. */
export function findContextRoot(start: string): string {
  let found: string | undefined;
  for (let folder = start; ; folder = path.dirname(folder)) {
    const has = (name: string) => existsSync(path.join(folder, name));
    if (has(settingsFile) || has(defaultSettings.dir)) found ??= folder;
    if (has('.git')) return found ?? start;
    if (path.dirname(folder) === folder) return start;
  }
}
