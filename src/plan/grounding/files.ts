import { leadsOut } from '../../base/text/strings.ts';
import { fileKind } from '../../repo/index/file-kinds.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import type { GroundingFact } from './report.ts';
import type { GroundingSubject } from './subject.ts';

/** Files to modify or delete exist at the base commit, new files do not, and no path leads out of the repository. A fact per file. */
export function groundFiles(
  index: RepositoryIndex,
  { files }: Pick<GroundingSubject, 'files'>,
): GroundingFact[] {
  const paths = new Map<string, string>();
  for (const { path, file } of index.files) paths.set(path, `${file.text.split('\n').length} lines`);
  for (const { path, reason } of index.snapshot.skipped) paths.set(path, `not read: ${reason}`);
  return files.map(({ path, action }) => {
    const known = paths.get(path);
    const fact = { check: 'file', subject: path, basis: 'exact' } as const;
    if (leadsOut(path)) {
      return {
        ...fact,
        result: 'missing',
        severity: 'error',
        reason: 'the path leads out of the repository',
      };
    }
    if (known !== undefined) {
      const at = index.byPath.has(path) ? { at: { path, line: 1, endLine: 1 } } : {};
      if (action !== 'new') return { ...fact, ...at, result: 'found', severity: 'none', reason: known };
      const reason = 'the plan creates it, but it exists at the base commit';
      return { ...fact, ...at, result: 'found', severity: 'error', reason };
    }
    if (action === 'new') {
      return { ...fact, result: 'missing', severity: 'none', reason: 'does not exist yet, as planned' };
    }
    const near = nearestPath(path, paths.keys());
    const hint = near === undefined ? '' : `; nearest is ${near}`;
    return action === 'unknown'
      ? {
          ...fact,
          result: 'missing',
          severity: 'warning',
          reason: `does not exist and is not marked new${hint}`,
        }
      : { ...fact, result: 'missing', severity: 'error', reason: `does not exist at the base commit${hint}` };
  });
}

/** A plan that changes sources names tests; those it names exist or are created by it. */
export function groundTests(index: RepositoryIndex, subject: GroundingSubject): GroundingFact[] {
  const changesSource = subject.files.some(({ path }) => fileKind(path) === 'source');
  const named = [...new Set([...subject.tests, ...subject.files.map(({ path }) => path).filter(isTest)])];
  if (named.length === 0) {
    const fact = { check: 'tests', subject: 'tests', result: 'missing', basis: 'exact' } as const;
    return changesSource
      ? [{ ...fact, severity: 'error', reason: 'source files change and no test file is named' }]
      : [{ ...fact, severity: 'none', reason: 'no source file changes' }];
  }
  return named.map((path) => {
    const fact = { check: 'tests', subject: path, basis: 'exact' } as const;
    if (leadsOut(path)) {
      return {
        ...fact,
        result: 'missing',
        severity: 'error',
        reason: 'the path leads out of the repository',
      };
    }
    if (index.byPath.has(path)) {
      const at = { path, line: 1, endLine: 1 };
      return { ...fact, result: 'found', severity: 'none', reason: 'exists', at };
    }
    return { ...fact, result: 'missing', severity: 'none', reason: 'a test the plan adds' };
  });
}

const isTest = (path: string): boolean => fileKind(path) === 'test';

/** The path with the same base name that shares the most folders; else one that differs only by ending. */
export function nearestPath(path: string, known: Iterable<string>): string | undefined {
  const base = path.slice(path.lastIndexOf('/') + 1);
  const stem = base.replace(/\.[^.]+$/, '');
  const folders = new Set(path.split('/').slice(0, -1));
  let best: { path: string; score: number } | undefined;
  for (const candidate of known) {
    const name = candidate.slice(candidate.lastIndexOf('/') + 1);
    const match = name === base ? 10 : name.replace(/\.[^.]+$/, '') === stem ? 5 : 0;
    if (match === 0) continue;
    const score = match + candidate.split('/').filter((part) => folders.has(part)).length;
    if (best === undefined || score > best.score) best = { path: candidate, score };
  }
  return best?.path;
}
