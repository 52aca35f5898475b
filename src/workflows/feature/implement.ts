import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { agentOf, type WorkflowStart } from '../../council/call/once.ts';
import type { Outcome } from '../../engine/workflow.ts';
import { reportBack } from './backward.ts';
import { askConsent, sessionsCanContinue } from './before.ts';
import { deepenTests, simplify } from './deepen.ts';
import { hasContent, saveDocument } from './documents.ts';
import { type ReviewEnd, reviewImplementation } from './implement-review.ts';
import { implementTasks, tasksOfSpec } from './implement-tasks.ts';
import type { FeatureImplementInputs } from './inputs.ts';
import { changeState, look } from './records.ts';
import {
  withAbandoned,
  withPhaseCompleted,
  withPhaseRejected,
  withPhaseStarted,
} from './rules/meta-write.ts';
import { modePhases } from './rules/phases.ts';
import { phaseOutcome, reviewerNotes } from './rules/review-loop.ts';
import { FeatureRun, type ImplementRun } from './run.ts';
import { Work } from './work.ts';

/** `charrette feature implement`: tasks → simpler code → tests from the specification → reviews → your branch. */
export async function featureImplement(...start: WorkflowStart<FeatureImplementInputs>): Promise<Outcome> {
  const run: ImplementRun = new FeatureRun(...start);
  const { inputs } = run;
  requireWriter(run);
  await askConsent(run);
  await changeState(run, 'start', (reading, time) => withPhaseStarted(reading, 'implement', time));
  await writeOneTask(run);
  const work = await Work.begin(run);
  if (!inputs.reviewOnly) await implementTasks(run, work);
  if (inputs.simplify) await simplify(run, work);
  if (inputs.deepen && !(await deepenTests(run, work)))
    return stop(run, work, 'code and specification differ');
  const reviewer = await sessionsCanContinue(run, inputs.reviewer);
  const author = inputs.author === inputs.reviewer ? reviewer : await sessionsCanContinue(run, inputs.author);
  return conclude(run, work, await reviewImplementation(run, work, { author, reviewer }));
}

function requireWriter({ services, inputs }: ImplementRun): void {
  if (agentOf(services, inputs.author).capabilities.write) return;
  throw new CharretteError({
    code: 'agent-not-found',
    message: `${inputs.author} cannot change files, so it cannot implement.`,
    fix: 'Name an agent that can as the first of --agents.',
  });
}

/** §2B: a mode without a tasks phase implements the whole specification as one task; an existing tasks.md stays. */
async function writeOneTask(run: ImplementRun): Promise<void> {
  const { files, directory, meta } = await look(run, 'mode');
  const hasTasksPhase = modePhases[meta.meta.mode ?? 'standard'].includes('tasks');
  if (hasTasksPhase || hasContent(files.tasks) || files.spec.kind !== 'present') return;
  const text = tasksOfSpec(path.basename(directory), files.spec.text ?? '');
  await saveDocument(run, { key: 'tasks', name: 'one task', before: files.tasks, text });
}

async function conclude(run: ImplementRun, work: Work, end: ReviewEnd): Promise<Outcome> {
  const { verdict, rounds, issues } = end;
  if (verdict === 'stopped') {
    await changeState(run, 'reject', (reading) => withPhaseRejected(reading, 'implement'));
    return stop(run, work, `${issues.length} issues are open after ${rounds} rounds`);
  }
  if (verdict === 'abandoned') {
    await changeState(run, 'abandon', withAbandoned);
    return stop(run, work, 'the feature is abandoned', '.');
  }
  if (end.back !== undefined) {
    await work.tidy();
    return reportBack(run, end.back, `\nThe work so far is on the branch ${work.branch}.`);
  }
  const isForced = verdict === 'forced';
  const notes = reviewerNotes(issues, isForced);
  const tip = await run.once('tip of the result', () => work.tip());
  await changeState(run, 'complete', (reading, time) =>
    withPhaseCompleted(reading, 'implement', {
      time,
      iterations: rounds,
      reviewerNotes: notes,
      outcome: isForced ? 'carried-forward' : undefined,
      implementation: { branch: work.branch, tip },
    }),
  );
  const place = await work.deliver(tip);
  const line = isForced
    ? `implement: accepted unchanged after ${rounds} rounds, ${issues.length} issues recorded`
    : phaseOutcome('implement', rounds, false, notes);
  return run.end(`${line}\n${place}`, !isForced);
}

async function stop(
  run: ImplementRun,
  work: Work,
  reason: string,
  next = `. Take it with \`git merge ${work.branch}\` and continue with \`charrette feature implement --review-only\`.`,
): Promise<Outcome> {
  await work.tidy();
  return run.end(
    `implement: not approved, ${reason}\nThe work is on the branch ${work.branch}${next}`,
    false,
  );
}
