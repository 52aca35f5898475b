import path from 'node:path';
import { noPrefix, type StepPrefix, stepName } from './breadcrumbs.ts';

export type ClosingFacts = {
  /** A caller gave a session environment. */
  nested: boolean;
  heavyFailed: boolean;
  /** Only meaningful when nested. */
  manifestWritten: boolean;
  /** Recovery of the working tree was refused or is still due. */
  cancelled?: boolean;
};

export type Closing = {
  /** C-16: a failed heavy phase is never exported. */
  export: boolean;
  /** L-843 */
  removeRunDirectory: boolean;
  exportOk: boolean;
};

/** L-842, L-843, C-16: what step 5 does. */
export function closing({ nested, heavyFailed, manifestWritten, cancelled = false }: ClosingFacts): Closing {
  const mayExport = nested && !heavyFailed && !cancelled;
  const exportOk = nested ? mayExport && manifestWritten : true;
  return { export: mayExport, exportOk, removeRunDirectory: exportOk && !heavyFailed && !cancelled };
}

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

/** L-844: the line written before a removal. */
export function removalAuditLine(
  now: Date,
  pid: number,
  parentPid: number,
  parent: string,
  directory: string,
): string {
  return `${now.toISOString()} pid=${pid} ppid=${parentPid} parent=${parent} dir=${directory}`;
}
