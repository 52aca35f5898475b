import type { NumberedDecision } from './decisions.ts';
import type { Resolution } from './resolutions.ts';

export const candidateReasons = ['not-covered', 'challenged', 'still-contested'] as const;
export type CandidateReason = (typeof candidateReasons)[number];

export type DiscussionCandidate = { decision: NumberedDecision; reasons: CandidateReason[] };

/** L-722: a vote of 2–1 (or any vote with dissent) is still open; every decision nobody judged is too. */
export function isStillContested(resolution: Resolution): boolean {
  if (resolution.disposition !== 'voted' || !resolution.tally) return true;
  return Math.min(resolution.tally.thesis, resolution.tally.antithesis) > 0;
}

/** L-722: what the second discussion round may ask about. Without a first round every decision counts as not covered. */
export function discussionCandidates({
  decisions,
  resolutions,
  coveredTitles,
  challenged,
}: {
  decisions: readonly NumberedDecision[];
  resolutions: readonly Resolution[];
  /** Titles settled in round 1. */
  coveredTitles: readonly string[];
  /** Numbers of decisions that an accepted finding speaks against. */
  challenged: readonly number[];
}): DiscussionCandidate[] {
  const covered = new Set(coveredTitles.map((title) => title.toLowerCase()));
  return decisions
    .map((decision) => {
      const resolution = resolutions.find(({ number }) => number === decision.number);
      const settled = resolution !== undefined && !isStillContested(resolution);
      const reasons: CandidateReason[] = [];
      if (!covered.has(decision.title.toLowerCase()) && !settled) reasons.push('not-covered');
      if (challenged.includes(decision.number)) reasons.push('challenged');
      if (resolution !== undefined && !settled) reasons.push('still-contested');
      return { decision, reasons };
    })
    .filter(({ reasons }) => reasons.length > 0);
}
