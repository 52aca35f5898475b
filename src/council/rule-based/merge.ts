import type { Merge } from '../../base/schema/judgements/review.ts';
import { groupSimilar } from './similarity.ts';

export type MergedItem = { id: string; title: string; concern: string };

const sameFinding = 0.5;

/** Findings that say the same in mostly the same words (L-592: whichever scope); always a partition. */
export function mergeFindings(items: readonly MergedItem[]): Merge {
  const groups = groupSimilar(items, ({ title, concern }) => `${title} ${concern}`, sameFinding);
  return { clusters: groups.map((group) => ({ ids: group.map(({ id }) => id), title: null })) };
}
