import type { ServicesOf } from '../../council/call/services.ts';
import type { Outcome, WorkflowDefinition } from '../../engine/workflow.ts';
import type { DomainOutcome } from '../../prompts/markers.ts';
import { noResumeState, type ResumeState } from '../../prompts/resume/state.ts';
import { wentBack } from './backward.ts';
import { askConsent, sessionsCanContinue } from './before.ts';
import { combinedPhase } from './combined.ts';
import { type CommitKind, commitCompletion } from './commit.ts';
import { FeatureDesk } from './desk.ts';
import { answerTravel, draftDocument } from './document.ts';
import { documentPhases, type FeaturePhaseInputs } from './inputs.ts';
import { changeState, issueLines } from './records.ts';
import { research } from './research.ts';
import { withPhaseCompleted, withPhaseStarted } from './rules/meta-write.ts';
import { phaseOutcome } from './rules/outcome-line.ts';
import {
  afterAnswer,
  carriedIssues,
  nextPhaseStep,
  type PhaseLoop,
  reviewerNotes,
  startPhaseLoop,
  totalIterations,
} from './rules/phase-loop.ts';
import { type Phase, phaseTable } from './rules/phases.ts';
import type { ReviewIssue } from './rules/review-answer.ts';
import { takeTurn } from './turn.ts';

export type PhaseDesk = FeatureDesk<FeaturePhaseInputs>;

/** `charrette feature specify|design|plan|tasks`: write the document of a phase, review it, revise it, complete the phase. */
export function featurePhaseWorkflow(
  servicesOf: ServicesOf,
): WorkflowDefinition<FeaturePhaseInputs, Outcome> {
  return {
    name: 'feature-phase',
    async run(context, inputs) {
      const desk: PhaseDesk = new FeatureDesk(context, await servicesOf(context.live), inputs);
      await askConsent(desk);
      await changeState(desk, 'start', (reading, time) => withPhaseStarted(reading, inputs.phase, time));
      const resumes = await sessionsCanContinue(desk, inputs.reviewer);
      if (inputs.combined) return combinedPhase(desk, resumes);
      const material = inputs.phase === 'design' ? await research(desk) : undefined;
      await draftDocument(desk, documentPhases[inputs.phase], material);
      await answerTravel(desk, documentPhases[inputs.phase]);
      const { loop, issues, back } = await review(desk, resumes);
      if (back !== undefined) return wentBack(desk, back);
      const capReached = loop.finished.some(({ approved }) => !approved);
      return complete(desk, totalIterations(loop.finished), capReached, carriedIssues(loop.finished, issues));
    },
  };
}

/** T-120, T-131, T-132: the phase is completed with what is open on record. */
async function complete(
  desk: PhaseDesk,
  iterations: number,
  capReached: boolean,
  issues: readonly ReviewIssue[],
): Promise<Outcome> {
  const { phase } = desk.inputs;
  const notes = reviewerNotes(issues, capReached);
  await changeState(
    desk,
    'complete',
    (reading, time) =>
      withPhaseCompleted(reading, phase, {
        time,
        iterations,
        reviewerNotes: notes,
        outcome: capReached ? 'carried-forward' : undefined,
      }),
    () => commitCompletion(desk, [documentPhases[phase]], !capReached),
  );
  const outcome = phaseOutcome(phase, iterations, capReached, notes);
  await desk.context.artifact('phase-outcome.md', `${outcome}\n`);
  desk.context.emit({ type: 'body', heading: `Phase ${phase}`, text: outcome });
  return capReached ? { status: 'not-accepted', exit: 6, message: outcome } : { status: 'done', exit: 0 };
}

type Reviewed = {
  loop: PhaseLoop;
  issues: readonly ReviewIssue[] | undefined;
  /** The phase that comes again instead of this one's completion. */
  back?: Phase;
};

/** T-119…T-121: stage after stage, round after round, with a revision between two rounds. */
async function review(desk: PhaseDesk, resumes: boolean): Promise<Reviewed> {
  const { phase, max } = desk.inputs;
  let loop = startPhaseLoop(
    phaseTable[phase].reviewers.map((stage) => (max === undefined ? stage : { ...stage, max })),
  );
  let state: ResumeState = noResumeState;
  let previous: readonly ReviewIssue[] | undefined;
  let commit: CommitKind | undefined;
  for (let step = nextPhaseStep(loop); step.kind === 'dispatch'; step = nextPhaseStep(loop)) {
    const { role, iteration } = step;
    const current = loop;
    const outcome = outcomeOf(loop);
    const turned = await takeTurn(desk, {
      asked: {
        command: phase,
        role,
        iteration,
        max: step.max,
        retry: step.retry,
        state,
        resumes,
        ...(previous === undefined || iteration === 1 ? {} : { previous }),
        ...(outcome === undefined ? {} : { outcome }),
        ...(commit === undefined || iteration === 1 ? {} : { commit }),
      },
      revises: documentPhases[phase],
      goesOn: (result) => afterAnswer(current, result).stage === current.stage,
    });
    loop = afterAnswer(loop, turned.result);
    state = turned.state;
    previous = turned.issues ?? previous;
    if (turned.revised !== undefined) commit = turned.revised.commit;
    if (turned.back !== undefined) return { loop, issues: previous, back: turned.back };
  }
  return { loop, issues: previous };
}

/** T-047: what the phase reviewer is told about the review before it. */
function outcomeOf({ finished: [domain] }: PhaseLoop): DomainOutcome | undefined {
  if (domain === undefined) return undefined;
  return {
    reviewer: domain.role,
    approved: domain.approved,
    iteration: domain.iterations,
    max: domain.max,
    unresolved: issueLines(domain.unresolved),
  };
}
