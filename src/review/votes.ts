import { type Vote, type VoteToken, voteTokens } from '../schema/judgements/vote.ts';
import { tidyLine } from '../schema/primitives.ts';
import { readIdLines } from '../text/id-lines.ts';

export type CastVote = { vote: VoteToken; reason: string };

/** One voter's votes by item id. */
export type Votes = Record<string, CastVote>;

export type VotesReading = {
  votes: Votes;
  /** Items without a valid line. */
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
  const { lines, repeated } = readIdLines(text, ['FINDING', 'OOS'], voteTokens);
  return collect(
    lines.map(({ id, token, reason }) => ({ id, vote: token, reason })),
    repeated,
    ids,
    rules,
  );
}

/** The same from a typed answer. */
export function votesOf({ votes }: Vote, ids: readonly string[], rules: VoteRules = {}): VotesReading {
  const seen = new Set<string>();
  const repeated = votes.flatMap(({ id }) => {
    const again = seen.has(id);
    seen.add(id);
    return again ? [id] : [];
  });
  return collect(votes, repeated, ids, rules);
}

/** C-21: adds the votes of a repair turn; what was voted before stays. */
export function withRepair(first: Vote, repair: Vote): Vote {
  const voted = new Set(first.votes.map(({ id }) => id));
  return { votes: [...first.votes, ...repair.votes.filter(({ id }) => !voted.has(id))] };
}

function collect(
  cast: readonly (CastVote & { id: string })[],
  repeated: readonly string[],
  ids: readonly string[],
  { exonerate = true }: VoteRules,
): VotesReading {
  const votes: Votes = {};
  const onBallot = new Set(ids);
  for (const { id, vote, reason } of cast) {
    if (!onBallot.has(id)) continue;
    votes[id] ??= { vote: !exonerate && vote === 'EXONERATE' ? 'NO' : vote, reason };
  }
  return {
    votes,
    missing: ids.filter((id) => votes[id] === undefined),
    warnings: [...new Set(repeated)].map((id) => `${id} was voted on more than once; the first vote counts.`),
  };
}
