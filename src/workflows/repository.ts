import { findOnPath } from '../agents/detect.ts';
import type { Plan } from '../base/schema/judgements/plan.ts';
import type { Finding } from '../base/schema/judgements/review.ts';
import type { EvidenceMark, RaisedFinding } from '../council/review.ts';
import type { DecidedPoint } from '../plan/grounding/decisions.ts';
import { groundPlan } from '../plan/grounding/grounding.ts';
import type { GroundingReport } from '../plan/grounding/report.ts';
import { reviewFromGrounding } from '../plan/grounding/report.ts';
import { checkCitation } from '../repo/index/citation.ts';
import { openIndex } from '../repo/index/open-index.ts';

/** What does not hold of a plan, as a report and as the findings of a reviewer that is no agent. */
export async function checkPlan(
  project: string,
  commit: string | undefined,
  plan: Plan | string,
  decided: readonly DecidedPoint[],
  environment: NodeJS.ProcessEnv,
): Promise<{ report: GroundingReport; findings: Finding[] }> {
  const index = await openIndex(project, commit);
  const lookup = { onPath: (program: string) => findOnPath(program, { environment }) !== undefined };
  const report = groundPlan(index, plan, { decided, lookup });
  return { report, findings: reviewFromGrounding(report, index).findings };
}

/** Opens every cited place at the base commit; the best citation of a finding decides what it weighs. */
export async function markEvidence(
  project: string,
  commit: string | undefined,
  findings: readonly RaisedFinding[],
): Promise<RaisedFinding[]> {
  const { snapshot } = await openIndex(project, commit);
  const order: EvidenceMark[] = ['found', 'moved', 'missing'];
  return findings.map((finding) => {
    const marks = finding.citations.map(
      ({ file, line, endLine, quote }) =>
        checkCitation(snapshot, {
          path: file,
          line,
          endLine: endLine ?? line,
          ...(quote === null ? {} : { quote }),
        }).status,
    );
    return { ...finding, evidence: order.find((mark) => marks.includes(mark as never)) ?? 'none' };
  });
}
