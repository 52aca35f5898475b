import { type Vote, type VoteToken, voteTokens } from '../base/schema/judgements/review.ts';
import { tidyLine } from '../base/schema/primitives.ts';
import { trimEndChars } from '../base/text/strings.ts';
import { readIdLines, settle } from './id-lines.ts';

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

/** A voter and what came back. Without any valid vote the voter is not eligible. */
export type VoterBallot = {
  /** A fixed label of the seat, never a model's name (F-41). */
  label: string;
  votes: Votes | undefined;
  /** Why there are no votes. */
  failure?: string;
};

export const quorumTiers = ['panel', 'pair', 'single', 'none'] as const;
export type QuorumTier = (typeof quorumTiers)[number];

export type Quorum = {
  tier: QuorumTier;
  eligible: VoterBallot[];
  absent: VoterBallot[];
  /** YES votes that accept an item; missing when no voter answered. */
  needed?: number;
  rule: string;
};

/** L-640, C-20, C-21: the bar is set by how many voters answered at all, never lowered item by item. */
export function quorumOf(ballots: readonly VoterBallot[]): Quorum {
  const eligible = ballots.filter(({ votes }) => votes !== undefined && Object.keys(votes).length > 0);
  const absent = ballots.filter((ballot) => !eligible.includes(ballot));
  const count = eligible.length;
  if (count === 0) {
    return {
      tier: 'none',
      eligible,
      absent,
      rule: 'no voter answered: the planning agent must vote (main-agent-vote-required)',
    };
  }
  if (count === 1)
    return {
      tier: 'single',
      eligible,
      absent,
      needed: 1,
      rule: 'one voter answered: that vote decides alone',
    };
  if (count === 2)
    return { tier: 'pair', eligible, absent, needed: 2, rule: 'two voters answered: both must say YES' };
  const needed = Math.floor(count / 2) + 1;
  return { tier: 'panel', eligible, absent, needed, rule: `${count} voters answered: ${needed} YES accept` };
}

/** L-639 */
export function voterWarning(ballot: VoterBallot, remaining: readonly VoterBallot[]): string {
  const names = remaining.map(({ label }) => label).join(', ') || 'none';
  return `**⚠ ${ballot.label} voter failed — ${whyAbsent(ballot)}. Proceeding with ${remaining.length} voters (${names}).**`;
}

/** L-642: the loud line of a panel with empty chairs; `undefined` when everybody voted. */
export function degradedWarning({ absent, rule }: Quorum): string | undefined {
  if (absent.length === 0) return undefined;
  const who = absent.map((ballot) => `${ballot.label} (${whyAbsent(ballot)})`).join(', ');
  return `**⚠ Degraded voting panel: missing ${who}. Rule: ${rule}.**`;
}

function whyAbsent({ failure = 'no vote line could be read' }: VoterBallot): string {
  return trimEndChars(failure, '.');
}
