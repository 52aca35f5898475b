import { withoutCode } from '../base/markdown/lines.ts';
import type { Plan } from '../base/schema/judgements/plan.ts';
import type { Citation, Finding, FocusArea, Severity } from '../base/schema/judgements/review.ts';
import { renderPlan } from '../plan/plan-text.ts';
import type { Commission } from '../prompts/panel/common.ts';
import { planReviewPrompt } from '../prompts/panel/plan-review.ts';
import { type Council, type Reply, type Seat, warnOfFailures } from './council.ts';
import { renderFindings } from './findings-text.ts';
import type { Resolution } from './resolutions.ts';
import { renderVoted } from './resolutions-text.ts';
import { answerFile, attribution } from './seating.ts';

/** What opening the cited places at the base commit showed. `none`: nothing was cited. */
export const evidenceMarks = ['found', 'moved', 'missing', 'none', 'unchecked'] as const;
export type EvidenceMark = (typeof evidenceMarks)[number];

/** A finding as one reviewer raised it. */
export type RaisedFinding = Finding & {
  /** Attribution label (L-591). */
  reviewer: string;
  /** The seat it came from, kept even when labels merge. */
  seat: string;
  evidence: EvidenceMark;
};

/** A finding before merging, with the id that merge answers refer to. */
export type Candidate = RaisedFinding & { id: string };

export type Scope = 'in-scope' | 'out-of-scope';

/** An item on the ballot: one finding, or several that mean the same. */
export type ReviewItem = {
  /** `FINDING_N` or `OOS_N`. */
  id: string;
  scope: Scope;
  title: string;
  focusArea: FocusArea;
  severity: Severity;
  concern: string;
  suggestedRevision: string;
  citations: Citation[];
  evidence: EvidenceMark;
  /** Labels of all who raised it, in order, each once. */
  proposers: string[];
  seats: string[];
  /** L-694: must not be published. */
  security: boolean;
};

export type ReviewBrief = {
  commission: Commission;
  plan: Plan;
  resolutions: readonly Resolution[];
  /** Whether voted resolutions bind the plan. */
  binding: boolean;
};

/** Step 3, the round: all reviewers check the plan against the code in parallel, each for itself (L-580…L-591). */
export async function review(
  council: Council,
  { reviewers, author }: { reviewers: readonly Seat[]; author: Seat },
  { commission, plan, resolutions, binding }: ReviewBrief,
  round: number,
): Promise<{ raised: RaisedFinding[]; replies: Reply<'review'>[] }> {
  const text = renderPlan(plan);
  const replies = await council.ask(
    'review',
    reviewers.map((seat) => [
      seat,
      {
        key: round === 1 ? seat.id : `${seat.id}-round-${round}`,
        kind: 'plan-review',
        judgement: 'review',
        draft: (schema, maximumEffort) =>
          planReviewPrompt({
            commission,
            stance: seat.stance,
            plan: text,
            resolutions: binding ? renderVoted(resolutions) : '',
            competition: true,
            schema,
            maximumEffort,
          }),
        facts: { plan, resolutions },
      },
    ]),
    'reviewers',
  );
  await council.checkTree('plan-review-collection', round);
  const answers = reviewers.flatMap((seat, index) => {
    const reply = replies[index];
    return reply === undefined ? [] : [{ seat, reply }];
  });
  // L-582, F-24: every review has its own file.
  for (const { seat, reply } of answers) {
    if (!reply.ok) continue;
    const name = answerFile(seat, reply.agent);
    await council.artifact(
      round === 1 ? name : name.replace(/-output\.txt$/, `-round-${round}-output.txt`),
      renderFindings(reply.value.findings),
    );
  }
  const raised = answers.flatMap(({ seat, reply }) => {
    warnOfFailures(council, seat.label, reply);
    const reviewer = attribution(seat, reply.agent, author.agents[0]);
    const findings = reply.ok ? reply.value.findings : [];
    return findings.map((finding) => raisedBy(reviewer, seat.id, finding));
  });
  return { raised, replies };
}

/** A finding whose citations are not checked yet. */
export function raisedBy(reviewer: string, seat: string, finding: Finding): RaisedFinding {
  return { ...finding, reviewer, seat, evidence: 'unchecked' };
}

/** Gives raised findings the ids `ITEM_1`, `ITEM_2`, … in the order of seats. */
export function numberCandidates(raised: readonly RaisedFinding[]): Candidate[] {
  return raised.map((finding, index) => ({ ...finding, id: `ITEM_${index + 1}` }));
}

/** L-694: the forms in which a text says that it is about security. */
const tags = [
  /focus-area\s{0,20}=\s{0,20}security/i,
  /^[\s>*-]{0,20}focus-area(?:\*\*)?\s{0,5}:(?:\*\*)?\s{0,5}security/im,
  /\[security\]/i,
];

/** Whether a text carries the security tag outside code, where it is only talked about (F-43). When in doubt it does. */
export function hasSecurityTag(text: string): boolean {
  const prose = withoutCode(text);
  return tags.some((tag) => tag.test(prose));
}

/** Whether a finding must stay local. */
export function isSecurityFinding(
  finding: Pick<Finding, 'title' | 'focusArea' | 'concern' | 'suggestedRevision'>,
): boolean {
  return (
    finding.focusArea === 'security' ||
    [finding.title, finding.concern, finding.suggestedRevision].some(hasSecurityTag)
  );
}
