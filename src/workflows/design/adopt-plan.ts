import { renderPlan } from '../../plan/plan-text.ts';
import { revisePlanPrompt } from '../../prompts/panel/plan.ts';
import type { Desk } from './desk.ts';
import { seatsOf } from './seating.ts';
import type { Design } from './state.ts';

/** Takes a plan that a person changed or commented as the one to review. */
export async function adoptPlan(desk: Desk, design: Design): Promise<Partial<Design>> {
  const { edited } = desk.inputs;
  if (edited === undefined) throw new Error('There is no edited plan to review.');
  desk.begin('2b', 'as edited');
  let { plan } = edited;
  if (edited.comment !== undefined) {
    const { comment } = edited;
    const { value } = await desk.author(seatsOf(desk, design).author, {
      lane: 'revise-plan-comment',
      task: 'revise-plan',
      judgement: 'revision',
      draft: (schema) =>
        revisePlanPrompt({
          commission: design.commission,
          plan: renderPlan(plan),
          decisions: comment,
          schema,
        }),
      input: { plan, accepted: [] },
    });
    plan = value.plan;
  }
  const planText = renderPlan(plan);
  await desk.context.artifact('plan.txt', planText);
  await desk.context.artifact('plan.json', `${JSON.stringify(plan, null, 2)}\n`);
  desk.show('Implementation Plan', planText);
  desk.end('saved');
  return { plan, planText, decisions: [], resolutions: [] };
}
