import type { Outcome } from '../../engine/workflow.ts';
import { afterCombinedAnswer, type CombinedLoop, startCombinedLoop } from '../../feature/combined-loop.ts';
import { fixSummary } from '../../feature/fix-summary.ts';
import { readMeta } from '../../feature/meta.ts';
import { serializeMeta, withPhaseCompleted, withPhaseStarted } from '../../feature/meta-write.ts';
import { phaseOutcome } from '../../feature/outcome-line.ts';
import { reviewerNotes } from '../../feature/phase-loop.ts';
import type { ReviewIssue } from '../../feature/review-answer.ts';
import type { AuthoredKey } from '../../prompts/author/write.ts';
import { noResumeState, type ResumeState, withFixSummary } from '../../prompts/resume/state.ts';
import { travelBack, wentBack } from './backward.ts';
import { commitCompletion } from './commit.ts';
import type { FeatureDesk } from './desk.ts';
import { answerTravel, draftDocument, reviseDocument, rewriteDocument } from './document.ts';
import type { FeaturePhaseInputs } from './inputs.ts';
import { changeState, looking, recordReview, type StateChange } from './records.ts';
import { reviewRole } from './review.ts';

type Turn = { command: 'create-plan' | 'create-tasks'; role: string; revises: AuthoredKey };

/** T-122: who looks at what, and which document answers for it. */
const turns: readonly Turn[] = [
  { command: 'create-plan', role: 'plan-reviewer', revises: 'plan' },
  { command: 'create-tasks', role: 'task-reviewer', revises: 'tasks' },
  { command: 'create-tasks', role: 'phase-reviewer', revises: 'tasks' },
];

/** `charrette feature plan --combined`: plan and tasks are written and reviewed as one, with one budget. */
export async function combinedPhase(
  desk: FeatureDesk<FeaturePhaseInputs>,
  resumes: boolean,
): Promise<Outcome> {
  await draftDocument(desk, 'plan');
  await draftDocument(desk, 'tasks');
  await answerTravel(desk, 'plan');
  let loop: CombinedLoop = startCombinedLoop(
    turns.map(({ role }) => role),
    desk.inputs.max ?? 5,
  );
  let state: ResumeState = noResumeState;
  const found = new Map<string, readonly ReviewIssue[]>();
  let last: readonly ReviewIssue[] | undefined;
  while (loop.end === undefined) {
    const turn = turns[loop.turn];
    if (turn === undefined) break;
    const { command, role, revises } = turn;
    const { iteration, max, askedAgain } = loop;
    const previous = found.get(role);
    const asked = {
      command,
      role,
      iteration,
      max,
      retry: askedAgain,
      state,
      resumes,
      ...(previous === undefined ? {} : { previous }),
    };
    const label = `${role} ${iteration}${askedAgain ? ' again' : ''}`;
    const reviewed = await looking(desk, label, (feature) => reviewRole(desk, { ...asked, feature }));
    state = reviewed.state;
    if (reviewed.answer === undefined) {
      const reason = reviewed.problem;
      const unreadable = { reviewer: 'rejected', gate: 'ask-again', open: [], waived: [], reason } as const;
      loop = afterCombinedAnswer({ ...loop, askedAgain: true }, unreadable);
      continue;
    }
    const { answer, result } = reviewed;
    found.set(role, answer.issues);
    last = answer.issues;
    const back = await travelBack(desk, reviewed.label, reviewed);
    loop = afterCombinedAnswer(loop, result);
    const fails = back === undefined && result.gate === 'fail' && loop.end === undefined;
    const facts = { answer, result, command, role, iteration, max };
    const revised = fails ? await reviseDocument(desk, revises, facts) : undefined;
    if (revised !== undefined) {
      // Tasks that were made from another plan are made anew.
      if (revises === 'plan') await rewriteDocument(desk, 'tasks', `tasks after plan ${iteration}`);
      if (revised.written) state = withFixSummary(state, iteration, fixSummary(result.open));
    }
    await recordReview(desk, reviewed.label, {
      command,
      role,
      iteration,
      time: new Date(reviewed.time).toISOString(),
      result,
      issues: answer.issues,
      markers: reviewed.markers,
      ...(revised === undefined ? {} : { changes: revised.changes }),
      ...(back === undefined ? {} : { changes: `Went back to ${back}` }),
    });
    if (back !== undefined) return wentBack(desk, back);
  }
  return complete(desk, loop.iteration, loop.end?.approved !== true, last);
}

async function complete(
  desk: FeatureDesk<FeaturePhaseInputs>,
  iterations: number,
  capReached: boolean,
  issues: readonly ReviewIssue[] | undefined,
): Promise<Outcome> {
  const notes = reviewerNotes(issues, capReached);
  const completed: StateChange = (reading, time) => {
    const plan = withPhaseCompleted(reading, 'create-plan', { time, iterations, reviewerNotes: notes });
    const tasks = withPhaseStarted(readMeta(serializeMeta(plan)), 'create-tasks', time);
    return withPhaseCompleted(readMeta(serializeMeta(tasks)), 'create-tasks', {
      time,
      iterations: 0,
      reviewerNotes: [],
    });
  };
  await changeState(desk, 'complete', completed, () => commitCompletion(desk, ['plan', 'tasks']));
  const outcome = phaseOutcome('create-plan and create-tasks', iterations, capReached, notes);
  await desk.context.artifact('phase-outcome.md', `${outcome}\n`);
  desk.context.emit({ type: 'body', heading: 'Plan and tasks', text: outcome });
  return capReached ? { status: 'not-accepted', exit: 6, message: outcome } : { status: 'done', exit: 0 };
}
