import path from 'node:path';
import { isInside } from '../../base/files/contained.ts';
import { realPath } from './quick-files.ts';

/** Where the documents are: the folder to read and the name to cite. */
export type Location = { absolute: string; cited: string };

/** Why a text cannot be the name of a local folder; `undefined` when it can. M-010, A-61. */
export function directoryProblem(dir: string): string | undefined {
  if (dir.trim() === '') return 'is empty';
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(dir)) return 'is not a local path';
  if (/[\0-\x1f\x7f]/.test(dir)) return 'has a control character';
  return undefined;
}

/**
 * a relative folder is relative to the project root. A-21: inside the root it is cited relative to it,
 * elsewhere as given, with `/` and without trailing slashes.
 */
export function locate(root: string, dir: string): Location {
  const absolute = path.resolve(root, dir);
  if (isInside(root, absolute)) {
    const relative = path.relative(root, absolute).split(path.sep).join('/');
    return { absolute, cited: relative === '' ? '.' : relative };
  }
  return { absolute, cited: dir.split(path.sep).join('/').replace(/\/+$/, '') };
}

/** Whether a folder, by its real path, lies outside of the project. What a project names itself is not read from there. */
export async function isOutside(root: string, directory: string): Promise<boolean> {
  return !isInside(await realPath(root), directory);
}

/** The design folder that the project's own settings name, below the project; `undefined` where it is missing or outside. */
export async function ownFolder(root: string, dir: string): Promise<string | undefined> {
  const directory = await realPath(path.resolve(root, dir)).catch(() => undefined);
  if (directory === undefined || (await isOutside(root, directory))) return undefined;
  return path.relative(await realPath(root), directory) || '.';
}
