import path from 'node:path';
import { shellWord } from '../../base/text/strings.ts';
import type { Outcome } from '../../engine/workflow.ts';
import { firstLine, type LitePlanFiles } from '../../plan/tasks/plan-files.ts';
import { forwardTo } from '../../repo/git/run-branch.ts';
import { removeWorktree } from '../../repo/git/worktrees.ts';
import { runBatches } from './batches.ts';
import type { LiteDesk } from './desk.ts';
import { beginExecution, checkoutOf, type Execution, recordProgress } from './execution.ts';
import type { Selection } from './inputs.ts';
import { followUps, renderCodeReview, renderTestReview, testChecklist } from './rules/reports.ts';
import { rejections, reviewersOf } from './rules/verdict.ts';
import { type Verification, verify } from './verify.ts';

/** Phase 2: drift → waves → tests and review → reports → the result on the person's branch, if it is good. */
export async function executePlan(
  desk: LiteDesk,
  files: LitePlanFiles,
  selection: Selection,
  { clarifications, auto }: { clarifications: string | undefined; auto: boolean },
): Promise<Outcome> {
  desk.begin('LE', 'execute');
  // P-125: fail before paying for work that no agent could review.
  reviewersOf(selection.review, desk.reviewers);
  // P-105: never replace an agent that you named.
  const free = auto && selection.execution === 'auto';
  const execution = await beginExecution(desk, files, selection, clarifications, free);
  await runBatches(desk, execution);
  const done = execution.results.filter(
    ({ status }) => status === 'completed' || status === 'partial',
  ).length;
  desk.end(`${done} of ${execution.batches.length} batches`);
  desk.begin('LV', 'verify');
  const verification = await verify(desk, execution);
  await writeReports(desk, execution, verification);
  if (!auto) await offerFollowUps(desk, execution, verification);
  const problems = rejections({ ...execution, ...verification });
  await recordProgress(desk, execution, { accepted: problems.length === 0 });
  desk.end(`convergence ${verification.convergence}, code ${verification.code}`);
  return finish(desk, execution, verification, problems);
}

async function writeReports(desk: LiteDesk, execution: Execution, verification: Verification): Promise<void> {
  const { files, base, failed, lost, before } = execution;
  const { tests, review, reviewer, shortfall, states, convergence, tip, fixRounds } = verification;
  const command = tests.command?.argv.join(' ');
  const outcome = (id: string) => (failed.has(id) ? 'failed' : lost.has(id) ? 'skipped' : 'completed');
  const checklist = testChecklist(
    {
      session: desk.inputs.session,
      time: desk.time,
      command,
      framework: tests.command?.framework ?? 'unknown',
    },
    files.plan,
    [...before, ...files.tasks].map((task) => ({ ...task, outcome: outcome(task.id) })),
    states,
    command === undefined
      ? null
      : {
          command,
          timestamp: desk.time,
          raw_output: tests.output,
          overall: tests.outcome,
          ...(fixRounds === 0 ? {} : { fix_iteration: fixRounds }),
        },
  );
  await desk.json('test-checklist.json', checklist);
  await desk.context.artifact('code-review.md', renderCodeReview(review, { reviewer, base, tip, shortfall }));
  await desk.context.artifact('test-review.md', renderTestReview(convergence, states, checklist, fixRounds));
}

/** P-157: offers the remaining work as issues; auto mode does not ask. */
async function offerFollowUps(desk: LiteDesk, execution: Execution, { tests, states, review }: Verification) {
  const { failed, lost, results } = execution;
  const issues = followUps({
    task: firstLine(desk.inputs.task),
    run: desk.context.live.directory.id,
    tests: tests.outcome,
    states,
    review,
    undone: [
      ...[...failed].map((id) => `${id} failed`),
      ...[...lost.keys()].map((id) => `${id} was skipped`),
      ...[...execution.unchanged].map((id) => `${id} changed no file`),
    ],
    notes: results.flatMap(({ executionId, status, notes }) =>
      notes === '' || status === 'skipped' ? [] : [`${executionId}: ${notes}`],
    ),
    changedFiles: [...new Set(results.flatMap(({ keyOutputs }) => keyOutputs))].sort(),
  });
  for (const { dimension, title, body } of issues) {
    const name = `follow-up-${dimension}.md`;
    await desk.context.artifact(name, body);
    desk.note(
      `follow-up: ${title} (gh issue create --title ${shellWord(title)} --body-file ${shellWord(path.join(desk.context.live.directory.artifacts, name))})`,
    );
  }
}

/** Merges an accepted result into the user's branch; any other stays on the branch of the run, which is named. */
async function finish(
  desk: LiteDesk,
  execution: Execution,
  { convergence, code, tip, tests }: Verification,
  problems: readonly string[],
): Promise<Outcome> {
  const { root, branch, base, failed, lost, unchanged, before, files } = execution;
  const good = problems.length === 0;
  const merged = good && desk.inputs.merge ? await mergeResult(desk, execution, tip) : undefined;
  await desk.context.step('close result', async () => removeWorktree(root, checkoutOf(desk, 'result')));
  const at = merged === true ? `on ${execution.onto ?? 'HEAD'}` : `on the branch ${branch}`;
  const range = `from ${base.slice(0, 12)} to ${tip.slice(0, 12)}`;
  const isEmpty = tip === base;
  const work = isEmpty ? 'no change was committed' : `the work is ${at}`;
  const verdict = `convergence ${convergence}, code review ${code}`;
  const summary = [
    `${desk.inputs.task.split('\n')[0]}`,
    `${verdict}; ${work}${isEmpty ? '' : `, ${range}`}.`,
    ...problems,
    `tests: ${tests.command === null ? 'the repository names no command for them' : `${tests.outcome} (${tests.command.argv.join(' ')})`}`,
  ];
  const stateOf = (id: string) =>
    failed.has(id) ? 'failed' : lost.has(id) ? 'skipped' : unchanged.has(id) ? 'no file changed' : 'done';
  const tasks = [
    ...before.map(({ id, title }) => `- ${id} ${title}: completed before this run`),
    ...files.tasks.map(({ id, title }) => `- ${id} ${title}: ${stateOf(id)}`),
  ];
  await desk.context.artifact(
    'execution-summary.md',
    `# Summary\n\n${summary.map((line) => `- ${line}`).join('\n')}\n\n## Tasks\n\n${tasks.join('\n')}\n`,
  );
  if (good) return { status: 'done', exit: 0, message: `${verdict}; ${work}` };
  return {
    status: 'not-accepted',
    exit: 6,
    message: [`${verdict}; ${work}`, ...problems, nextStep(desk, execution, tip)].join('; '),
  };
}

/** Nothing is merged that was not accepted; the user may do it after reading it. */
function nextStep(desk: LiteDesk, { base, branch }: Execution, tip: string): string {
  if (tip === base) return `run \`charrette show ${desk.context.live.directory.id}\` for details`;
  return `nothing was merged: read it with \`git diff ${base.slice(0, 12)} ${branch}\`, accept it with \`git merge ${branch}\``;
}

/** Forward only, and only when the branch has not moved; otherwise it says how to do it by hand. */
async function mergeResult(desk: LiteDesk, { base, onto, branch }: Execution, tip: string): Promise<boolean> {
  const { project } = desk.inputs;
  const result = await desk.context.step('merge', () => forwardTo(project, tip, { base, onto }));
  if (!result.merged) desk.warn(`Not merged: ${result.reason}. When you are ready: git merge ${branch}`);
  return result.merged;
}
