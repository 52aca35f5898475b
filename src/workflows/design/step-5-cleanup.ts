import { payloads } from '../../council/breadcrumbs.ts';
import { dissents, renderDissent } from '../../council/dissent.ts';
import { designSummary, readRejected } from '../../council/outcome-files.ts';
import { renderVoted, votedLines } from '../../council/resolutions-text.ts';
import type { Outcome } from '../../engine/workflow.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import { checkPlan } from '../repository.ts';
import { exportDesign } from './caller.ts';
import type { Desk } from './desk.ts';
import { writeLedgers } from './ledgers.ts';
import { copyArtifacts } from './out-folder.ts';
import { type Design, decidedPoints, known } from './state.ts';

/** Step 5: the plan as it is handed over, its last check, the copies, the warnings again (L-840…L-847, C-39). */
export async function cleanup(desk: Desk, design: Design): Promise<Partial<Design>> {
  desk.begin('5');
  const plan = known(design, 'plan');
  const overruled = dissents(
    design.decisions ?? [],
    design.resolutions ?? [],
    readRejected(design.rejectedText ?? ''),
  );
  const planText = renderPlan(plan, {
    resolutions: renderVoted(design.resolutions ?? []),
    dissent: renderDissent(overruled),
  });
  await desk.context.artifact('plan.txt', planText);
  const { project, baseCommit } = desk.inputs;
  const { report } = await desk.context.step('check the final plan', () =>
    checkPlan(project, baseCommit, plan, decidedPoints(desk.inputs, design), process.env),
  );
  await desk.context.artifact('plan-check.json', `${JSON.stringify(report, null, 2)}\n`);
  if (design.revisedAfterReview === true)
    desk.warn('The plan was changed by the last discussion, after its review; nobody has reviewed that.');
  await summarise(desk, design);
  await writeLedgers(desk);
  const exported = await exportDesign(desk);
  const { out } = desk.inputs;
  if (out !== undefined) {
    const kept = await desk.context.step('copy deliverables', () =>
      copyArtifacts(desk.context.live.directory.artifacts, out),
    );
    desk.note(
      kept.length === 0
        ? `copied to ${out}`
        : `copied to ${out} without what is said about security: ${kept.join(', ')} stay in the run's directory`,
    );
  }
  const unfollowed = report.facts
    .filter(({ check, severity }) => check === 'decision' && severity === 'error')
    .map(({ subject }) => subject.split(':')[0] ?? subject);
  for (const line of votedLines(design.resolutions ?? [])) desk.note(`Voted resolution: ${line}`);
  if (desk.warnings.length > 0) {
    desk.note(`${desk.warnings.length} warning(s) of this run:`);
    for (const warning of desk.warnings) desk.note(warning);
  }
  desk.end(desk.inputs.prefix.number === '' ? payloads.complete : undefined);
  return { planText, planErrors: report.errors, unfollowed, exported };
}

/** L-254, C-37: what a caller wants to know without reading the files, also that a plan changed after its review. */
async function summarise(desk: Desk, design: Design): Promise<void> {
  const summary = designSummary(
    { plan: 'plan.txt', tally: 'voting-tally.md' },
    {
      accepted: design.acceptedText ?? '',
      rejected: design.rejectedText ?? '',
      outOfScope: design.outOfScopeText ?? '',
    },
    design.revisedAfterReview === true,
  );
  await desk.context.artifact('design-summary.json', `${JSON.stringify(summary, null, 2)}\n`);
}

/** The plan counts as accepted when its check has no errors and every accepted blocking finding was dealt with. */
export function outcomeOf(design: Design): Outcome {
  const blocking = design.blocking ?? [];
  const errors = design.planErrors ?? 0;
  const unfollowed = design.unfollowed ?? [];
  if (errors === 0 && blocking.length === 0 && design.exported !== false) return { status: 'done', exit: 0 };
  const reasons = [
    ...(errors > 0 ? [`the plan check has ${errors} error(s)`] : []),
    ...(unfollowed.length > 0 ? [`the plan does not follow the voted ${unfollowed.join(', ')}`] : []),
    ...(design.exported === false ? ['the manifest for the caller was not written'] : []),
    ...(blocking.length > 0 ? [`accepted blocking findings remain: ${blocking.join(', ')}`] : []),
  ];
  return { status: 'not-accepted', exit: 6, message: reasons.join('; ') };
}
