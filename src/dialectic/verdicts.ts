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
  /** Every judge sees both orders and an inconsistent one is a tie. */
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
  const independent = all.filter(({ family }) => !authorFamilies.includes(family));
  // One independent judge alone decides nothing, so those of the author’s family are heard then too.
  const votes = (independent.length > 1 ? independent : all).map(({ family: _, ...vote }) => vote);
  const thesis = votes.filter(({ position }) => position === 'THESIS').length;
  const antithesis = votes.filter(({ position }) => position === 'ANTI_THESIS').length;
  const needed = Math.max(2, Math.floor(votes.length / 2) + 1);
  if (votes.length < 2) return { outcome: 'fallback', reason: `${votes.length} judges eligible`, votes };
  if (thesis >= needed) return { outcome: 'voted', winner: 'THESIS', thesis, antithesis, votes };
  if (antithesis >= needed) return { outcome: 'voted', winner: 'ANTI_THESIS', thesis, antithesis, votes };
  return { outcome: 'fallback', reason: tieReason(thesis, antithesis, votes.length), votes };
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

function tieReason(thesis: number, antithesis: number, voters: number): string {
  const inconsistent = voters - thesis - antithesis;
  const note = inconsistent === 0 ? '' : ` (${inconsistent} inconsistent)`;
  return `${thesis}-${antithesis} tie with ${voters} voters${note}`;
}
