import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { agentOf, type ServicesOf } from '../../council/call/services.ts';
import type { Outcome, WorkflowDefinition } from '../../engine/workflow.ts';
import { sideFiles } from '../../prompts/artifacts.ts';
import { dropKeptWork, forwardTo } from '../../repo/git/run-branch.ts';
import { removeWorktree } from '../../repo/git/worktrees.ts';
import { wentBack } from './backward.ts';
import { askConsent, sessionsCanContinue } from './before.ts';
import { deepenTests, simplify } from './deepen.ts';
import { FeatureDesk } from './desk.ts';
import { type ReviewEnd, reviewImplementation } from './implement-review.ts';
import { carryOutTasks } from './implement-tasks.ts';
import type { FeatureImplementInputs } from './inputs.ts';
import { changeState, look } from './records.ts';
import { filesInLog } from './rules/implementation-log.ts';
import { tasksOfSpec } from './rules/light-tasks.ts';
import {
  withAbandoned,
  withPhaseCompleted,
  withPhaseRejected,
  withPhaseStarted,
} from './rules/meta-write.ts';
import { phaseOutcome } from './rules/outcome-line.ts';
import { reviewerNotes } from './rules/phase-loop.ts';
import { modePhases } from './rules/phases.ts';
import { holdsSomething, saveDocument } from './save-document.ts';
import { beginWork, checkoutOf, keptPrefix, tipOf, type Work } from './work.ts';

type Desk = FeatureDesk<FeatureImplementInputs>;

/** `charrette feature implement`: tasks → simpler code → tests from the specification → reviews → the person's branch. */
export function featureImplementWorkflow(
  servicesOf: ServicesOf,
): WorkflowDefinition<FeatureImplementInputs, Outcome> {
  return {
    name: 'feature-implement',
    async run(context, inputs) {
      const desk: Desk = new FeatureDesk(context, await servicesOf(context.live), inputs);
      refuseReaders(desk);
      await askConsent(desk);
      await changeState(desk, 'start', (reading, time) => withPhaseStarted(reading, 'implement', time));
      await writeLightTasks(desk);
      const work = await beginWork(desk);
      const named = inputs.reviewOnly ? await namedInLog(desk) : [];
      if (!inputs.reviewOnly) await carryOutTasks(desk, work);
      if (inputs.simplify) await simplify(desk, work, named);
      if (inputs.deepen && !(await deepenTests(desk, work, named))) {
        return stopped(desk, work, 'code and specification differ');
      }
      const reviewer = await sessionsCanContinue(desk, inputs.reviewer);
      const author =
        inputs.author === inputs.reviewer ? reviewer : await sessionsCanContinue(desk, inputs.author);
      const end = await reviewImplementation(desk, work, { author, reviewer }, named);
      return conclude(desk, work, end);
    },
  };
}

function refuseReaders({ services, inputs }: Desk): void {
  if (agentOf(services, inputs.author).capabilities.write) return;
  throw new CharretteError({
    code: 'agent-not-found',
    message: `${inputs.author} cannot change files, so it cannot implement.`,
    fix: 'Name an agent that can as the first of --agents.',
  });
}

/** §2B: a mode without tasks has all of its specification done as one; whatever stands in tasks.md stays. */
async function writeLightTasks(desk: Desk): Promise<void> {
  const feature = await look(desk, 'mode');
  const { files, directory, meta } = feature;
  const written = modePhases[meta.meta.mode ?? 'standard'].includes('tasks');
  if (written || holdsSomething(files.tasks) || files.spec.kind !== 'present') return;
  const text = tasksOfSpec(path.basename(directory), files.spec.text ?? '');
  await saveDocument(desk, { key: 'tasks', name: 'one task', before: files.tasks, text });
}

