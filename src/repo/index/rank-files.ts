import { testNeighbours } from './import-graph.ts';
import { passageReader } from './passages.ts';
import { type ChangeHistory, coChanges, type RepositoryIndex, similarCommits } from './repository-index.ts';
import { readQuery, type SearchQuery } from './search-query.ts';
import type { FileKind } from './snapshot.ts';
import { type FieldWeight, type QueryTerm, scoreDocuments } from './words.ts';

/** Why a file was proposed, each with its part of the score. */
export type Signal =
  | { signal: 'title' | 'details' | 'name' | 'declared' | 'declares'; score: number }
  | { signal: 'passage'; score: number; line: number }
  | { signal: 'further passages' | 'title passage' | 'phrases' | 'named' | 'often changed'; score: number }
  | { signal: 'history' | 'title history'; score: number; commits: string[] }
  | { signal: 'changed with test' | 'tested'; score: number; of: string }
  | { signal: 'imported by' | 'imports' | 'changed with' | 'tests'; score: number; of: string };

export type RankedFile = { path: string; kind: FileKind; score: number; signals: Signal[] };

type Field = 'name' | 'declared' | 'body';

/** Everything the ranking weighs, in one place; bench/localise.ts and bench/recall.ts measure it. */
export const rankingWeights = {
  fields: {
    name: { weight: 4, lengthPenalty: 0.3 },
    declared: { weight: 2, lengthPenalty: 0.6 },
    body: { weight: 1, lengthPenalty: 0.75 },
  } satisfies Record<Field, FieldWeight>,
  /** Names alone are scored once more: a file called like the subject is most often the subject. */
  nameFields: { name: { weight: 1, lengthPenalty: 0.6 } },
  declaredFields: { declared: { weight: 1, lengthPenalty: 0.6 } },
  title: 0.75,
  details: 1.1,
  name: 1,
  declared: 1,
  declares: 0.8,
  passage: 1.1,
  furtherPassages: 0.7,
  titlePassage: 0.7,
  phrases: 1,
  named: 1.2,
  history: 0.75,
  titleHistory: 0.7,
  similarCommits: 60,
  /** How much a commit's weight is spread over the files it touched (0: not at all, 1: evenly). */
  historySpread: 0.5,
  /** How many tests lead to what they test. */
  bestTests: 12,
  changedWithTest: 1,
  tested: 0.4,
  prior: 0.35,
  /** Commits after which a change counts a third. */
  priorHalfLife: 300,
  kinds: { source: 1, test: 0.33, document: 0.33, configuration: 0.6, other: 0.5 } satisfies Record<
    FileKind,
    number
  >,
  askedKind: 1.2,
  /** Examples, demonstrations and benchmarks use what the sources define. */
  example: 0.6,
  /** Declarations of types follow the sources that they describe. */
  typesOnly: 0.85,
  /** How many files are read closely. */
  read: 100,
  /** How many of the best files hand on a part of their score to their neighbours. */
  seeds: 12,
  imported: 0.03,
  importer: 0.03,
  coChange: 0.2,
  test: 0.1,
};
export type RankingWeights = typeof rankingWeights;

/** Ranks the files that a described change probably touches, best first, with the reasons. */
export function rankFiles(
  index: RepositoryIndex,
  description: string | SearchQuery,
  limit = 30,
  weights: RankingWeights = rankingWeights,
): RankedFile[] {
  const query = typeof description === 'string' ? readQuery(description, index.vocabulary) : description;
  const ranked = new Map<string, RankedFile>();
  const add = (path: string, signal: Signal) => {
    const file = index.byPath.get(path);
    if (file === undefined || signal.score <= 0) return;
    const entry = ranked.get(path) ?? { path, kind: file.kind, score: 0, signals: [] };
    entry.score += signal.score;
    entry.signals.push(signal);
    ranked.set(path, entry);
  };
  const words = addWords(index, query, weights, add);
  addTested(index, words, weights, add);
  addHistory(index, query, weights, add);
  addPrior(index, weights, add);
  weighKinds(ranked, query, weights);
  const close = [...ranked.values()].sort(byScore).slice(0, weights.read);
  addReadings(index, query, close, weights, add);
  addNeighbours(index, [...ranked.values()].sort(byScore).slice(0, weights.seeds), query, weights, add);
  return [...ranked.values()].sort(byScore).slice(0, limit);
}

type Add = (path: string, signal: Signal) => void;

