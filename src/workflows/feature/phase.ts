import type { WorkflowStart } from '../../council/call/once.ts';
import type { Outcome } from '../../engine/workflow.ts';
import type { AuthoredKey } from '../../prompts/author.ts';
import { type PhaseVerdict, readMeta } from '../../prompts/feature/meta.ts';
import type { DomainOutcome } from '../../prompts/markers.ts';
import { noResumeState, type ResumeState, withFixSummary } from '../../prompts/resume/state.ts';
import { goBack, reportBack } from './backward.ts';
import { askConsent, sessionsCanContinue } from './before.ts';
import { type CommitKind, commitCompletion } from './commit.ts';
import { answerTravel, draftDocument, reviseDocument, rewriteDocument } from './documents.ts';
import { type DocumentPhase, documentPhases, type FeaturePhaseInputs } from './inputs.ts';
import { changeState, issueLines, looking, recordReview } from './records.ts';
import { research } from './research.ts';
import { reviewRole } from './review.ts';
import { serializeMeta, withPhaseCompleted, withPhaseStarted } from './rules/meta-write.ts';
import { type Phase, phaseTable } from './rules/phases.ts';
import type { ReviewIssue } from './rules/review-answer.ts';
import {
  afterAnswer,
  carriedIssues,
  fixSummary,
  phaseOutcome,
  type ReviewLoop,
  reviewerNotes,
  type Stage,
  startReviewLoop,
  totalIterations,
} from './rules/review-loop.ts';
import { FeatureRun, type PhaseRun } from './run.ts';

/** `charrette feature specify|design|plan|tasks`: write the document of a phase, review it, revise it, complete the phase. */
export async function featurePhase(...start: WorkflowStart<FeaturePhaseInputs>): Promise<Outcome> {
  const run: PhaseRun = new FeatureRun(...start);
  const { inputs } = run;
  await askConsent(run);
  await changeState(run, 'start', (reading, time) => withPhaseStarted(reading, inputs.phase, time));
  const resumes = await sessionsCanContinue(run, inputs.reviewer);
  const material = inputs.phase === 'design' ? await research(run) : undefined;
  for (const key of documentsOf(inputs)) await draftDocument(run, key, material);
  await answerTravel(run, documentPhases[inputs.phase]);
  const end = await reviewDocuments(run, resumes);
  return end.back === undefined ? complete(run, end) : reportBack(run, end.back);
}

/** T-122: `feature plan --combined` writes and reviews plan and tasks as one. */
function documentsOf({ phase, combined }: FeaturePhaseInputs): AuthoredKey[] {
  return combined ? ['plan', 'tasks'] : [documentPhases[phase]];
}

/** A reviewer, and the document that is revised when it rejects. */
type DocumentStage = Stage & { command: DocumentPhase; revises: AuthoredKey };

const combinedStages: readonly DocumentStage[] = [
  { command: 'plan', role: 'plan-reviewer', revises: 'plan', max: 5 },
  { command: 'tasks', role: 'task-reviewer', revises: 'tasks', max: 5 },
  { command: 'tasks', role: 'phase-reviewer', revises: 'tasks', max: 5 },
];

function stagesOf({ phase, combined, max }: FeaturePhaseInputs): DocumentStage[] {
  const stages = combined
    ? combinedStages
    : phaseTable[phase].reviewers.map((stage) => ({
        ...stage,
        command: phase,
        revises: documentPhases[phase],
      }));
  return stages.map((stage) => ({ ...stage, max: max ?? stage.max }));
}

type ReviewEnd = {
  loop: ReviewLoop<DocumentStage>;
  /** Of the last answer that could be read. */
  issues: readonly ReviewIssue[];
  /** §2F: the phase to repeat, instead of completing this one. */
  back?: Phase | undefined;
};

/** What the rounds hand on to each other. */
type Rounds = ReviewEnd & {
  state: ResumeState;
  /** By role. */
  found: ReadonlyMap<string, readonly ReviewIssue[]>;
  commit?: CommitKind | undefined;
};

