import { counted } from '../../../base/text/strings.ts';
import type { ReviewAnswer, ReviewIssue } from './review-answer.ts';
import { isWaived, type Waiver } from './waivers.ts';

export type GateMode = 'strict' | 'blockers-only';

/** lean/C-20: the reviewer's verdict and the gate's, side by side. */
export type GateResult = {
  reviewer: 'approved' | 'rejected';
  gate: 'pass' | 'fail' | 'ask-again';
  /** What has to be fixed before the gate can pass. */
  open: readonly ReviewIssue[];
  waived: readonly ReviewIssue[];
  reason: string;
};

/** T-117, lean/C-20, tricky case 10: passes only when approved and nothing that counts is open. */
export function judgeAnswer(
  answer: ReviewAnswer,
  waivers: readonly Waiver[] = [],
  mode: GateMode = 'strict',
): GateResult {
  const counts = (issue: ReviewIssue) =>
    issue.severity === 'blocker' || (mode === 'strict' && issue.severity === 'warning');
  const serious = answer.issues.filter(counts);
  const waived = serious.filter((issue) => isWaived(issue, waivers));
  const open = serious.filter((issue) => !waived.includes(issue));
  const reviewer = answer.approved ? 'approved' : 'rejected';
  const result = { reviewer, open, waived } as const;
  if (open.length > 0) {
    const reason = `${answer.approved ? 'approved, but ' : ''}${counted(open.length, 'open issue')}`;
    return { ...result, gate: 'fail', reason };
  }
  if (answer.approved) return { ...result, gate: 'pass', reason: 'approved' };
  // lean/C-21: a rejection that rests on waived issues alone is not a rejection any more.
  if (waived.length > 0) return { ...result, gate: 'pass', reason: 'every issue is waived' };
  return { ...result, gate: 'ask-again', reason: 'rejected without an issue to fix' };
}

/** T-121: what a revision has to deal with, and what it may. */
export function revisionIssues(
  answer: ReviewAnswer,
  { open }: GateResult,
): { must: readonly ReviewIssue[]; may: readonly ReviewIssue[] } {
  return { must: open, may: answer.issues.filter(({ severity }) => severity === 'suggestion') };
}
