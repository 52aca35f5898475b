import { overflowLines, payloads } from '../../council/breadcrumbs.ts';
import { decisionId, renderDecision } from '../../council/decisions.ts';
import { discussionCandidates, readDiscussion } from '../../council/discussion.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import { revisePlanPrompt } from '../../prompts/panel/plan.ts';
import type { Desk } from './desk.ts';
import { discuss } from './discuss.ts';
import { seatsOf } from './seating.ts';
import { bindingText, type Design, decidedPoints, known } from './state.ts';

/** Step 3.5: what the first round did not cover, what findings put in question, what stayed contested (L-720…L-725). */
export async function secondDiscussion(desk: Desk, design: Design): Promise<Partial<Design>> {
  desk.begin('3.5');
  if (desk.inputs.auto) {
    desk.skip(payloads.auto);
    return {};
  }
  const planText = known(design, 'planText');
  const { count, text, decided, answeredByCode, deferred, failed } = await discuss(
    desk,
    design,
    2,
    {
      plan: planText,
      ...(design.acceptedText === undefined ? {} : { acceptedFindings: design.acceptedText }),
      ...(design.resolutionsText === undefined ? {} : { resolutions: design.resolutionsText }),
      contestedDecisions: openDecisions(design),
    },
    1,
  );
  if (count === 0) {
    desk.skip(failed ? payloads.noUsableAnswer : payloads.noFurtherDecisions);
    return {};
  }
  if (deferred) desk.note(overflowLines.round2);
  await desk.context.artifact('discussion-round2.md', text);
  const { value } = await desk.author(seatsOf(desk, design).author, {
    lane: 'revise-plan-discussion',
    task: 'revise-plan',
    judgement: 'revision',
    draft: (schema) =>
      revisePlanPrompt({
        commission: design.commission,
        plan: planText,
        decisions: decided,
        answeredByCode,
        resolutions: bindingText(desk.inputs, design),
        schema,
      }),
    input: { plan: design.plan, accepted: [], decided: decidedPoints(desk.inputs, design) },
  });
  const revised = renderPlan(value.plan);
  await desk.context.artifact('plan.txt', revised);
  await desk.context.artifact('plan.json', `${JSON.stringify(value.plan, null, 2)}\n`);
  if (revised !== planText) desk.show('Revised Implementation Plan', revised);
  desk.end(payloads.resolved(count));
  return { plan: value.plan, planText: revised, revisedAfterReview: revised !== planText };
}

/** L-722: the decisions that may be asked about, each with the reason why it is open; settled ones are left out. */
function openDecisions({ decisions = [], resolutions = [], commission, acceptedText = '' }: Design): string {
  return discussionCandidates({
    decisions,
    resolutions,
    coveredTitles: readDiscussion(`${commission.discussion ?? ''}\n${commission.answeredByCode ?? ''}`).map(
      ({ title }) => title,
    ),
    challenged: decisions
      .filter((decision) => new RegExp(`\\b${decisionId(decision)}\\b`).test(acceptedText))
      .map(({ number }) => number),
  })
    .map(({ decision, reasons }) => `${renderDecision(decision)}- **Open because**: ${reasons.join(', ')}\n`)
    .join('\n');
}