/** T-119…T-122: stage after stage, round after round, with a revision between two rounds. */
async function reviewDocuments(run: PhaseRun, resumes: boolean): Promise<ReviewEnd> {
  const loop = startReviewLoop(stagesOf(run.inputs), run.inputs.combined);
  let rounds: Rounds = { loop, issues: [], state: noResumeState, found: new Map() };
  for (;;) {
    const stage = rounds.loop.stages[rounds.loop.stage];
    if (stage === undefined || rounds.back !== undefined) return rounds;
    rounds = await reviewRound(run, rounds, stage, resumes);
  }
}

/** One review and what follows: going back, a revision or nothing; recorded in every case (T-075, lean/C-23). */
async function reviewRound(
  run: PhaseRun,
  rounds: Rounds,
  { command, role, revises, max }: DocumentStage,
  resumes: boolean,
): Promise<Rounds> {
  const { loop, found, state, commit } = rounds;
  const { iteration, askedAgain: retry } = loop;
  const reviewed = await looking(run, `${role} ${iteration}${retry ? ' again' : ''}`, (feature) =>
    reviewRole(run, {
      ...{ command, role, iteration, max, retry, feature, state, resumes },
      previous: found.get(role),
      outcome: domainOutcome(loop),
      commit: iteration === 1 ? undefined : commit,
    }),
  );
  const { answer, result, label } = reviewed;
  const next = afterAnswer(loop, result);
  const back = answer && (await goBack(run, label, { answer, result }));
  // Without another round nothing is revised.
  const fails = back === undefined && result.gate === 'fail' && next.iteration > iteration;
  const revised =
    fails && answer !== undefined
      ? await reviseDocument(run, revises, { answer, result, command, role, iteration, max })
      : undefined;
  // Tasks made from another plan are out of date.
  if (revised !== undefined && run.inputs.combined && revises === 'plan')
    await rewriteDocument(run, 'tasks', `tasks after plan ${iteration}`);
  await recordReview(run, label, {
    ...{ command, role, iteration, result },
    time: new Date(reviewed.time).toISOString(),
    issues: answer?.issues ?? [],
    markers: reviewed.markers,
    changes: back === undefined ? revised?.changes : `Went back to ${back}`,
  });
  return {
    loop: next,
    issues: answer?.issues ?? rounds.issues,
    found: answer === undefined ? found : new Map(found).set(role, answer.issues),
    state:
      revised?.written === true
        ? withFixSummary(reviewed.state, iteration, fixSummary(result.open))
        : reviewed.state,
    commit: revised === undefined ? commit : revised.commit,
    back,
  };
}

/** T-047: what the phase reviewer learns about the review before it. */
function domainOutcome({ isChained, finished: [domain] }: ReviewLoop): DomainOutcome | undefined {
  if (domain === undefined || isChained) return undefined;
  const { role: reviewer, approved, iterations: iteration, max, unresolved } = domain;
  return { reviewer, approved, iteration, max, unresolved: issueLines(unresolved) };
}

/** T-120, T-131, T-132: completes the phase and records what is open. */
async function complete(run: PhaseRun, { loop, issues }: ReviewEnd): Promise<Outcome> {
  const { phase, combined } = run.inputs;
  const capReached = loop.finished.some(({ approved }) => !approved);
  const iterations = totalIterations(loop);
  const notes = reviewerNotes(carriedIssues(loop.finished, issues), capReached);
  const outcome: PhaseVerdict | undefined = capReached ? 'carried-forward' : undefined;
  await changeState(
    run,
    'complete',
    (reading, time) => {
      const completed = { time, iterations, reviewerNotes: notes, outcome };
      const first = withPhaseCompleted(reading, phase, completed);
      if (!combined) return first;
      const tasks = withPhaseStarted(readMeta(serializeMeta(first)), 'tasks', time);
      return withPhaseCompleted(readMeta(serializeMeta(tasks)), 'tasks', {
        ...completed,
        iterations: 0,
        reviewerNotes: [],
      });
    },
    () => commitCompletion(run, documentsOf(run.inputs), !capReached),
  );
  const [name, heading] = combined ? ['plan and tasks', 'Plan and tasks'] : [phase, `Phase ${phase}`];
  return run.end(phaseOutcome(name, iterations, capReached, notes), !capReached, heading);
}
