import type { VoteToken } from '../../base/schema/judgements/vote.ts';
import type { ReviewItem } from './items.ts';
import type { Quorum } from './quorum.ts';

export const outcomes = ['accepted', 'neutral', 'exonerated', 'rejected'] as const;
export type Outcome = (typeof outcomes)[number];

/** What one voter said about one item; `missing` is an error of that voter, not a vote (C-21). */
export type TallyVote = { voter: string; vote: VoteToken | 'missing'; reason: string };

export type TallyEntry = {
  item: ReviewItem;
  votes: TallyVote[];
  yes: number;
  no: number;
  exonerate: number;
  outcome: Outcome;
};

/** L-650: counts the votes of the eligible voters on every item. Without any voter nothing is accepted and nothing lost (F-19). */
export function tally(items: readonly ReviewItem[], quorum: Quorum): TallyEntry[] {
  const needed = quorum.needed ?? Number.POSITIVE_INFINITY;
  return items.map((item) => {
    const votes = quorum.eligible.map(({ label, votes: cast }): TallyVote => {
      const vote = cast?.[item.id];
      return vote
        ? { voter: label, vote: vote.vote, reason: vote.reason }
        : { voter: label, vote: 'missing', reason: '' };
    });
    const count = (token: VoteToken) => votes.filter(({ vote }) => vote === token).length;
    const [yes, no, exonerate] = [count('YES'), count('NO'), count('EXONERATE')];
    return { item, votes, yes, no, exonerate, outcome: outcomeOf({ yes, no, exonerate }, needed) };
  });
}

/** L-650. An item on which nobody voted is neutral: nothing is rejected without a NO. */
function outcomeOf(
  { yes, no, exonerate }: { yes: number; no: number; exonerate: number },
  needed: number,
): Outcome {
  if (yes >= needed) return 'accepted';
  if (yes > 0) return 'neutral';
  if (exonerate > 0) return 'exonerated';
  return no > 0 ? 'rejected' : 'neutral';
}

export function entriesOf(entries: readonly TallyEntry[], scope: ReviewItem['scope']): TallyEntry[] {
  return entries.filter(({ item }) => item.scope === scope);
}

/** Why an in-scope item is not implemented: the count against the bar, and every reason the voters gave. */
export function reasonNotImplemented(entry: TallyEntry, quorum: Quorum): string {
  const counts = `${entry.yes} YES, ${entry.no} NO, ${entry.exonerate} EXONERATE; ${quorum.needed ?? 'no voter answered, some'} YES needed (${entry.outcome}).`;
  const said = entry.votes
    .filter(({ vote }) => vote !== 'YES' && vote !== 'missing')
    .map(({ voter, vote, reason }) => `${voter}: ${vote}${reason === '' ? '' : ` — ${reason}`}`);
  const missing = entry.votes.filter(({ vote }) => vote === 'missing').map(({ voter }) => voter);
  const silent = missing.length === 0 ? [] : [`${missing.join(', ')} did not vote on it.`];
  return [counts, ...said, ...silent].join('\n');
}
