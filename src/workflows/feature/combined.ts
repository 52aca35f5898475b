import type { Outcome } from '../../engine/workflow.ts';
import type { AuthoredKey } from '../../prompts/author/write.ts';
import { readMeta } from '../../prompts/feature/meta.ts';
import { noResumeState, type ResumeState } from '../../prompts/resume/state.ts';
import { wentBack } from './backward.ts';
import { commitCompletion } from './commit.ts';
import type { FeatureDesk } from './desk.ts';
import { answerTravel, draftDocument, rewriteDocument } from './document.ts';
import type { FeaturePhaseInputs } from './inputs.ts';
import { changeState, type StateChange } from './records.ts';
import { afterCombinedAnswer, type CombinedLoop, startCombinedLoop } from './rules/combined-loop.ts';
import { serializeMeta, withPhaseCompleted, withPhaseStarted } from './rules/meta-write.ts';
import { phaseOutcome } from './rules/outcome-line.ts';
import { reviewerNotes } from './rules/phase-loop.ts';
import type { ReviewIssue } from './rules/review-answer.ts';
import { takeTurn } from './turn.ts';

type Turn = { command: 'plan' | 'tasks'; role: string; revises: AuthoredKey };

/** T-122: who looks at what, and which document answers for it. */
const turns: readonly Turn[] = [
  { command: 'plan', role: 'plan-reviewer', revises: 'plan' },
  { command: 'tasks', role: 'task-reviewer', revises: 'tasks' },
  { command: 'tasks', role: 'phase-reviewer', revises: 'tasks' },
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
  let last: readonly ReviewIssue[] = [];
  while (loop.end === undefined) {
    const turn = turns[loop.turn];
    if (turn === undefined) break;
    const { command, role, revises } = turn;
    const { iteration, max, askedAgain } = loop;
    const previous = found.get(role);
    const current = loop;
    const turned = await takeTurn(desk, {
      asked: {
        command,
        role,
        iteration,
        max,
        retry: askedAgain,
        state,
        resumes,
        ...(previous === undefined ? {} : { previous }),
      },
      revises,
      goesOn: (result) => afterCombinedAnswer(current, result).end === undefined,
      // Tasks that were made from another plan are made anew.
      ...(revises === 'plan'
        ? { afterRevision: () => rewriteDocument(desk, 'tasks', `tasks after plan ${iteration}`) }
        : {}),
    });
    loop = afterCombinedAnswer(loop, turned.result);
    state = turned.state;
    if (turned.issues !== undefined) {
      found.set(role, turned.issues);
      last = turned.issues;
    }
    if (turned.back !== undefined) return wentBack(desk, turned.back);
  }
  return complete(desk, loop.iteration, loop.end?.approved !== true, last);
}

async function complete(
  desk: FeatureDesk<FeaturePhaseInputs>,
  iterations: number,
  capReached: boolean,
  issues: readonly ReviewIssue[],
): Promise<Outcome> {
  const notes = reviewerNotes(issues, capReached);
  const completed: StateChange = (reading, time) => {
    const outcome = capReached ? 'carried-forward' : undefined;
    const plan = withPhaseCompleted(reading, 'plan', { time, iterations, reviewerNotes: notes, outcome });
    const tasks = withPhaseStarted(readMeta(serializeMeta(plan)), 'tasks', time);
    return withPhaseCompleted(readMeta(serializeMeta(tasks)), 'tasks', {
      time,
      iterations: 0,
      reviewerNotes: [],
      outcome,
    });
  };
  await changeState(desk, 'complete', completed, () =>
    commitCompletion(desk, ['plan', 'tasks'], !capReached),
  );
  const outcome = phaseOutcome('plan and tasks', iterations, capReached, notes);
  await desk.context.artifact('phase-outcome.md', `${outcome}\n`);
  desk.context.emit({ type: 'body', heading: 'Plan and tasks', text: outcome });
  return capReached ? { status: 'not-accepted', exit: 6, message: outcome } : { status: 'done', exit: 0 };
}
