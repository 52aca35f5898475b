import { scoreDocuments } from './bm25.ts';
import { coChanges } from './change-history.ts';
import type { FileKind } from './file-kinds.ts';
import { type RankingWeights, rankingWeights } from './ranking-weights.ts';
import type { RepositoryIndex } from './repository-index.ts';
import { readQuery, type SearchQuery } from './search-query.ts';
import { similarCommits } from './similar-commits.ts';
import { testNeighbours } from './test-neighbours.ts';

/** Why a file was proposed, each with its part of the score. */
export type Signal =
  | { signal: 'words'; score: number; terms: string[] }
  | { signal: 'named'; score: number }
  | { signal: 'history'; score: number; commits: string[] }
  | { signal: 'often changed'; score: number }
  | { signal: 'imported by' | 'imports' | 'changed with' | 'tests' | 'beside'; score: number; of: string };

export type RankedFile = { path: string; kind: FileKind; score: number; signals: Signal[] };

/** The files a change described in words most likely touches, best first, with the reasons. */
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
  addWords(index, query, weights, add);
  addHistory(index, query, weights, add);
  addPrior(index, weights, add);
  weighKinds(ranked, query, weights);
  addNeighbours(index, [...ranked.values()].sort(byScore).slice(0, weights.seeds), query, weights, add);
  return [...ranked.values()].sort(byScore).slice(0, limit);
}

type Add = (path: string, signal: Signal) => void;

function addWords(index: RepositoryIndex, query: SearchQuery, weights: RankingWeights, add: Add): void {
  const scores = scoreDocuments<'name' | 'declared' | 'body'>(index.files, weights.fields, query.terms);
  const best = scores.reduce((a, b) => Math.max(a, b), 1e-9);
  for (const [position, { path }] of index.files.entries()) {
    const score = scores[position] ?? 0;
    if (score > 0) add(path, { signal: 'words', score: (weights.words * score) / best, terms: query.words });
    if (query.mentions(path)) add(path, { signal: 'named', score: weights.named });
  }
}

function addHistory(index: RepositoryIndex, query: SearchQuery, weights: RankingWeights, add: Add): void {
  const found = new Map<string, { score: number; commits: string[] }>();
  for (const { commit, score } of similarCommits(index, query, weights.similarCommits)) {
    for (const path of commit.files) {
      const entry = found.get(path) ?? { score: 0, commits: [] };
      entry.score += score / commit.files.length ** weights.historySpread;
      if (entry.commits.length < 3) entry.commits.push(commit.id);
      found.set(path, entry);
    }
  }
  const best = Math.max(1e-9, ...[...found.values()].map(({ score }) => score));
  for (const [path, { score, commits }] of found) {
    add(path, { signal: 'history', score: (weights.history * score) / best, commits });
  }
}

/** Files that change often are likelier to change again. */
function addPrior(index: RepositoryIndex, weights: RankingWeights, add: Add): void {
  const recent = new Map<string, number>();
  for (const [path, positions] of index.history.touches) {
    const count = positions.reduce((sum, position) => sum + Math.exp(-position / weights.priorHalfLife), 0);
    recent.set(path, Math.log1p(count));
  }
  const best = Math.max(1e-9, ...recent.values());
  for (const [path, value] of recent)
    add(path, { signal: 'often changed', score: (weights.prior * value) / best });
}

function weighKinds(ranked: Map<string, RankedFile>, query: SearchQuery, weights: RankingWeights): void {
  for (const entry of ranked.values()) {
    const factor = query.asksFor.has(entry.kind) ? weights.askedKind : weights.kinds[entry.kind];
    entry.score *= factor;
    for (const signal of entry.signals) signal.score *= factor;
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
      if (together > 1)
        offer(other, { signal: 'changed with', score: score * share * weights.coChange, of: path });
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
