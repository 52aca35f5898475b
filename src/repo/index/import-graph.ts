import { isRecord, readJson } from '../../base/safe-json.ts';
import type { ModuleImport } from './parse-script.ts';
import { fileKind, isScript, type SnapshotFile } from './snapshot.ts';

/** Which file imports which. Both directions, repository paths, sorted. */
export type ImportGraph = {
  imports: ReadonlyMap<string, readonly string[]>;
  importers: ReadonlyMap<string, readonly string[]>;
};

const endings = [
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.vue',
  '.svelte',
  '.json',
  '.d.ts',
];

/** Builds the graph from the imports of scripts, and from word rules for Python, Go, Rust, Ruby, PHP and C. */
export function buildImportGraph(
  files: readonly SnapshotFile[],
  linksOf: (file: SnapshotFile) => readonly ModuleImport[],
): ImportGraph {
  const paths = new Set(files.map(({ path }) => path));
  const packages = workspacePackages(files);
  const dotted = dottedModules(files);
  const imports = new Map<string, string[]>();
  const importers = new Map<string, string[]>();
  for (const file of files) {
    const targets = isScript(file.path)
      ? linksOf(file).map(({ specifier }) => resolveScript(file.path, specifier, paths, packages))
      : wordImports(file).map((specifier) => resolveWord(file.path, specifier, paths, dotted));
    const unique = [...new Set(targets.flatMap((target) => target ?? []))].filter(
      (target) => target !== file.path,
    );
    if (unique.length === 0) continue;
    imports.set(file.path, unique.sort());
    for (const target of unique) importers.set(target, [...(importers.get(target) ?? []), file.path]);
  }
  for (const list of importers.values()) list.sort();
  return { imports, importers };
}

function resolveScript(
  from: string,
  specifier: string,
  paths: ReadonlySet<string>,
  packages: ReadonlyMap<string, string>,
): string | undefined {
  const bare = specifier.replace(/[?#].*$/, '');
  if (bare.startsWith('.')) return resolveFile(joinPath(folderOf(from), bare), paths);
  if (bare.startsWith('~/') || bare.startsWith('@/')) return resolveFile(`src/${bare.slice(2)}`, paths);
  for (const [name, folder] of packages) {
    if (bare !== name && !bare.startsWith(`${name}/`)) continue;
    const rest = bare.slice(name.length + 1);
    const tries = rest === '' ? ['src/index', 'index', 'src/main'] : [rest, `src/${rest}`];
    return tries.map((path) => resolveFile(joinPath(folder, path), paths)).find((path) => path !== undefined);
  }
  return undefined;
}

/** Resolves a path: itself, with an ending, as a folder's index, or as the source of a compiled name. */
function resolveFile(path: string, paths: ReadonlySet<string>): string | undefined {
  if (paths.has(path)) return path;
  const source = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  if (source !== path && paths.has(source)) return source;
  for (const ending of endings) if (paths.has(path + ending)) return path + ending;
  for (const ending of endings) if (paths.has(`${path}/index${ending}`)) return `${path}/index${ending}`;
  return undefined;
}

/** Names of the packages in the repository and their folders, longest first. */
function workspacePackages(files: readonly SnapshotFile[]): ReadonlyMap<string, string> {
  const found: [string, string][] = [];
  for (const { path, text } of files) {
    if (!/(?:^|\/)package\.json$/.test(path)) continue;
    const reading = readJson(text);
    if (reading.ok && isRecord(reading.value) && typeof reading.value.name === 'string') {
      found.push([reading.value.name, folderOf(path)]);
    }
  }
  return new Map(found.sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1)));
}

const wordRules: readonly { ending: RegExp; pattern: RegExp }[] = [
  { ending: /\.pyi?$/, pattern: /^[ \t]*(?:from\s+([.\w]+)\s+import|import\s+([.\w]+))/gm },
  {
    ending: /\.(?:rb|php)$/,
    pattern: /^[ \t]*(?:require|require_relative|include)\s*(?:\(\s*)?['"]([^'"]+)['"]/gm,
  },
  { ending: /\.(?:c|h|cc|cpp|hpp|cxx|m|mm)$/, pattern: /^[ \t]*#[ \t]*include[ \t]*"([^"]+)"/gm },
  { ending: /\.rs$/, pattern: /^[ \t]*(?:pub\s+)?mod\s+(\w+)\s*;/gm },
  { ending: /\.(?:vue|svelte|astro|mdx)$/, pattern: /^[ \t]*import\s[^'"]{0,2000}['"]([^'"]+)['"]/gm },
];

function wordImports({ path, text }: SnapshotFile): string[] {
  const rule = wordRules.find(({ ending }) => ending.test(path));
  if (rule === undefined) return [];
  return [...text.matchAll(rule.pattern)].flatMap((match) => match[1] ?? match[2] ?? []);
}

/** Python modules by their dotted name from every folder on, so that `src/` layouts resolve too. */
function dottedModules(files: readonly SnapshotFile[]): ReadonlyMap<string, string> {
  const modules = new Map<string, string>();
  for (const { path } of files) {
    if (!/\.pyi?$/.test(path)) continue;
    const parts = path.replace(/(?:\/__init__)?\.pyi?$/, '').split('/');
    for (let from = 0; from < parts.length; from += 1) {
      const name = parts.slice(from).join('.');
      if (!modules.has(name)) modules.set(name, path);
    }
  }
  return modules;
}

function resolveWord(
  from: string,
  specifier: string,
  paths: ReadonlySet<string>,
  dotted: ReadonlyMap<string, string>,
): string | undefined {
  if (/\.pyi?$/.test(from)) return resolvePython(from, specifier, paths, dotted);
  if (from.endsWith('.rs')) {
    const base = joinPath(folderOf(from), specifier);
    return [`${base}.rs`, `${base}/mod.rs`].find((path) => paths.has(path));
  }
  const near = joinPath(folderOf(from), specifier);
  return (
    resolveFile(near, paths) ??
    [`${near}.rb`, specifier, `lib/${specifier}.rb`].find((path) => paths.has(path))
  );
}

function resolvePython(
  from: string,
  specifier: string,
  paths: ReadonlySet<string>,
  dotted: ReadonlyMap<string, string>,
): string | undefined {
  const dots = /^\.+/.exec(specifier)?.[0].length ?? 0;
  if (dots === 0) return dotted.get(specifier);
  const folder = joinPath(folderOf(from), '../'.repeat(dots - 1));
  const base = joinPath(folder, specifier.slice(dots).replaceAll('.', '/'));
  return [`${base}.py`, `${base}/__init__.py`].find((path) => paths.has(path));
}

export function folderOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at === -1 ? '' : path.slice(0, at);
}

/** Joins repository paths; `..` above the root stays at the root. */
export function joinPath(folder: string, relative: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${relative}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

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
