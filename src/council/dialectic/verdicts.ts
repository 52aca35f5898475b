import type { Side } from '../../base/schema/judgements/defence.ts';
import type { JudgeVote, JudgeVotes } from './judge-votes.ts';

/** A judge's position on one decision; `tie` is a judge that changed sides when the order was swapped. */
export type Position = Side | 'tie';

export type JudgeBallots = {
  judge: string;
  /** Votes on the rotated ballot. Absent: the lane failed, so this judge is ineligible everywhere (L-519). */
  rotated: JudgeVotes | undefined;
  /** Votes on the swapped ballot, when the judge was shown both orders. */
  swapped?: JudgeVotes | undefined;
};

export type CastVote = { judge: string; position: Position; rationale: string };

export type DecisionVerdict =
  | { outcome: 'voted'; winner: Side; thesis: number; antithesis: number; votes: CastVote[] }
  | { outcome: 'fallback'; reason: string; votes: CastVote[] };

export type VerdictRules = {
  /** Every judge sees both orders; an inconsistent one counts for neither side. */
  bothOrders?: boolean;
};

/** L-512, L-520: every judge counts. Two must agree, more need a majority; with fewer than two the synthesis is final. */
export function decide(
  number: number,
  judges: readonly JudgeBallots[],
  { bothOrders = false }: VerdictRules = {},
): DecisionVerdict {
  const votes = judges.flatMap((judge) => castVote(judge, number, bothOrders) ?? []);
  const counted = votes.filter(({ position }) => position !== 'tie');
  const thesis = counted.filter(({ position }) => position === 'THESIS').length;
  const antithesis = counted.length - thesis;
  const needed = Math.max(2, Math.floor(counted.length / 2) + 1);
  if (thesis >= needed) return { outcome: 'voted', winner: 'THESIS', thesis, antithesis, votes };
  if (antithesis >= needed) return { outcome: 'voted', winner: 'ANTI_THESIS', thesis, antithesis, votes };
  return {
    outcome: 'fallback',
    reason: openReason(thesis, antithesis, votes.length - counted.length),
    votes,
  };
}

function castVote(judge: JudgeBallots, number: number, bothOrders: boolean): CastVote | undefined {
  const rotated = judge.rotated?.[number];
  if (!bothOrders) return rotated && vote(judge, rotated);
  const swapped = judge.swapped?.[number];
  if (!rotated || !swapped) return undefined;
  if (rotated.vote === swapped.vote) return vote(judge, rotated);
  return {
    judge: judge.judge,
    position: 'tie',
    rationale: `Changed sides when the order was swapped: ${rotated.rationale} / ${swapped.rationale}`,
  };
}

function vote({ judge }: JudgeBallots, cast: JudgeVote): CastVote {
  return { judge, position: cast.vote, rationale: cast.rationale };
}

/** L-520 */
function openReason(thesis: number, antithesis: number, inconsistent: number): string {
  const voters = thesis + antithesis;
  const note = inconsistent === 0 ? '' : ` (${inconsistent} inconsistent)`;
  if (voters > 1) return `${thesis}-${antithesis} tie with ${voters} voters${note}`;
  return inconsistent === 0 ? `${voters} judges eligible` : `${thesis}-${antithesis}, two needed${note}`;
}