function addWords(index: RepositoryIndex, query: SearchQuery, weights: RankingWeights, add: Add) {
  const score = (
    fields: Partial<Record<Field, FieldWeight>>,
    terms: readonly QueryTerm[],
    weight: number,
  ): Float64Array => {
    const scores = scoreDocuments<Field>(index.files, fields, terms);
    const best = scores.reduce((a, b) => Math.max(a, b), 1e-9);
    return scores.map((value) => (value * weight) / best);
  };
  const parts = [
    ['title', score(weights.fields, query.title, weights.title)],
    ['details', score(weights.fields, query.details, weights.details)],
    ['name', score(weights.nameFields, query.terms, weights.name)],
    ['declared', score(weights.declaredFields, query.terms, weights.declared)],
    ['declares', score(weights.declaredFields, query.identifiers, weights.declares)],
  ] as const;
  for (const [position, { path }] of index.files.entries()) {
    for (const [signal, scores] of parts) add(path, { signal, score: scores[position] ?? 0 });
    add(path, { signal: 'named', score: query.mentions(path) * weights.named });
  }
  return index.files.map(({ path }, position) => ({
    path,
    score: (parts[0][1][position] ?? 0) + (parts[1][1][position] ?? 0),
  }));
}

/** Files that similar commits touched; the nearest commits count most. */
function addHistory(index: RepositoryIndex, query: SearchQuery, weights: RankingWeights, add: Add): void {
  const search = (
    signal: 'history' | 'title history',
    terms: readonly QueryTerm[],
    sharpness: number,
    weight: number,
  ) => {
    const found = new Map<string, { score: number; commits: string[] }>();
    const similar = similarCommits(index, terms, weights.similarCommits);
    for (const { commit, score } of similar) {
      const share = (score / (similar[0]?.score ?? score)) ** sharpness;
      for (const path of commit.files) {
        const entry = found.get(path) ?? { score: 0, commits: [] };
        entry.score += share / commit.files.length ** weights.historySpread;
        if (entry.commits.length < 3) entry.commits.push(commit.id);
        found.set(path, entry);
      }
    }
    const best = Math.max(1e-9, ...[...found.values()].map(({ score }) => score));
    for (const [path, { score, commits }] of found)
      add(path, { signal, score: (weight * score) / best, commits });
  };
  search('history', query.terms, 4, weights.history);
  search('title history', query.title, 2, weights.titleHistory);
}

/** Tests describe behaviour in the words of issues: what changed with the tests that fit best, or is imported by them. */
function addTested(
  index: RepositoryIndex,
  words: readonly { path: string; score: number }[],
  weights: RankingWeights,
  add: Add,
): void {
  const tests = words
    .filter(({ path, score }) => score > 0 && index.byPath.get(path)?.kind === 'test')
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .slice(0, weights.bestTests);
  const changed = new Map<string, { score: number; of: string }>();
  const imported = new Map<string, { score: number; of: string }>();
  const count = (found: typeof changed, path: string, score: number, of: string) => {
    const entry = found.get(path) ?? { score: 0, of };
    found.set(path, { score: entry.score + score, of: entry.of });
  };
  for (const [place, { path: of, score }] of tests.entries()) {
    const weight = score / (tests[0]?.score ?? score) / (1 + 0.3 * place);
    const positions = index.history.touches.get(of) ?? [];
    for (const position of positions) {
      const files = index.history.commits[position]?.files ?? [];
      for (const path of files) {
        if (path !== of) count(changed, path, weight / Math.sqrt(files.length) / (positions.length + 2), of);
      }
    }
    const imports = index.graph.imports.get(of) ?? [];
    for (const path of imports) count(imported, path, weight / Math.sqrt(imports.length), of);
  }
  for (const [signal, found, weight] of [
    ['changed with test', changed, weights.changedWithTest],
    ['tested', imported, weights.tested],
  ] as const) {
    const best = Math.max(1e-9, ...[...found.values()].map(({ score }) => score));
    for (const [path, { score, of }] of found) add(path, { signal, score: (weight * score) / best, of });
  }
}

/** Files that change often are likelier to change again. */
function addPrior({ history }: { history: ChangeHistory }, weights: RankingWeights, add: Add): void {
  const recent = new Map<string, number>();
  for (const [path, positions] of history.touches) {
    const count = positions.reduce((sum, position) => sum + Math.exp(-position / weights.priorHalfLife), 0);
    recent.set(path, Math.log1p(count));
  }
  const best = Math.max(1e-9, ...recent.values());
  for (const [path, value] of recent)
    add(path, { signal: 'often changed', score: (weights.prior * value) / best });
}

