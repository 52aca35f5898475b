import path from 'node:path';
import type { JsonSchema } from '../../agents/port.ts';
import type { CodeReview } from '../../base/schema/judgements/lite.ts';
import { counted, trimEndChars } from '../../base/text/strings.ts';
import { resolveExecutor } from '../../plan/tasks/executor.ts';
import { moveCheckout, openCheckout } from '../../repo/git/checkout.ts';
import { branchTip, diffBetween, findLanded, markedMessage } from '../../repo/git/run-branch.ts';
import { removeWorktree } from '../../repo/git/worktrees.ts';
import { proofOf } from './batches.ts';
import type { LiteDesk } from './desk.ts';
import {
  beginOnce,
  checkoutOf,
  doneBefore,
  type Execution,
  keepsIgnored,
  landWork,
  markOf,
} from './execution.ts';
import { codeReviewPrompt, fixPrompt } from './rules/prompts.ts';
import {
  type CodeVerdict,
  type Convergence,
  type CriterionState,
  codeVerdict,
  convergenceOf,
  criteriaStates,
  fixesNeeded,
  mergeReviews,
  reviewersOf,
  reviewShortfall,
} from './rules/verdict.ts';
import { runTests, type TestRun } from './run-tests.ts';

export type Verification = {
  tests: TestRun;
  review: CodeReview | undefined;
  reviewer: string;
  /** Why the requested review does not count; absent when it does, or none was requested. */
  shortfall?: string;
  states: CriterionState[];
  convergence: Convergence;
  code: CodeVerdict;
  tip: string;
  fixRounds: number;
};

const mostFixRounds = 3;

/** P-150…P-155: tests and review of the joined work, and up to three rounds of repairs. */
export async function verify(desk: LiteDesk, execution: Execution): Promise<Verification> {
  const reviewers = reviewersOf(execution.selection.review, desk.reviewers);
  for (let round = 0; ; round += 1) {
    const { tip, repaired } = await openResult(desk, execution, round);
    // The run was restarted after that repair: its findings are already handled.
    if (repaired !== null) {
      conclude(desk, execution, `fix-${round + 1}`, { summary: doneBefore, outputs: repaired.files });
      continue;
    }
    const found = await look(desk, execution, reviewers, round, tip);
    const problems = fixesNeeded(found.states, found.review, found.tests);
    if (problems.length === 0 || round === mostFixRounds || desk.writers.length === 0) return found;
    desk.note(`fix round ${round + 1} of ${mostFixRounds}: ${counted(problems.length, 'problem')}`);
    if (!(await fix(desk, execution, problems, round + 1))) return { ...found, fixRounds: round + 1 };
  }
}

/** The joined work of everybody so far, checked out; `repaired` when the repairs that follow it have landed already. */
function openResult(
  desk: LiteDesk,
  { root, branch, base }: Execution,
  round: number,
): Promise<{ tip: string; repaired: { files: string[] } | null }> {
  return desk.context.step(`result ${round}`, async () => {
    const tip = (await branchTip(root, branch)) ?? base;
    const repaired = (await findLanded(root, branch, base, markOf(desk, `fix-${round + 1}`))) ?? null;
    const checkout = checkoutOf(desk, 'result');
    await openCheckout(root, checkout, tip);
    await moveCheckout(root, checkout, tip);
    return { tip, repaired };
  });
}

async function look(
  desk: LiteDesk,
  execution: Execution,
  reviewers: readonly string[],
  round: number,
  tip: string,
): Promise<Verification> {
  const { prefix, files } = execution;
  const { lanes } = desk.context.live.directory;
  const directory = path.join(checkoutOf(desk, 'result'), prefix);
  desk.note(round === 0 ? 'running the tests' : `running the tests again after fix round ${round}`);
  const tests = await desk.context.step(`tests ${round}`, (signal) =>
    runTests(directory, path.join(lanes, `tests-${round}`), signal),
  );
  desk.note(
    tests.command === null
      ? 'tests: not verified, the repository names no command for them'
      : `tests: ${tests.outcome} (${tests.command.argv.join(' ')})`,
  );
  const { review, shortfall } =
    reviewers.length === 0 ? {} : await askReview(desk, execution, reviewers, round, tip, directory, tests);
  const done = files.tasks.filter(({ id }) => !execution.failed.has(id) && !execution.lost.has(id));
  const states = criteriaStates(done, review);
  return {
    tests,
    review,
    reviewer: reviewers.join(', '),
    ...(shortfall === undefined ? {} : { shortfall }),
    states,
    convergence: convergenceOf(states, tests.outcome, review !== undefined && shortfall === undefined),
    code: codeVerdict(review, shortfall === undefined),
    tip,
    fixRounds: round,
  };
}

