import { isRecord, readJson } from '../../base/safe-json.ts';
import { leadsOut } from '../../base/text/strings.ts';
import type { Declaration } from '../../repo/index/parse-script.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { fileKind, isScript } from '../../repo/index/snapshot.ts';
import { factsOn, type GroundingFact } from './grounding.ts';
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

/** What a machine offers besides the repository; the edge answers it. */
export type CommandLookup = { onPath: (program: string) => boolean };

/** Every command the plan names can be run: a script of the package, a target, a file of the repository, a program. */
export function groundCommands(
  index: RepositoryIndex,
  commands: readonly string[],
  lookup: CommandLookup,
): GroundingFact[] {
  const scripts = packageScripts(index);
  return commands.flatMap((command) =>
    splitCommand(command).map((words) => groundCommand(index, words, scripts, lookup)),
  );
}

/** The simple commands of a line, as words; variables set in front and redirections are left out. Nothing is run. */
export function splitCommand(command: string): string[][] {
  return command
    .split(/&&|\|\||[;|]/)
    .map((part) =>
      (part.match(/"[^"]*"|'[^']*'|\S+/g) ?? [])
        .map((word) => word.replace(/^(["'])(.*)\1$/s, '$2'))
        .filter((word) => !/^\w+=/.test(word) && !/^\d?[<>]/.test(word)),
    )
    .filter((words) => words.length > 0 && words[0] !== 'cd');
}

const runners = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const builtIn = new Set(
  'add audit build cache ci config create dedupe dlx exec i info init install link login ls outdated pack prune publish remove search update version view x why'.split(
    ' ',
  ),
);

function groundCommand(
  index: RepositoryIndex,
  words: readonly string[],
  scripts: ReadonlyMap<string, string>,
  { onPath }: CommandLookup,
): GroundingFact {
  const [program = '', ...rest] = words;
  const fact = factsOn('command', words.join(' '));
  if (runners.has(program)) {
    const script = scriptName(rest);
    if (script === undefined) return fact('found', 'none', `${program} itself`);
    const home = scripts.get(script);
    if (home !== undefined) return fact('found', 'none', `script of ${home}`);
    if (elsewhere(rest)) return fact('unchecked', 'warning', 'runs in another folder or workspace');
    const names = [...new Set(scripts.keys())].slice(0, 12).join(', ');
    const reason = `no package.json has the script "${script}"; there are: ${names || 'none'}`;
    return fact('missing', 'error', reason);
  }
  if (program === 'make' || program === 'just') return groundTarget(index, program, rest, fact);
  if (program.includes('/')) {
    const path = program.replace(/^\.\//, '');
    return index.byPath.has(path)
      ? fact('found', 'none', 'a file of the repository')
      : fact('missing', 'error', `${path} is not in the repository`);
  }
  if (onPath(program)) return fact('found', 'none', 'a program of this machine');
  const reason = `${program} is neither a script of the repository nor on PATH here`;
  return fact('missing', 'warning', reason);
}

function scriptName(words: readonly string[]): string | undefined {
  const plain = words.filter((word) => !word.startsWith('-'));
  const [first, second] = plain;
  if (first === 'run' || first === 'run-script') return second;
  if (first === undefined || (builtIn.has(first) && first !== 'build')) return undefined;
  return first === 't' ? 'test' : first;
}

const elsewhere = (words: readonly string[]): boolean =>
  words.some((word) => /^(?:-w|--workspace|--filter|-F|--prefix|-C|--cwd|-r|--recursive)/.test(word));

function packageScripts(index: RepositoryIndex): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const manifests = index.files.filter(({ path }) => /(?:^|\/)package\.json$/.test(path));
  for (const { path, file } of manifests.sort((a, b) => a.path.length - b.path.length)) {
    const reading = readJson(file.text);
    const scripts = reading.ok && isRecord(reading.value) ? reading.value.scripts : undefined;
    for (const name of isRecord(scripts) ? Object.keys(scripts) : [])
      if (!found.has(name)) found.set(name, path);
  }
  return found;
}

function groundTarget(
  index: RepositoryIndex,
  program: 'make' | 'just',
  words: readonly string[],
  fact: ReturnType<typeof factsOn>,
): GroundingFact {
  const held = (reason: string) => fact('found', 'none', reason);
  const failed = (reason: string) => fact('missing', 'error', reason);
  const pattern = program === 'make' ? /(?:^|\/)(?:GNU)?[Mm]akefile$/ : /(?:^|\/)\.?[Jj]ustfile$/;
  const files = index.files.filter(({ path }) => pattern.test(path));
  const target = words.find((word) => !word.startsWith('-') && !word.includes('='));
  if (files.length === 0) return failed(`there is no ${program === 'make' ? 'Makefile' : 'justfile'}`);
  if (target === undefined) return held(`default target of ${files[0]?.path ?? ''}`);
  const targets = files.flatMap(({ file }) =>
    [...file.text.matchAll(/^@?([\w./-]+)(?:[ \t][^:=\n]*)?:(?!=)/gm)].map((match) => match[1] ?? ''),
  );
  if (targets.includes(target)) return held(`target of ${files[0]?.path ?? ''}`);
  return failed(`no target "${target}"; there are: ${[...new Set(targets)].slice(0, 12).join(', ')}`);
}
