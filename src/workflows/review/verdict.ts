import { CharretteError } from '../../base/errors.ts';
import type { ChangeSeverity } from '../../base/schema/judgements/change-review.ts';
import { counted } from '../../base/text/strings.ts';
import type { Seat } from '../../council/council.ts';
import type { Quorum } from '../../council/vote.ts';
import type { Known } from './baseline.ts';
import type { Merged } from './findings.ts';
import { type ReviewInputs, reaches } from './inputs.ts';

/** `unconfirmed`: some said YES, too few; `disputed`: about security, outvoted, and still shown. */
export const verdicts = ['accepted', 'disputed', 'unconfirmed', 'rejected'] as const;
export type Verdict = (typeof verdicts)[number];

/** what the report says of a finding. */
export type ReviewFinding = Merged & {
  votes: { yes: number; no: number; missing: number };
  verdict: Verdict;
  /** decided before; counted, not repeated. */
  known?: Known['decision'];
};

export type Decided = { findings: ReviewFinding[]; rule: string };

const own = 'Somebody other than its reviewers must agree when others vote.';

/** the votes of everybody who answered, and that no reviewer passes its finding alone. Throws when nobody voted. */
export function decide(
  findings: readonly Merged[],
  { eligible, tier, needed = Number.POSITIVE_INFINITY, rule }: Quorum,
  seats: readonly Seat[],
): Decided {
  if (tier === 'none')
    throw new CharretteError({
      code: 'no-reviews',
      message: `Nobody voted on ${counted(findings.length, 'finding')}.`,
      fix: 'See the warnings above for each voter; fix the cause, then resume the run.',
      retryable: true,
    });
  const voters = eligible.map(({ label, votes = {}, agent }) => ({
    agent: agent ?? seats.find((seat) => seat.label === label)?.agents[0] ?? label,
    votes,
  }));
  const agents = new Set(voters.map(({ agent }) => agent));
  const decided = findings.map((finding): ReviewFinding => {
    const saying = (token: string) => voters.filter(({ votes }) => votes[finding.id]?.vote === token);
    const [yes, no] = [saying('YES'), saying('NO')];
    const sources = new Set(finding.sources.map(({ agent }) => agent));
    const isSeconded = sources.size > 1 || agents.size === 1 || yes.some(({ agent }) => !sources.has(agent));
    const verdict =
      yes.length >= needed && isSeconded
        ? 'accepted'
        : yes.length > 0 || no.length === 0
          ? 'unconfirmed'
          : 'rejected';
    const votes = { yes: yes.length, no: no.length, missing: voters.length - yes.length - no.length };
    return { ...finding, votes, verdict: heldAgainst(finding, verdict) };
  });
  return { findings: decided, rule: agents.size > 1 ? `${rule}. ${own}` : rule };
}

/** One agent alone: without voters the evidence decides. */
export function withoutVote(findings: readonly Merged[]): Decided {
  return {
    findings: findings.map((finding) => ({
      ...finding,
      votes: { yes: 0, no: 0, missing: 0 },
      verdict: finding.evidence === 'unanchored' ? 'unconfirmed' : 'accepted',
    })),
    rule: 'one agent reviewed and nobody voted: what it quoted was found, nothing more is known',
  };
}

/** A severe finding about security with evidence is never outvoted. */
function heldAgainst({ security, severity, evidence }: Merged, verdict: Verdict): Verdict {
  const isSevere = severity === 'blocking' || severity === 'major';
  return security && isSevere && evidence !== 'unanchored' && verdict !== 'accepted' ? 'disputed' : verdict;
}

/** The findings that the author must see: new, caused by the change, and no matter of taste. */
export function isOpen({ verdict, known, preExisting, severity }: ReviewFinding): boolean {
  return isStanding({ verdict, known }) && !preExisting && severity !== 'nit';
}

export function isStanding({ verdict, known }: Pick<ReviewFinding, 'verdict' | 'known'>): boolean {
  return (verdict === 'accepted' || verdict === 'disputed') && known === undefined;
}

/** open findings at or above the bar; one whose place is not found blocks nothing. */
export function failing(findings: readonly ReviewFinding[], failOn: ReviewInputs['failOn']): ReviewFinding[] {
  return findings.filter(
    (finding) =>
      isOpen(finding) &&
      finding.evidence !== 'unanchored' &&
      reaches(finding.severity as ChangeSeverity, failOn),
  );
}
