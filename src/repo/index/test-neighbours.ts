import { fileKind } from './file-kinds.ts';
import { folderOf, type ImportGraph } from './import-graph.ts';

export type TestNeighbour = {
  path: string;
  why: 'imports it' | 'carries its name' | 'imports an importer' | 'matches the words';
};

/** The bare name that a test and its subject share: `order-service.test.ts`, `test_order_service.py` → orderservice. */
export function bareName(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.[^.]+$/, '')
    .replace(/(?:[._-](?:test|spec|tests|specs|test-d|bench))$|^test[._-]|Tests?$/i, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

/** Whether a file of the tests holds tests itself, by its name; helpers and fixtures do not. */
export const holdsTests = (path: string): boolean =>
  fileKind(path) === 'test' && /test|spec/i.test(path.slice(path.lastIndexOf('/') + 1));

export type TestIndex = { tests: ReadonlySet<string>; byName: ReadonlyMap<string, readonly string[]> };

export function indexTests(paths: Iterable<string>): TestIndex {
  const tests = new Set<string>();
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    if (fileKind(path) !== 'test') continue;
    tests.add(path);
    byName.set(bareName(path), [...(byName.get(bareName(path)) ?? []), path]);
  }
  return { tests, byName };
}

/** The tests around a file, nearest first: those of its name, those that import it, those that import what imports it. */
export function testNeighbours(path: string, graph: ImportGraph, index: TestIndex): TestNeighbour[] {
  const found = new Map<string, TestNeighbour>();
  const add = (test: string, why: TestNeighbour['why']) => {
    if (test !== path && !found.has(test)) found.set(test, { path: test, why });
  };
  const bare = bareName(path);
  const named = [...(index.byName.get(bare) ?? []), ...(index.byName.get(`${bare}s`) ?? [])];
  // `index.ts` names its folder.
  if (bare === 'index' || bare === 'init') {
    named.push(...(index.byName.get(bareName(`${folderOf(path)}.x`)) ?? []));
  }
  for (const test of named.sort((a, b) => sharedFolders(path, b) - sharedFolders(path, a))) {
    add(test, 'carries its name');
  }
  const importers = graph.importers.get(path) ?? [];
  for (const importer of importers) if (index.tests.has(importer)) add(importer, 'imports it');
  for (const importer of importers) {
    for (const second of graph.importers.get(importer) ?? []) {
      if (index.tests.has(second)) add(second, 'imports an importer');
    }
  }
  return [...found.values()];
}

export function sharedFolders(a: string, b: string): number {
  const [left, right] = [a.split('/').slice(0, -1), new Set(b.split('/').slice(0, -1))];
  return left.filter((part) => right.has(part)).length;
}
