import { payloads } from '../../council/breadcrumbs.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import { planPrompt } from '../../prompts/panel/plan.ts';
import type { Desk } from './desk.ts';
import { seatsOf } from './seating.ts';
import { type Design, decidedPoints } from './state.ts';

/** Step 2b: one plan from the synthesis, the settled scope and the resolutions (L-560…L-566). */
export async function fullPlan(desk: Desk, design: Design): Promise<Partial<Design>> {
  desk.begin('2b');
  const { value: plan } = await desk.author(seatsOf(desk, design).author, {
    lane: 'plan',
    task: 'plan',
    judgement: 'plan',
    draft: (schema) =>
      planPrompt({
        commission: { ...design.commission, brief: desk.inputs.briefs?.plan },
        ...(design.synthesisText === undefined ? {} : { synthesis: design.synthesisText }),
        ...(design.resolutionsText === undefined ? {} : { resolutions: design.resolutionsText }),
        binding: desk.inputs.dialectic === 'binding',
        schema,
      }),
    input: {
      synthesis: design.synthesis,
      resolutions: design.resolutions,
      decided: decidedPoints(desk.inputs, design),
    },
  });
  const planText = renderPlan(plan);
  await desk.context.artifact('plan.txt', planText);
  await desk.context.artifact('plan.json', `${JSON.stringify(plan, null, 2)}\n`);
  desk.show('Implementation Plan', planText);
  desk.end(payloads.saved);
  return { plan, planText };
}
