import type { Declaration } from '../../repo/index/declarations.ts';
import { isScript } from '../../repo/index/file-kinds.ts';
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
