import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { Review } from '../../base/schema/judgements/review.ts';
import type { CommandLookup } from '../../plan/grounding/commands.ts';
import type { DecidedPoint } from '../../plan/grounding/decisions.ts';
import { groundPlan } from '../../plan/grounding/grounding.ts';
import { reviewFromGrounding } from '../../plan/grounding/report.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import type { Method } from './methods.ts';
import { reviewRules } from './review-rules.ts';
import { headed } from './wording.ts';

export type ReviewInputs = { decided: readonly DecidedPoint[]; lookup: CommandLookup };

/** Reviews a plan by rule; each finding cites a place that exists. */
export function reviewPlan(
  index: RepositoryIndex,
  plan: Plan,
  method: Method,
  { decided, lookup }: ReviewInputs,
): Review {
  const grounding = reviewFromGrounding(groundPlan(index, plan, { decided, lookup }), index).findings;
  const own = reviewRules[method].flatMap((rule) => rule(index, plan));
  return {
    findings: [...grounding, ...own]
      .slice(0, 30)
      .map((finding) => ({ ...finding, concern: headed(finding.concern) })),
  };
}
