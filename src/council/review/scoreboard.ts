import type { Outcome, TallyEntry } from './tally.ts';

/** L-651: whether out-of-scope items can cost points. */
export type OutOfScopeScoring = 'reward-only' | 'symmetric';

export type ScoreRow = {
  reviewer: string;
  findings: number;
  accepted: number;
  neutral: number;
  exonerated: number;
  rejected: number;
  outOfScopeProposed: number;
  outOfScopeAccepted: number;
  score: number;
};

const points: Record<Outcome, number> = { accepted: 1, neutral: 0, exonerated: 0, rejected: -1 };

/** L-650…L-652: one row per reviewer, also for those who found nothing; merged items score for all who raised them. */
export function scoreboard(
  entries: readonly TallyEntry[],
  reviewers: readonly string[],
  scoring: OutOfScopeScoring = 'reward-only',
): ScoreRow[] {
  const names = [...new Set([...reviewers, ...entries.flatMap(({ item }) => item.proposers)])];
  return names.map((reviewer) => {
    const mine = entries.filter(({ item }) => item.proposers.includes(reviewer));
    const inScope = mine.filter(({ item }) => item.scope === 'in-scope');
    const outside = mine.filter(({ item }) => item.scope === 'out-of-scope');
    const having = (outcome: Outcome) => inScope.filter((entry) => entry.outcome === outcome).length;
    const outsideScore = outside.map(({ outcome }) =>
      scoring === 'symmetric' ? points[outcome] : Math.max(0, points[outcome]),
    );
    return {
      reviewer,
      findings: inScope.length,
      accepted: having('accepted'),
      neutral: having('neutral'),
      exonerated: having('exonerated'),
      rejected: having('rejected'),
      outOfScopeProposed: outside.length,
      outOfScopeAccepted: outside.filter(({ outcome }) => outcome === 'accepted').length,
      score: sum([...inScope.map(({ outcome }) => points[outcome]), ...outsideScore]),
    };
  });
}

export function signed(score: number): string {
  return score > 0 ? `+${score}` : `${score}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
