import type { Side } from '../schema/judgements/defence.ts';
import type { JudgeVote, JudgeVotes } from './judge-votes.ts';

/** A judge's position on one decision; `tie` is a judge that changed sides when the order was swapped. */
export type Position = Side | 'tie';

export type JudgeBallots = {
  judge: string;
  family: string;
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
  /** Judges of these families count only when fewer than two others voted. */
  authorFamilies?: readonly string[];
};

/** L-520: two eligible judges must agree, more need a majority, fewer than two leave the synthesis standing. */
export function decide(
  number: number,
  judges: readonly JudgeBallots[],
  { bothOrders = false, authorFamilies = [] }: VerdictRules = {},
): DecisionVerdict {
  const all = judges.flatMap((judge) => {
    const cast = castVote(judge, number, bothOrders);
    return cast === undefined ? [] : [{ ...cast, family: judge.family }];
  });
  // One that changed sides has not voted: it neither decides anything nor keeps others from being heard.
  const independent = all.filter(({ family }) => !authorFamilies.includes(family));
  // One independent judge alone decides nothing, so those of the author’s family are heard then too.
  const heard = independent.filter(isConsistent).length > 1 ? independent : all;
  const votes = heard.map(({ family: _, ...vote }) => vote);
  const counted = votes.filter(isConsistent);
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

function isConsistent({ position }: CastVote): boolean {
  return position !== 'tie';
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
