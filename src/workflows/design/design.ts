import type { Outcome } from '../../engine/engine.ts';
import type { WorkflowDefinition } from '../../engine/workflow.ts';
import type { LaneAnswer, LaneRequest } from '../lane.ts';
import type { ServicesOf } from '../services.ts';
import { Desk } from './desk.ts';
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

/** L-020: every step follows the one before; each adds to what is known and none can end the run early. */
const steps: readonly ((desk: Desk, design: Design) => Promise<Partial<Design>>)[] = [
  setup, //              0     session setup, health, seats
  branch, //             1     a branch for the feature
  questions, //          1c    clarifying questions
  firstDiscussion, //    1d    scope discussion
  sketches, //           2a    independent sketches
  synthesis, //          2a.4  one approach, contested decisions
  dialectic, //          2a.5  debates and verdicts on those
  fullPlan, //           2b    implementation plan
  planReview, //         3     review, merge, vote, revision
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
      let design: Design = { commission: { description: inputs.feature, brief: inputs.brief } };
      for (const step of steps) design = { ...design, ...(await step(desk, design)) };
      return outcomeOf(design);
    },
  };
}