const examplePath = /(?:^|\/)(?:bench|benches|benchmarks?|demos?|examples?|playground|sandbox)\//;

type Named = Pick<RankedFile, 'path' | 'kind'>;

function kindFactor({ path, kind }: Named, query: SearchQuery, weights: RankingWeights): number {
  const factor = query.asksFor.has(kind) ? weights.askedKind : weights.kinds[kind];
  if (kind !== 'source' || query.mentions(path) > 0) return factor;
  return (
    factor * (examplePath.test(path) ? weights.example : /\.d\.[cm]?ts$/.test(path) ? weights.typesOnly : 1)
  );
}

function weighKinds(ranked: Map<string, RankedFile>, query: SearchQuery, weights: RankingWeights): void {
  for (const entry of ranked.values()) {
    const factor = kindFactor(entry, query, weights);
    entry.score *= factor;
    for (const signal of entry.signals) signal.score *= factor;
  }
}

/** Reads the best files closely: one passage that fits says more than the same words all over a long file. */
function addReadings(
  index: RepositoryIndex,
  query: SearchQuery,
  files: readonly RankedFile[],
  weights: RankingWeights,
  add: Add,
): void {
  const read = passageReader(index, query);
  const readings = files.map(({ path, kind }) => ({ path, kind, ...read(path) }));
  const repeats = new Map<string, number>();
  for (const { phrases } of readings)
    for (const phrase of phrases) repeats.set(phrase, (repeats.get(phrase) ?? 0) + 1);
  const phraseScore = (phrases: readonly string[]) =>
    phrases.reduce(
      (sum, phrase) =>
        sum + (query.phrases.get(phrase) ?? 0) * Math.log(readings.length / (repeats.get(phrase) ?? 1)),
      0,
    );
  const scored = readings.map((reading) => ({ ...reading, repeated: phraseScore(reading.phrases) }));
  const best = (of: (reading: (typeof scored)[number]) => number) =>
    scored.reduce((most, reading) => Math.max(most, of(reading)), 1e-9);
  const [top, further, title, repeated] = [
    best((reading) => reading.best),
    best((reading) => reading.further),
    best((reading) => reading.title),
    best((reading) => reading.repeated),
  ];
  for (const reading of scored) {
    const factor = kindFactor(reading, query, weights);
    const { path, line } = reading;
    add(path, { signal: 'passage', score: (factor * weights.passage * reading.best) / top, line });
    add(path, {
      signal: 'further passages',
      score: (factor * weights.furtherPassages * reading.further) / further,
    });
    add(path, { signal: 'title passage', score: (factor * weights.titlePassage * reading.title) / title });
    add(path, { signal: 'phrases', score: (factor * weights.phrases * reading.repeated) / repeated });
  }
}

function addNeighbours(
  index: RepositoryIndex,
  seeds: readonly RankedFile[],
  query: SearchQuery,
  weights: RankingWeights,
  add: Add,
): void {
  const gains = new Map<string, Signal>();
  const offer = (path: string, signal: Signal) => {
    const known = gains.get(path);
    if (known === undefined || known.score < signal.score) gains.set(path, signal);
  };
  for (const { path, kind, score } of seeds.map((seed) => ({ ...seed }))) {
    const { imports, importers } = index.graph;
    for (const other of (imports.get(path) ?? []).slice(0, 20)) {
      offer(other, { signal: 'imported by', score: score * weights.imported, of: path });
    }
    const users = importers.get(path) ?? [];
    for (const other of users.slice(0, 20)) {
      offer(other, {
        signal: 'imports',
        score: (score * weights.importer) / Math.sqrt(users.length),
        of: path,
      });
    }
    for (const { path: other, share, together } of coChanges(index.history, path, 12)) {
      const file = index.byPath.get(other);
      if (together < 2 || file === undefined) continue;
      const factor = kindFactor(file, query, weights);
      offer(other, { signal: 'changed with', score: score * share * factor * weights.coChange, of: path });
    }
    if (kind !== 'source') continue;
    for (const [place, test] of testNeighbours(path, index.graph, index.tests).slice(0, 4).entries()) {
      const factor = query.asksFor.has('test') ? weights.askedKind : 1;
      offer(test.path, { signal: 'tests', score: (score * weights.test * factor) / (1 + place), of: path });
    }
  }
  for (const [path, signal] of gains) add(path, signal);
}

const byScore = (a: RankedFile, b: RankedFile): number => b.score - a.score || (a.path < b.path ? -1 : 1);
