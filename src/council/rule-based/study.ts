import { tidyLine } from '../../base/schema/primitives.ts';
import { holdsTests, type TestNeighbour, testNeighbours } from '../../repo/index/import-graph.ts';
import type { Declaration } from '../../repo/index/parse-script.ts';
import { type RankedFile, rankFiles, type Signal } from '../../repo/index/rank-files.ts';
import { type RepositoryIndex, similarCommits, subjectOf } from '../../repo/index/repository-index.ts';
import { readQuery, type SearchQuery } from '../../repo/index/search-query.ts';
import { coherentFiles, isNamed, type PublicSurface, publicSurface } from '../../repo/index/sizing.ts';
import { type FileKind, firstFilledLine } from '../../repo/index/snapshot.ts';
import { splitIdentifier, termsOf } from '../../repo/index/words.ts';
import { commandsOf, type RunCommand } from './run-commands.ts';

/** A file that the change probably touches, with the places in it that matter. */
export type Target = {
  path: string;
  kind: FileKind;
  score: number;
  signals: Signal[];
  anchors: Declaration[];
  /** The line that fits the request best. */
  line: number;
  /** Files other than tests that import it. */
  importers: string[];
  tests: TestNeighbour[];
  surface: PublicSurface | undefined;
};

export type Precedent = { id: string; subject: string; files: string[] };

/** What a search of a repository finds for a request. */
export type Study = {
  index: RepositoryIndex;
  /** The first sentence of the request. */
  title: string;
  targets: Target[];
  /** Sources that are near, but probably not touched. */
  nearby: string[];
  tests: (TestNeighbour & { of: string })[];
  precedents: Precedent[];
  commands: RunCommand[];
  /** A free path for a new file, for a repository in which nothing matches. */
  newFile: string;
};

const mostTargets = 6;

/** Searches a repository for a request. The same input always gives the same study. */
export function studyRequest(index: RepositoryIndex, text: string): Study {
  const query = readQuery(text, index.vocabulary);
  const title = titleOf(text);
  const ranked = rankFiles(index, query, 40);
  const surface = publicSurface(index);
  const wanted = wantedKinds(title, query.asksFor);
  const chosen = coherentFiles(
    index,
    ranked.filter(({ kind, signals }) => wanted.has(kind) || isNamed(signals)),
    mostTargets,
  );
  const targets = chosen.map((file) => targetOf(index, file, query, surface));
  return {
    index,
    title,
    targets,
    nearby: ranked
      .filter(({ kind, path }) => kind === 'source' && !chosen.some((target) => target.path === path))
      .map(({ path }) => path)
      .slice(0, 8),
    tests: withRanked(testsOf(targets), ranked, targets[0]?.path),
    precedents: precedentsOf(index, query),
    commands: commandsOf(index),
    newFile: freePath(index, title),
  };
}

/** The first sentence of a request, without a heading's mark or a final stop. */
function titleOf(text: string): string {
  const [sentence = ''] = text
    .trim()
    .replace(/^#{1,6}\s+/, '')
    .split(/\n|(?<=[a-z)])\.\s/, 1);
  return (
    tidyLine(sentence)
      .slice(0, 300)
      .replace(/[.!\s]+$/, '') || 'the change'
  );
}

/** Sources, and what the description asks for by name; `docs: …` and `test: …` are about those alone. */
function wantedKinds(title: string, asksFor: ReadonlySet<FileKind>): ReadonlySet<FileKind> {
  const only = /^(docs?|tests?)\b/i.exec(title)?.[1]?.toLowerCase();
  if (only !== undefined && asksFor.size > 0) return new Set([only.startsWith('doc') ? 'document' : 'test']);
  return new Set<FileKind>(['source', ...(asksFor.has('document') ? (['document'] as const) : [])]);
}

