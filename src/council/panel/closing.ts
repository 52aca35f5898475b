import path from 'node:path';
import { noPrefix, type StepPrefix, stepName } from './breadcrumbs.ts';

/** L-842, L-031 */
export function exportFailureWarning(directory: string, prefix: StepPrefix = noPrefix): string {
  return `**⚠ ${stepName('5', prefix)} — design manifest export failed. Parent /implement will rerun /design. Preserving ${directory} for inspection.**`;
}

/** L-844, F-29: only a directory strictly inside one of the known roots may be removed. Both must be canonical paths. */
export function mayRemove(directory: string, roots: readonly string[]): boolean {
  if (directory === '' || !path.isAbsolute(directory)) return false;
  return roots.some((root) => {
    const relative = path.relative(root, directory);
    return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  });
}
