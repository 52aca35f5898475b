import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { Revision } from '../../base/schema/judgements/review.ts';
import { payloads } from '../../council/breadcrumbs.ts';
import { askAuthor, type Seat } from '../../council/council.ts';
import type { Resolution } from '../../council/resolutions.ts';
import { renderResolutions } from '../../council/resolutions-text.ts';
import { type Approach, renderSynthesis } from '../../council/synthesis.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import { planPrompt, type RevisePlanInput, revisePlanPrompt } from '../../prompts/panel/plan.ts';
import type { Desk } from './desk.ts';
import { decidedPoints } from './inputs.ts';

export type PlanBrief = { commission: Commission; approach: Approach; resolutions: Resolution[] };

/** Step 2b: one plan from the synthesis, the settled scope and the resolutions (L-560…L-566). */
export async function writePlan(
  desk: Desk,
  author: Seat,
  { commission, approach: { synthesis, decisions }, resolutions }: PlanBrief,
): Promise<Plan> {
  const { dialectic, briefs } = desk.inputs;
  desk.begin('2b');
  const plan = await askAuthor(desk, author, {
    key: 'plan',
    kind: 'plan',
    judgement: 'plan',
    draft: (schema) =>
      planPrompt({
        commission: { ...commission, brief: briefs?.plan },
        ...(synthesis === undefined ? {} : { synthesis: renderSynthesis(synthesis) }),
        resolutions: renderResolutions(resolutions),
        binding: dialectic === 'binding',
        schema,
      }),
    facts: { synthesis, resolutions, decided: decidedPoints(desk.inputs, { decisions, resolutions }) },
  });
  return showPlan(desk, plan);
}

/** Takes a plan that you changed or commented as the one to review. */
export async function adoptPlan(desk: Desk, author: Seat, commission: Commission): Promise<Plan> {
  const { edited } = desk.inputs;
  if (edited === undefined) throw new Error('The run has no edited plan to review.');
  const { plan, comment } = edited;
  desk.begin('2b', 'as edited');
  if (comment === undefined) return showPlan(desk, plan);
  const words = { commission, plan: renderPlan(plan), decisions: comment };
  const revision = await askRevision(desk, author, 'revise-plan-comment', words, { plan, accepted: [] });
  return showPlan(desk, revision.plan);
}

async function showPlan(desk: Desk, plan: Plan): Promise<Plan> {
  await savePlan(desk, plan);
  desk.show('Implementation Plan', renderPlan(plan));
  desk.end(payloads.saved);
  return plan;
}

export async function savePlan(desk: Desk, plan: Plan): Promise<void> {
  await desk.artifact('plan.txt', renderPlan(plan));
  await desk.artifact('plan.json', `${JSON.stringify(plan, null, 2)}\n`);
}

/** Has the author work something into the plan: accepted findings, decisions or a comment. */
export function askRevision(
  desk: Desk,
  author: Seat,
  key: string,
  words: Omit<RevisePlanInput, 'schema'>,
  facts: Readonly<Record<string, unknown>>,
): Promise<Revision> {
  return askAuthor(desk, author, {
    key,
    kind: 'revise-plan',
    judgement: 'revision',
    draft: (schema) => revisePlanPrompt({ ...words, schema }),
    facts,
  });
}
