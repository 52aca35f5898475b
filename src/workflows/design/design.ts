import { writeJsonAtomic } from '../../base/files/atomic.ts';
import type { ServicesOf } from '../../council/call/services.ts';
import { synthesise } from '../../council/synthesis.ts';
import type { Outcome, WorkflowDefinition } from '../../engine/workflow.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import { Desk } from './desk.ts';
import { clarify, discussOpenPoints, discussScope } from './discussions.ts';
import type { Deliberation, DesignInputs, SeatedTable } from './inputs.ts';
import { type IsolatedJob, type IsolatedResult, runIsolatedPhase } from './isolated-phase.ts';
import { setup } from './step-0-setup.ts';
import { chooseBranch } from './step-1-branch.ts';
import { keepApproach, scout, sketchAll } from './step-2a-sketches.ts';
import { settleDecisions } from './step-2a5-dialectic.ts';
import { adoptPlan, writePlan } from './step-2b-plan.ts';
import { reviewPlan } from './step-3-review.ts';
import { drawDiagram } from './step-3b-diagram.ts';
import { handOver, showRejected } from './step-5-hand-over.ts';
import { settleTree } from './tree.ts';
import { workerState } from './worker-place.ts';

/** `charrette design`: the steps in order (L-020); each gets what it needs and none can end the run early. */
async function design(desk: Desk): Promise<Outcome> {
  const { auto, quick, subagent } = desk.inputs;
  const table = await setup(desk); //                                                0     health, seats
  const commission = await settleScope(desk, table); //                              1-1d  branch, questions, scope
  if (!subagent || quick) {
    const made = await deliberate(desk, table, commission); //                       2a-3  sketches to reviewed plan
    return handOver(desk, await conclude(desk, commission, made)); //                3.5-5
  }
  const made = await runIsolatedPhase(desk, { table, commission }); //               2a-3  in a separate process,
  return handOver(desk, auto ? made : await conclude(desk, commission, made)); //          with --auto up to step 4
}

async function settleScope(desk: Desk, table: SeatedTable): Promise<Commission> {
  const branched = await chooseBranch(desk, commissionOf(desk)); //                  1     a branch for the feature
  await settleTree(desk, 'questions', { withAuto: false });
  const clarified = await clarify(desk, table.author, branched); //                  1c    clarifying questions
  await settleTree(desk, 'discussion', { withAuto: false });
  const commission = await discussScope(desk, table.author, clarified); //           1d    scope discussion
  await settleTree(desk, 'sketches');
  return commission;
}

/** L-252: the part that asks you nothing. */
async function deliberate(desk: Desk, seated: SeatedTable, commission: Commission): Promise<Deliberation> {
  const informed = { ...commission, ...(await scout(desk)) };
  const { sketches, table } = await sketchAll(desk, seated, informed); //            2a    independent sketches
  const approach = await synthesise(desk, table.author, commission, sketches); //    2a.4  one approach
  await keepApproach(desk, approach);
  const resolutions = await settleDecisions(desk, table, commission, approach); //   2a.5  debates and verdicts
  const first = await writePlan(desk, table.author, { commission: informed, approach, resolutions }); // 2b
  const settled = { decisions: approach.decisions, resolutions };
  const reviewed = await reviewPlan(desk, table, first, { ...settled, commission }); // 3  review, vote, revision
  return { ...settled, ...reviewed, revisedAfterReview: false };
}

async function conclude(desk: Desk, commission: Commission, made: Deliberation): Promise<Deliberation> {
  const last = await discussOpenPoints(desk, commission, made); //                   3.5   what is still open
  await drawDiagram(desk, last.table.author, last.plan); //                          3b    architecture diagram
  showRejected(desk, last.review); //                                                4     what was not implemented
  return last;
}

/** `charrette plan edit`: your own version of a plan, checked and reviewed like any other. */
async function reviewEdited(desk: Desk): Promise<Outcome> {
  const table = await setup(desk);
  const commission = commissionOf(desk);
  const plan = await adoptPlan(desk, table.author, commission);
  const settled = { decisions: [], resolutions: [] };
  const reviewed = await reviewPlan(desk, table, plan, { ...settled, commission });
  await drawDiagram(desk, reviewed.table.author, reviewed.plan);
  showRejected(desk, reviewed.review);
  return handOver(desk, { ...settled, ...reviewed, revisedAfterReview: false });
}

function commissionOf({ inputs }: Desk): Commission {
  return { description: inputs.feature, brief: inputs.brief };
}

export function designWorkflow(servicesOf: ServicesOf): WorkflowDefinition<DesignInputs, Outcome> {
  return {
    name: 'design',
    run: async (context, inputs) => design(new Desk(context, await servicesOf(context.live), inputs)),
  };
}

export function reviewWorkflow(servicesOf: ServicesOf): WorkflowDefinition<DesignInputs, Outcome> {
  return {
    name: 'design-review',
    run: async (context, inputs) => reviewEdited(new Desk(context, await servicesOf(context.live), inputs)),
  };
}

/** The isolated phase as a separate run, started by the worker process. */
export function isolatedWorkflow(
  servicesOf: ServicesOf,
): WorkflowDefinition<DesignInputs & { start: IsolatedJob['start'] }, Outcome> {
  return {
    name: 'design-heavy',
    async run(context, { start, ...inputs }) {
      const desk = new Desk(context, await servicesOf(context.live), inputs);
      const made = await deliberate(desk, start.table, start.commission);
      const last = inputs.auto ? await conclude(desk, start.commission, made) : made;
      const { warnings, degraded } = desk;
      const result: IsolatedResult = { made: last, warnings, degraded };
      await context.step('keep the design', () =>
        writeJsonAtomic(workerState(context.live.directory), result),
      );
      return { status: 'done', exit: 0 };
    },
  };
}
