import { findOnPath } from '../../agents/registry.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { Finding, Revision } from '../../base/schema/judgements/review.ts';
import { payloads } from '../../council/breadcrumbs.ts';
import { askAuthor, type Seat } from '../../council/council.ts';
import { type Resolution, renderResolutions } from '../../council/resolutions.ts';
import { type Approach, renderSynthesis } from '../../council/sketch.ts';
import { type GroundingReport, groundPlan, reviewFromGrounding } from '../../plan/grounding/grounding.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import { planPrompt, type RevisePlanInput, revisePlanPrompt } from '../../prompts/panel/plan.ts';
import { openIndex } from '../../repo/index/repository-index.ts';
import { type Deliberation, type Desk, decidedPoints } from './desk.ts';

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
  await desk.json('plan.json', plan);
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

/** What is wrong in a plan: `plan-check.json`, and the findings of a reviewer made by rules. */
export async function checkPlan(
  desk: Desk,
  step: string,
  plan: Plan,
  settled: Pick<Deliberation, 'decisions' | 'resolutions'>,
  accepted: readonly { id: string }[],
): Promise<{ report: GroundingReport; findings: Finding[] }> {
  const { project, baseCommit } = desk.inputs;
  const decided = decidedPoints(desk.inputs, settled, accepted);
  const lookup = {
    onPath: (program: string) => findOnPath(program, { environment: process.env }) !== undefined,
  };
  const checked = await desk.context.step(step, async () => {
    const index = await openIndex(project, baseCommit);
    const report = groundPlan(index, plan, { decided, lookup });
    return { report, findings: reviewFromGrounding(report, index).findings };
  });
  await desk.json('plan-check.json', checked.report);
  return checked;
}