function targetOf(
  index: RepositoryIndex,
  file: RankedFile,
  query: SearchQuery,
  surface: ReadonlyMap<string, PublicSurface>,
): Target {
  const passage = file.signals.find((signal) => signal.signal === 'passage');
  return {
    ...file,
    anchors: anchorsOf(index, file.path, query),
    line: passage?.line ?? firstFilledLine(index.byPath.get(file.path)?.file.text ?? ''),
    importers: (index.graph.importers.get(file.path) ?? []).filter((path) => !index.tests.tests.has(path)),
    tests: testNeighbours(file.path, index.graph, index.tests),
    surface: surface.get(file.path),
  };
}

const mostAnchors = 3;

/** The declarations of a file that share words with the request, else its first exported one. */
function anchorsOf(index: RepositoryIndex, path: string, { terms, title }: SearchQuery): Declaration[] {
  const weights = new Map(terms.map(({ id, weight }) => [id, weight]));
  const titles = new Set(title.map(({ id }) => id));
  const declarations = index.declarationsOf(path).filter(({ name }) => name !== 'constructor');
  const scored = declarations.map((declaration) => {
    const ids = termsOf(declaration.name).flatMap((term) => index.vocabulary.lookUp(term) ?? []);
    const shared = ids.reduce((sum, id) => sum + (weights.get(id) ?? 0) + (titles.has(id) ? 1 : 0), 0);
    const acts = declaration.kind === 'type' || declaration.kind === 'variable' ? 0 : 0.5;
    return { declaration, shared, score: shared + acts };
  });
  const best = scored
    .filter(({ shared }) => shared >= 1)
    .sort((a, b) => b.score - a.score || a.declaration.line - b.declaration.line)
    .map(({ declaration }) => declaration);
  const first =
    declarations.find(({ exported, owner }) => exported && owner === undefined) ?? declarations[0];
  return best.length > 0 ? best.slice(0, mostAnchors) : first === undefined ? [] : [first];
}

function testsOf(targets: readonly Target[]): Study['tests'] {
  const found = new Map<string, TestNeighbour & { of: string; place: number }>();
  for (const [position, target] of targets.entries()) {
    for (const [place, test] of target.tests.slice(0, 3).entries()) {
      const rank = position + place * 2 + (test.why === 'imports an importer' ? 4 : 0);
      const known = found.get(test.path);
      if (known === undefined || known.place > rank)
        found.set(test.path, { ...test, of: target.path, place: rank });
    }
  }
  return [...found.values()]
    .filter(({ path }) => holdsTests(path) && !targets.some((target) => target.path === path))
    .sort((a, b) => a.place - b.place || (a.path < b.path ? -1 : 1))
    .slice(0, 4)
    .map(({ place: _place, ...test }) => test);
}

const fewestTests = 2;

/** Tests near the files; where there are few, those that the search itself found. */
function withRanked(
  tests: Study['tests'],
  ranked: readonly RankedFile[],
  of: string | undefined,
): Study['tests'] {
  if (tests.length >= fewestTests || of === undefined) return tests;
  const found = ranked
    .filter(({ path }) => holdsTests(path) && path !== of && !tests.some((test) => test.path === path))
    .map(({ path }) => ({ path, why: 'matches the words' as const, of }));
  return [...tests, ...found].slice(0, fewestTests);
}

function precedentsOf(index: RepositoryIndex, query: SearchQuery): Precedent[] {
  return similarCommits(index, query.terms, 3).map(({ commit }) => ({
    id: commit.id.slice(0, 10),
    subject: subjectOf(commit),
    files: commit.files.filter((path) => index.byPath.has(path)),
  }));
}

function freePath(index: RepositoryIndex, title: string): string {
  const taken = new Set(index.snapshot.skipped.map(({ path }) => path));
  const words = splitIdentifier(title.normalize('NFKD').replace(/[^\w\s-]/g, '')).filter((word) =>
    /^[a-z0-9]+$/.test(word),
  );
  const name = words.slice(0, 4).join('-').slice(0, 80) || 'change';
  for (let number = 1; ; number += 1) {
    const path = `${name}${number === 1 ? '' : `-${number}`}.md`;
    if (!index.byPath.has(path) && !taken.has(path)) return path;
  }
}