async function askReview(
  desk: LiteDesk,
  { files, root, base, clarifications }: Execution,
  reviewers: readonly string[],
  round: number,
  tip: string,
  directory: string,
  tests: TestRun,
): Promise<{ review?: CodeReview; shortfall?: string }> {
  // P-153: against the commit at which execution began.
  const diff = await desk.context.step(`diff ${round}`, async () =>
    (await diffBetween(root, base, tip)).slice(0, 200_000),
  );
  const criteria = files.tasks.flatMap(({ id, convergence }) =>
    convergence.criteria.map((_, index) => ({ id: `${id}#${index + 1}` })),
  );
  const replies = await desk.askAgents(
    reviewers.map((reviewer) => ({
      key: `code-review-${round}${reviewers.length === 1 ? '' : `-${laneName(reviewer)}`}`,
      kind: 'code-review',
      judgement: 'code-review' as const,
      agents: [reviewer],
      draft: (schema: JsonSchema) =>
        codeReviewPrompt({
          commission: desk.commission('review', clarifications),
          plan: files.plan,
          tasks: files.tasks,
          diff,
          tests: tests.command === null ? 'No command is known.' : `${tests.outcome}\n${tests.output}`,
          schema,
        }),
      facts: { criteria },
      place: { directory, access: 'read' as const },
    })),
  );
  const missing = new Map<string, string>();
  const voices = replies.flatMap(({ value, message, kind }, index) => {
    const reviewer = reviewers[index] ?? '';
    if (value !== undefined) return [{ reviewer, review: value }];
    const reason = trimEndChars(message ?? kind, '.');
    missing.set(reviewer, reason);
    desk.warn(`The review of ${reviewer} is missing: ${reason}.`);
    return [];
  });
  const review = mergeReviews(voices);
  const chosen = reviewers.map((id) => ({ id, family: desk.services.agents.get(id)?.family ?? id }));
  const isEnough = desk.inputs.acceptDegraded === true && review !== undefined;
  const shortfall = isEnough ? undefined : reviewShortfall(chosen, missing);
  return {
    ...(review === undefined ? {} : { review }),
    ...(shortfall === undefined ? {} : { shortfall }),
  };
}

const laneName = (agent: string) => agent.toLowerCase().replace(/[^a-z0-9-]+/g, '-');

/** One round of repairs on top of the run's branch; false when nothing came of it. */
async function fix(desk: LiteDesk, execution: Execution, found: string[], round: number): Promise<boolean> {
  const { root, branch, base, prefix, files, selection, clarifications, auto } = execution;
  const name = `fix-${round}`;
  const checkout = checkoutOf(desk, name);
  const {
    start,
    words: problems,
    lane,
  } = await desk.context.step(`checkout ${name}`, async () => {
    const tip = (await branchTip(root, branch)) ?? base;
    // Test output differs from run to run; the first output for a commit is final.
    const beginning = await beginOnce(desk, name, tip, { start: tip, words: found, lane: name });
    await openCheckout(root, checkout, beginning.start);
    return beginning;
  });
  const { writers, unwell } = desk;
  const wanted = resolveExecutor(`FIX-00${round}`, {
    assignments: {},
    method: selection.execution,
    complexity: files.plan.complexity,
    writers,
    unwell,
  });
  const executor = writers.includes(wanted) ? wanted : (writers[0] ?? wanted);
  const [reply] = await desk.askAgents([
    {
      key: lane,
      kind: 'fix',
      judgement: 'execution' as const,
      agents: [executor, ...(auto ? writers.filter((id) => id !== executor) : [])],
      planned: { agent: wanted },
      draft: (schema) =>
        fixPrompt({ commission: desk.commission('execute', clarifications), problems, round, schema }),
      place: { directory: path.join(checkout, prefix), access: 'write', start: { checkout, commit: start } },
    },
  ]);
  if (reply?.value === undefined) {
    desk.warn(
      `Fix round ${round} failed: ${reply?.message ?? 'no answer'}. What it changed, if anything, is in ${checkout}.`,
    );
    return false;
  }
  const mark = markOf(desk, name);
  const title = `Fix what tests and review found, round ${round}`;
  const message = markedMessage([title, reply.value.summary], [mark]);
  const landing = await desk.context.step(`land ${name}`, async () => {
    const before = await findLanded(root, branch, base, mark);
    if (before !== undefined) return { kind: 'landed' as const, ...before, ignored: [] };
    return landWork(execution, checkout, start, message);
  });
  const landed = landing.kind === 'landed' ? landing : null;
  const taken = landing.kind === 'landed' || landing.kind === 'nothing';
  const keeps = !taken || keepsIgnored(desk, name, landing, checkout);
  if (landing.kind === 'unusable') desk.warn(`Fix round ${round} failed: ${landing.reason}.`);
  // A separate step: merging again after a kill needs the checkout.
  if (!keeps) await desk.context.step(`close ${name}`, async () => removeWorktree(root, checkout));
  conclude(desk, execution, name, {
    isDone: landed !== null,
    tasks: `${problems.length} problems`,
    summary: reply.value.summary,
    outputs: landed?.files ?? [],
    notes: reply.value.notes.join('; '),
    proof: proofOf(desk, reply, landed?.files ?? [], landed?.commit ?? null, keeps ? checkout : null),
  });
  if (landing.kind === 'nothing') desk.warn(`Fix round ${round} changed nothing.`);
  return landed !== null;
}

/** Adds the result of a repair round to the results of the batches. */
function conclude(
  desk: LiteDesk,
  execution: Execution,
  name: string,
  result: {
    isDone?: boolean;
    tasks?: string;
    summary: string;
    outputs: string[];
    notes?: string;
    proof?: Execution['results'][number]['proof'];
  },
): void {
  const { isDone = true, tasks = 'repairs', summary, outputs, notes = '', proof = null } = result;
  execution.results.push({
    executionId: `[${name}]`,
    status: isDone ? 'completed' : 'failed',
    tasksSummary: tasks,
    completionSummary: summary,
    keyOutputs: outputs,
    notes,
    fixedCliId: `${desk.inputs.session}-${name}`,
    proof,
  });
}