/** T-072: what an earlier run or a person put on record as changed. */
async function namedInLog(desk: Desk): Promise<string[]> {
  const files = await desk.once('files of the log', async () =>
    filesInLog((await readTextFile(path.join(desk.inputs.directory, sideFiles.log))) ?? ''),
  );
  if (files.length > 0) return files;
  throw new CharretteError({
    code: 'artifact-missing',
    message: `${sideFiles.log} names no changed file, so there is nothing to review.`,
    fix: 'Leave --review-only out, or list the files as `- **Files changed:** a.ts, b.ts`.',
  });
}

async function conclude(desk: Desk, work: Work, end: ReviewEnd): Promise<Outcome> {
  const { verdict, rounds, open, notes } = end;
  if (verdict === 'stopped') {
    await changeState(desk, 'reject', (reading) => withPhaseRejected(reading, 'implement'));
    return stopped(desk, work, `${open.length} issues are open after ${rounds} rounds`);
  }
  // There is nothing to go on with.
  if (verdict === 'abandoned') {
    await changeState(desk, 'abandon', withAbandoned);
    return stopped(desk, work, 'the feature is abandoned', '.');
  }
  if (end.back !== undefined) {
    await tidy(desk, work);
    return wentBack(desk, end.back, `\nThe work so far is on the branch ${work.branch}.`);
  }
  const forced = verdict === 'forced';
  const reviewed = reviewerNotes(forced ? open : notes, forced);
  const tip = await desk.once('tip of the result', () => tipOf(work));
  const implementation = { branch: work.branch, tip };
  await changeState(desk, 'complete', (reading, time) =>
    withPhaseCompleted(reading, 'implement', {
      time,
      iterations: rounds,
      reviewerNotes: reviewed,
      outcome: forced ? 'carried-forward' : undefined,
      implementation,
    }),
  );
  const place = await bringHome(desk, work, tip);
  const line = forced
    ? `implement: taken as it is after ${rounds} rounds, ${open.length} issues on record`
    : phaseOutcome('implement', rounds, false, reviewed);
  const outcome = `${line}\n${place}`;
  await desk.context.artifact('phase-outcome.md', `${outcome}\n`);
  desk.context.emit({ type: 'body', heading: 'Phase implement', text: outcome });
  return forced ? { status: 'not-accepted', exit: 6, message: outcome } : { status: 'done', exit: 0 };
}

/** Forward only, and only where the person's branch has not moved; otherwise it says how to do it by hand. */
async function bringHome(desk: Desk, work: Work, tip: string): Promise<string> {
  const merged = desk.inputs.merge
    ? await desk.once('merge', () =>
        forwardTo(desk.services.project, tip, { base: work.base, onto: work.onto ?? undefined }),
      )
    : { merged: false, reason: 'nobody asked for it' };
  await tidy(desk, work);
  if (merged.merged) return `The work is on ${work.onto ?? 'HEAD'}, up to ${tip.slice(0, 12)}.`;
  desk.warn(`Not merged: ${merged.reason}. When you are ready: git merge ${work.branch}`);
  return `The work is on the branch ${work.branch}, up to ${tip.slice(0, 12)}.`;
}

async function stopped(
  desk: Desk,
  work: Work,
  reason: string,
  further = `. Take it with \`git merge ${work.branch}\` and go on with \`charrette feature implement --review-only\`.`,
): Promise<Outcome> {
  await tidy(desk, work);
  const text = `implement: not approved, ${reason}\nThe work is on the branch ${work.branch}${further}`;
  await desk.context.artifact('phase-outcome.md', `${text}\n`);
  desk.context.emit({ type: 'body', heading: 'Phase implement', text });
  return { status: 'not-accepted', exit: 6, message: text };
}

/** Everything has landed: checkouts and kept work go, the branch stays. */
async function tidy(desk: Desk, work: Work): Promise<void> {
  await desk.context.step('tidy', async () => {
    const checkout = checkoutOf(desk, 'work');
    if (!work.kept.has(checkout)) await removeWorktree(work.root, checkout);
    await dropKeptWork(work.root, keptPrefix(desk));
    return true;
  });
}
