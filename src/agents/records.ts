import path from 'node:path';

/** The folder of a project that holds the record of its runs: logins in use, answers, votes, who proposed what. */
export const recordsFolder = '.charrette';

/** Of that folder what the project itself wrote; seats may read it like the rest of the project. */
export const projectSettings = ['.gitignore', 'config.json', 'prompts'] as const;

/** The outermost records that a path lies in: a run inside a run belongs to the project of the outer one. */
export function recordsAround(place: string): string | undefined {
  const parts = path.resolve(place).split(path.sep);
  const at = parts.indexOf(recordsFolder);
  return at === -1 ? undefined : parts.slice(0, at + 1).join(path.sep);
}

/** Whether a path, relative to where somebody works, leads into records. */
export function leadsIntoRecords(relative: string): boolean {
  return relative.toLowerCase().split(/[\\/]/).includes(recordsFolder);
}
