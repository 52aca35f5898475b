import { leadsOut } from '../../base/text/strings.ts';
import type { Declaration } from '../../repo/index/declarations.ts';
import { fileKind, isScript } from '../../repo/index/file-kinds.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import type { GroundingFact } from './report.ts';
import type { GroundingSubject } from './subject.ts';

type Hit = { path: string; line: number; endLine: number };

/** Symbols the plan relies on are declared where it says; symbols it adds are not there yet. */
export function groundSymbols(index: RepositoryIndex, { symbols, files }: GroundingSubject): GroundingFact[] {
  const created = new Set(files.filter(({ action }) => action === 'new').map(({ path }) => path));
  return symbols.map((symbol) => {
    const inNewFile = symbol.file !== undefined && created.has(symbol.file) && !index.byPath.has(symbol.file);
    if (inNewFile) {
      const reason = `${symbol.file} is created by the plan`;
      return {
        check: 'symbol',
        subject: symbol.name,
        result: 'unchecked',
        severity: 'none',
        basis: 'exact',
        reason,
      };
    }
    return symbol.state === 'new' ? groundNewSymbol(index, symbol) : groundSymbol(index, symbol);
  });
}

type Symbol = GroundingSubject['symbols'][number];

function groundNewSymbol(index: RepositoryIndex, { name, file }: Symbol): GroundingFact {
  const hit = file === undefined ? undefined : declaredIn(index, file, name);
  const fact = { check: 'symbol', subject: name, basis: basisFor(index, file) } as const;
  if (hit === undefined) {
    return { ...fact, result: 'missing', severity: 'none', reason: 'not declared yet, as planned' };
  }
  const reason = `the plan adds it, but ${hit.path}:${hit.line} declares it already`;
  return { ...fact, result: 'found', severity: 'warning', reason, at: hit };
}

function groundSymbol(index: RepositoryIndex, { name, file, state }: Symbol): GroundingFact {
  const fact = { check: 'symbol', subject: name } as const;
  const declared = file === undefined ? undefined : declaredIn(index, file, name);
  if (declared !== undefined) {
    const reason = `declared at ${declared.path}:${declared.line}`;
    return { ...fact, basis: basisFor(index, file), result: 'found', severity: 'none', reason, at: declared };
  }
  const elsewhere = declaredAnywhere(index, name);
  if (elsewhere !== undefined) {
    const basis = basisFor(index, elsewhere.path);
    const place = `${elsewhere.path}:${elsewhere.line}`;
    return file === undefined
      ? { ...fact, basis, result: 'found', severity: 'none', reason: `declared at ${place}`, at: elsewhere }
      : {
          ...fact,
          basis,
          result: 'found',
          severity: 'warning',
          reason: `not in ${file}, but at ${place}`,
          at: elsewhere,
        };
  }
  const word = wordAnywhere(index, name, file);
  if (word !== undefined) {
    const reason = `no declaration found; the word is at ${word.path}:${word.line}`;
    return { ...fact, basis: 'words', result: 'found', severity: 'none', reason, at: word };
  }
  const where = file === undefined ? 'the repository' : `${file} nor elsewhere`;
  if (state === 'unknown') {
    const reason = `neither declared nor used in ${where}; the text does not say whether it is new`;
    return { ...fact, basis: 'words', result: 'unchecked', severity: 'none', reason };
  }
  return {
    ...fact,
    basis: basisFor(index, file),
    result: 'missing',
    severity: 'error',
    reason: `not in ${where} at the base commit`,
  };
}

/** A script on which the parser gave up is known by its words, like files of other languages. */
const basisFor = (index: RepositoryIndex, file: string | undefined): GroundingFact['basis'] =>
  file !== undefined && isScript(file) && !index.unparsed.includes(file) ? 'exact' : 'words';

/** `Class.method`, `Class#method` and `name()` are understood. */
function splitName(name: string): { owner: string | undefined; bare: string } {
  const clean = name.replace(/\(.*\)$/s, '').replace(/^(?:class|function|const|type|interface)\s+/, '');
  const parts = clean.split(/[.#]|::/).filter((part) => part !== '');
  return { owner: parts.length > 1 ? parts.at(-2) : undefined, bare: parts.at(-1) ?? clean };
}

function declaredIn(index: RepositoryIndex, path: string, name: string): Hit | undefined {
  if (!index.byPath.has(path)) return undefined;
  const { owner, bare } = splitName(name);
  const named = index
    .declarationsOf(path)
    .filter((declaration) => declaration.name.replace(/^#/, '') === bare);
  const hit =
    named.find((declaration) => declaration.owner === owner) ??
    (owner === undefined ? named[0] : ownerless(named));
  return hit === undefined ? undefined : { path, line: hit.line, endLine: hit.endLine };
}

/** Word rules know no owners: a method found by them counts for any class. */
const ownerless = (named: readonly Declaration[]): Declaration | undefined =>
  named.find(({ basis, owner }) => basis === 'matched' && owner === undefined);

function declaredAnywhere(index: RepositoryIndex, name: string): Hit | undefined {
  const { bare } = splitName(name);
  for (const { path, kind, file } of index.files) {
    if (kind === 'document' || !file.text.includes(bare)) continue;
    const hit = declaredIn(index, path, name);
    if (hit !== undefined) return hit;
  }
  return undefined;
}

function wordAnywhere(index: RepositoryIndex, name: string, preferred: string | undefined): Hit | undefined {
  const { bare } = splitName(name);
  if (bare.length < 2) return undefined;
  const word = new RegExp(`(?<![\\w$])${bare.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')}(?![\\w$])`);
  const files = index.files.filter(({ kind }) => kind !== 'document');
  const ordered = preferred === undefined ? files : files.filter(({ path }) => path === preferred);
  for (const { path, file } of ordered) {
    if (!file.text.includes(bare)) continue;
    const line = file.text.split('\n').findIndex((text) => word.test(text));
    if (line !== -1) return { path, line: line + 1, endLine: line + 1 };
  }
  return undefined;
}

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
function nearestPath(path: string, known: Iterable<string>): string | undefined {
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
