import type { Citation, Finding, FocusArea, Severity } from '../base/schema/judgements/review.ts';
import { withoutCode } from '../base/text/without-code.ts';

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
