import { writeJsonAtomic } from '../../base/files/atomic.ts';
import type { Outcome, WorkflowDefinition } from '../../engine/workflow.ts';
import type { LaneAnswer, LaneRequest } from '../lane.ts';
import type { ServicesOf } from '../services.ts';
import { adoptPlan } from './adopt-plan.ts';
import { Desk } from './desk.ts';
import { workerState } from './heavy-place.ts';
import { heavyPhase } from './isolated-phase.ts';
import type { Design, DesignInputs } from './state.ts';
import { setup } from './step-0-setup.ts';
import { branch } from './step-1-branch.ts';
import { questions } from './step-1c-questions.ts';
import { firstDiscussion } from './step-1d-discussion.ts';
import { sketches } from './step-2a-sketches.ts';
import { synthesis } from './step-2a4-synthesis.ts';
import { dialectic } from './step-2a5-dialectic.ts';
import { fullPlan } from './step-2b-plan.ts';
import { secondDiscussion } from './step-3-5-discussion.ts';
import { planReview } from './step-3-review.ts';
import { diagram } from './step-3b-diagram.ts';
import { rejectedFindings } from './step-4-rejected.ts';
import { cleanup, outcomeOf } from './step-5-cleanup.ts';
import { settleTree } from './tree.ts';

type DesignStep = (desk: Desk, design: Design) => Promise<Partial<Design>>;

/** L-020: every step follows the one before; each adds to what is known and none can end the run early. */
const opening: readonly DesignStep[] = [
  setup, //              0     session setup, health
  branch, //             1     a branch for the feature
  settleTree('questions', { withAuto: false }),
  questions, //          1c    clarifying questions
  settleTree('discussion', { withAuto: false }),
  firstDiscussion, //    1d    scope discussion
  settleTree('sketches'),
];

/** L-252: the part without a person in it; --subagent runs it in a process of its own, with --auto up to step 4. */
const heavy: readonly DesignStep[] = [
  sketches, //           2a    independent sketches
  synthesis, //          2a.4  one approach, contested decisions
  dialectic, //          2a.5  debates and verdicts on those
  fullPlan, //           2b    implementation plan
  planReview, //         3     review, merge, vote, revision
];

const closing: readonly DesignStep[] = [
  secondDiscussion, //   3.5   discussion of what is still open
  diagram, //            3b    architecture diagram
  rejectedFindings, //   4     what was not implemented, and why
  cleanup, //            5     export, report, warnings
];

/** `charrette design`: a feature and a repository in, a sketched, argued, reviewed and voted plan out. */
export function designWorkflow(
  lane: WorkflowDefinition<LaneRequest, LaneAnswer>,
  servicesOf: ServicesOf,
): WorkflowDefinition<DesignInputs, Outcome> {
  return {
    name: 'design',
    async run(context, inputs) {
      const desk = new Desk(context, lane, await servicesOf(context.live), inputs);
      const isolated = inputs.subagent && !inputs.quick;
      const design: Design = { commission: { description: inputs.feature, brief: inputs.brief } };
      const rest = isolated ? [heavyPhase, ...(inputs.auto ? [cleanup] : closing)] : [...heavy, ...closing];
      return outcomeOf(await walk(desk, design, [...opening, ...rest]));
    },
  };
}

/** The heavy phase as a run of its own, started by the worker process. */
export function heavyWorkflow(
  lane: WorkflowDefinition<LaneRequest, LaneAnswer>,
  servicesOf: ServicesOf,
): WorkflowDefinition<DesignInputs & { design: Design }, Outcome> {
  return {
    name: 'design-heavy',
    async run(context, { design, ...inputs }) {
      const desk = new Desk(context, lane, await servicesOf(context.live), inputs);
      const unattended = inputs.auto ? closing.filter((step) => step !== cleanup) : [];
      const done = await walk(desk, design, [...heavy, ...unattended]);
      const state = { ...done, warnings: desk.warnings };
      await context.step('keep the design', () =>
        writeJsonAtomic(workerState(context.live.directory), state),
      );
      return { status: 'done', exit: 0 };
    },
  };
}

/** `charrette plan edit`: a person's version of a plan, checked and reviewed like any other. */
export function reviewWorkflow(
  lane: WorkflowDefinition<LaneRequest, LaneAnswer>,
  servicesOf: ServicesOf,
): WorkflowDefinition<DesignInputs, Outcome> {
  return {
    name: 'design-review',
    async run(context, inputs) {
      const desk = new Desk(context, lane, await servicesOf(context.live), inputs);
      const design: Design = { commission: { description: inputs.feature, brief: inputs.brief } };
      return outcomeOf(
        await walk(desk, design, [setup, adoptPlan, planReview, diagram, rejectedFindings, cleanup]),
      );
    },
  };
}

async function walk(desk: Desk, design: Design, steps: readonly DesignStep[]): Promise<Design> {
  let known = design;
  for (const step of steps) known = { ...known, ...(await step(desk, known)) };
  return known;
}
