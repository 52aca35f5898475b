import { renderPlan } from '../../plan/plan-text.ts';
import { revisePlanPrompt } from '../../prompts/panel/revise-plan.ts';
import type { Desk } from './desk.ts';
import { discuss } from './discuss.ts';
import { type Design, known } from './state.ts';

/** Step 3.5: what the first round did not cover, what findings put in question, what stayed contested (L-720…L-725). */
export async function secondDiscussion(desk: Desk, design: Design): Promise<Partial<Design>> {
  desk.begin('3.5', 'discussion r2');
  if (desk.inputs.auto) {
    desk.skip('discussion r2 — skipped (auto mode)');
    return {};
  }
  const planText = known(design, 'planText');
  const { count, text, deferred } = await discuss(
    desk,
    design,
    2,
    {
      plan: planText,
      ...(design.acceptedText === undefined ? {} : { acceptedFindings: design.acceptedText }),
      ...(design.resolutionsText === undefined ? {} : { resolutions: design.resolutionsText }),
    },
    1,
  );
  if (count === 0) {
    desk.skip('discussion r2 — no additional decisions require discussion');
    return {};
  }
  if (deferred) desk.note('⏩ Remaining design questions deferred to implementation.');
  await desk.context.artifact('discussion-round2.md', text);
  const { value } = await desk.author(known(design, 'seating').author, {
    lane: 'revise-plan-discussion',
    task: 'revise-plan',
    judgement: 'revision',
    draft: (schema) =>
      revisePlanPrompt({ commission: design.commission, plan: planText, decisions: text, schema }),
    input: { feature: desk.inputs.feature, plan: design.plan, decisions: text, accepted: [] },
  });
  const revised = renderPlan(value.plan);
  await desk.context.artifact('plan.txt', revised);
  await desk.context.artifact('plan.json', `${JSON.stringify(value.plan, null, 2)}\n`);
  if (revised !== planText) desk.show('Revised Implementation Plan', revised);
  desk.end(`discussion r2 — ${count} decisions resolved`);
  return { plan: value.plan, planText: revised, revisedAfterReview: revised !== planText };
}
