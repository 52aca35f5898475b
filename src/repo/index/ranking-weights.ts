import type { FieldWeight } from './bm25.ts';
import type { FileKind } from './file-kinds.ts';

/** Everything the ranking weighs, in one place; bench/recall.ts measures it. */
export type RankingWeights = {
  fields: Record<'name' | 'declared' | 'body', FieldWeight>;
  /** Part of the score by words, relative to the best file. */
  words: number;
  named: number;
  history: number;
  similarCommits: number;
  /** How much a commit's weight is spread over the files it touched (0: not at all, 1: evenly). */
  historySpread: number;
  prior: number;
  /** Commits after which a change counts a third. */
  priorHalfLife: number;
  kinds: Record<FileKind, number>;
  askedKind: number;
  /** How many of the best files hand on a part of their score to their neighbours. */
  seeds: number;
  imported: number;
  importer: number;
  coChange: number;
  test: number;
};

export const rankingWeights: RankingWeights = {
  fields: {
    name: { weight: 4, lengthPenalty: 0.3 },
    declared: { weight: 2, lengthPenalty: 0.6 },
    body: { weight: 1, lengthPenalty: 0.75 },
  },
  words: 1,
  named: 1,
  history: 0.5,
  similarCommits: 40,
  historySpread: 0.5,
  prior: 0.08,
  priorHalfLife: 150,
  kinds: { source: 1, test: 0.9, document: 0.6, configuration: 0.6, other: 0.5 },
  askedKind: 1.2,
  seeds: 12,
  imported: 0.06,
  importer: 0.06,
  coChange: 0.35,
  test: 0.25,
};
