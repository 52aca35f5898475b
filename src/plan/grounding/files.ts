import { leadsOut } from '../../base/text/strings.ts';
import type { Declaration } from '../../repo/index/declarations.ts';
import { fileKind, isScript } from '../../repo/index/file-kinds.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { factsOn, type GroundingFact } from './report.ts';
import type { GroundingSubject } from './subject.ts';

type Hit = { path: string; line: number; endLine: number };

/** Symbols the plan relies on are declared where it says; symbols it adds do not exist yet. */
export function groundSymbols(index: RepositoryIndex, { symbols, files }: GroundingSubject): GroundingFact[] {
  const created = new Set(files.filter(({ action }) => action === 'new').map(({ path }) => path));
  return symbols.map((symbol) => {
    const { name, file } = symbol;
    if (file !== undefined && created.has(file) && !index.byPath.has(file))
      return factsOn('symbol', name)('unchecked', 'none', `${file} is created by the plan`);
    return symbol.state === 'new' ? groundNewSymbol(index, symbol) : groundSymbol(index, symbol);
  });
}

type Symbol = GroundingSubject['symbols'][number];

function groundNewSymbol(index: RepositoryIndex, { name, file }: Symbol): GroundingFact {
  const hit = file === undefined ? undefined : declaredIn(index, file, name);
  const fact = factsOn('symbol', name, basisFor(index, file));
  return hit === undefined
    ? fact('missing', 'none', 'not declared yet, as planned')
    : fact('found', 'warning', `the plan adds it, but ${hit.path}:${hit.line} declares it already`, hit);
}

function groundSymbol(index: RepositoryIndex, { name, file, state }: Symbol): GroundingFact {
  const by = (basis: GroundingFact['basis']) => factsOn('symbol', name, basis);
  const placed = file === undefined ? undefined : declaredIn(index, file, name);
  const declared = placed ?? declaredAnywhere(index, name);
  if (declared !== undefined) {
    const fact = by(basisFor(index, declared.path));
    const place = `${declared.path}:${declared.line}`;
    return file === undefined || declared === placed
      ? fact('found', 'none', `declared at ${place}`, declared)
      : fact('found', 'warning', `not in ${file}, but at ${place}`, declared);
  }
  const word = wordAnywhere(index, name, file);
  if (word !== undefined)
    return by('words')(
      'found',
      'none',
      `no declaration found; the word is at ${word.path}:${word.line}`,
      word,
    );
  const where = file === undefined ? 'the repository' : `${file} nor elsewhere`;
  return state === 'unknown'
    ? by('words')(
        'unchecked',
        'none',
        `neither declared nor used in ${where}; the text does not say whether it is new`,
      )
    : by(basisFor(index, file))('missing', 'error', `not in ${where} at the base commit`);
}

/** A script that could not be parsed is searched by words, like other languages. */
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

const outsideReason = 'the path leads out of the repository';

/** Files to modify or delete exist at the base commit, new files do not, and no path leads out of the repository. */
export function groundFiles(
  index: RepositoryIndex,
  { files }: Pick<GroundingSubject, 'files'>,
): GroundingFact[] {
  const paths = new Map<string, string>();
  for (const { path, file } of index.files) paths.set(path, `${file.text.split('\n').length} lines`);
  for (const { path, reason } of index.snapshot.skipped) paths.set(path, `not read: ${reason}`);
  return files.map(({ path, action }) => {
    const existing = paths.get(path);
    const fact = factsOn('file', path);
    if (leadsOut(path)) return fact('missing', 'error', outsideReason);
    if (existing !== undefined) {
      const at = index.byPath.has(path) ? { path, line: 1, endLine: 1 } : undefined;
      return action === 'new'
        ? fact('found', 'error', 'the plan creates it, but it exists at the base commit', at)
        : fact('found', 'none', existing, at);
    }
    if (action === 'new') return fact('missing', 'none', 'does not exist yet, as planned');
    const near = nearestPath(path, paths.keys());
    const hint = near === undefined ? '' : `; nearest is ${near}`;
    return action === 'unknown'
      ? fact('missing', 'warning', `does not exist and is not marked new${hint}`)
      : fact('missing', 'error', `does not exist at the base commit${hint}`);
  });
}

/** A plan that changes sources names tests; those it names exist or are created by it. */
export function groundTests(index: RepositoryIndex, subject: GroundingSubject): GroundingFact[] {
  const named = [...new Set([...subject.tests, ...subject.files.map(({ path }) => path).filter(isTest)])];
  if (named.length === 0) {
    const fact = factsOn('tests', 'tests');
    return subject.files.some(({ path }) => fileKind(path) === 'source')
      ? [fact('missing', 'error', 'source files change and no test file is named')]
      : [fact('missing', 'none', 'no source file changes')];
  }
  return named.map((path) => {
    const fact = factsOn('tests', path);
    if (leadsOut(path)) return fact('missing', 'error', outsideReason);
    return index.byPath.has(path)
      ? fact('found', 'none', 'exists', { path, line: 1, endLine: 1 })
      : fact('missing', 'none', 'a test the plan adds');
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
