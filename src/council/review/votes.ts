import { type Vote, type VoteToken, voteTokens } from '../../base/schema/judgements/vote.ts';
import { tidyLine } from '../../base/schema/primitives.ts';
import { readIdLines, settle } from '../../base/text/id-lines.ts';

export type CastVote = { vote: VoteToken; reason: string };

/** One voter's votes by item id. */
export type Votes = Record<string, CastVote>;

export type VotesReading = {
  votes: Votes;
  /** Items without a valid vote, or with two that differ. */
  missing: string[];
  warnings: string[];
};

export type VoteRules = {
  /** Without the third vote a stray EXONERATE counts as NO. */
  exonerate?: boolean;
};

/** L-637: one line per item, as a voter would write it. */
export function renderVotes(votes: Votes): string {
  return Object.entries(votes)
    .map(([id, { vote, reason }]) => `${id}: ${vote} — ${tidyLine(reason)}\n`)
    .join('');
}

/** L-638: reads vote lines out of text. */
export function readVotes(text: string, ids: readonly string[], rules: VoteRules = {}): VotesReading {
  const lines = readIdLines(text, ['FINDING', 'OOS'], voteTokens);
  return votesOf({ votes: lines.map(({ id, token, reason }) => ({ id, vote: token, reason })) }, ids, rules);
}

/** The same from a typed answer. */
export function votesOf(
  { votes: cast }: Vote,
  ids: readonly string[],
  { exonerate = true }: VoteRules = {},
): VotesReading {
  const onBallot = new Set(ids);
  const { entries, repeated, contradicted } = settleVotes(
    cast
      .filter(({ id }) => onBallot.has(id))
      .map((each) => (!exonerate && each.vote === 'EXONERATE' ? { ...each, vote: 'NO' as const } : each)),
  );
  const votes: Votes = Object.fromEntries(entries.map(({ id, vote, reason }) => [id, { vote, reason }]));
  return {
    votes,
    missing: ids.filter((id) => votes[id] === undefined),
    warnings: [
      ...repeated.map((id) => `${id} was voted on more than once; the first vote counts.`),
      ...contradicted.map((id) => `${id} got different votes; none of them counts.`),
    ],
  };
}

/** C-21: adds the votes of a repair turn; what was voted before stays, unless it contradicted itself. */
export function withRepair(first: Vote, repair: Vote): Vote {
  const { entries: kept } = settleVotes(first.votes);
  const voted = new Set(kept.map(({ id }) => id));
  return { votes: [...kept, ...repair.votes.filter(({ id }) => !voted.has(id))] };
}

function settleVotes(votes: Vote['votes']) {
  return settle(
    votes,
    ({ id }) => id,
    ({ vote }) => vote,
  );
}
