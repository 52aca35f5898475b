import { withoutLast } from '../../base/text/without-last.ts';
import type { Votes } from './votes.ts';

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
  /** YES votes that accept an item; absent when somebody has to vote first. */
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
  return withoutLast(failure, '.');
}
