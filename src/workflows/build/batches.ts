import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { LiteTask } from '../../base/schema/lite/plan.ts';
import { counted } from '../../base/text/strings.ts';
import type { Reply } from '../../council/council.ts';
import { cannotExecute } from '../../plan/tasks/executor.ts';
import { type Batch, dependantsOf } from '../../plan/tasks/schedule.ts';
import { openCheckout } from '../../repo/git/checkout.ts';
import { branchTip, findLanded, markedMessage, marksIn } from '../../repo/git/run-branch.ts';
import { gitOutput } from '../../repo/git/run-git.ts';
import { removeWorktree } from '../../repo/git/worktrees.ts';
import type { LiteDesk } from './desk.ts';
import {
  type Beginning,
  beginOnce,
  checkoutOf,
  doneBefore,
  type Execution,
  keepsIgnored,
  landWork,
  markOf,
  recordProgress,
} from './execution.ts';
import { executePrompt } from './rules/prompts.ts';
import { roundsOf } from './stage-confirm.ts';

type LiteBatch = Batch<LiteTask>;
/** What a prompt adds to the tasks: what earlier batches did, and what the first attempt collided with. */
type Begun = Beginning<{ previous?: string | undefined; conflict?: string | undefined }>;

/** P-112…P-126: waves one after another, the batches of a round side by side, their work joined in order. */
export async function runBatches(desk: LiteDesk, execution: Execution): Promise<void> {
  const rounds = roundsOf(desk, execution.files, execution.selection);
  const all = rounds.flatMap(({ batches }) =>
    batches.map((batch) => ({ batch, concurrent: batches.length > 1 })),
  );
  refuseUnknown(
    desk,
    execution,
    all.map(({ batch }) => batch.executor),
  );
  execution.batches = all.map(({ batch, concurrent }) => ({
    id: batch.id,
    executor: batch.executor,
    concurrent,
    tasks: batch.tasks.map(({ id }) => id),
    status: 'pending',
    attempts: 0,
    cliId: `${desk.inputs.session}-${batch.id}`,
  }));
  for (const round of rounds) {
    const started: { batch: LiteBatch; begun: Begun }[] = [];
    for (const batch of round.batches) {
      const begun = await openBatch(desk, execution, batch);
      if (begun !== undefined) started.push({ batch, begun });
    }
    await recordProgress(desk, execution);
    const replies = await desk.askAgents(
      started.map(({ batch, begun }) => requestOf(desk, execution, batch, batch.id, begun)),
    );
    for (const [index, { batch, begun }] of started.entries()) {
      const reply = replies[index];
      if (reply !== undefined) await settle(desk, execution, batch, begun.start, reply);
    }
    execution.lost = dependantsOf(execution.files.tasks, execution.failed);
    await recordProgress(desk, execution);
  }
}

/** P-125: runs before any work; in auto mode other agents replace the missing ones, with a warning. */
function refuseUnknown(desk: LiteDesk, execution: Execution, executors: readonly string[]): void {
  const missing = [...new Set(executors)].filter((id) => !desk.writers.includes(id));
  if (missing.length === 0) return;
  if (execution.auto && desk.writers.length > 0) {
    desk.warn(`${missing.join(', ')} cannot execute tasks here; using ${desk.writers.join(', ')} instead.`);
    return;
  }
  throw cannotExecute(missing, desk.writers);
}

type LandedBefore = { commit: string; files: string[]; undone: string[] };

/** The beginning of a batch that has to run; `undefined` for one that is skipped or on the branch already. */
async function openBatch(desk: LiteDesk, execution: Execution, batch: LiteBatch): Promise<Begun | undefined> {
  const { root, branch, base } = execution;
  const tasks = runnable(execution, batch);
  if (tasks.length === 0) {
    const reasons = batch.tasks.map(({ id }) => `${id} needs ${execution.lost.get(id)}`).join('; ');
    conclude(execution, batch, { status: 'skipped', summary: '', notes: reasons, proof: null });
    desk.warn(`[${batch.id}] skipped: ${reasons}.`);
    return undefined;
  }
  const landed = await desk.context.step(`landed ${batch.id}`, async (): Promise<LandedBefore | null> => {
    const mark = markOf(desk, batch.id);
    const found = await findLanded(root, branch, base, mark);
    return found === undefined ? null : { ...found, undone: await undoneIn(root, found.commit) };
  });
  if (landed !== null) {
    const { undone } = landed;
    for (const id of undone) execution.failed.add(id);
    conclude(execution, batch, {
      status: undone.length > 0 ? 'partial' : 'completed',
      summary: doneBefore,
      notes: '',
      outputs: landed.files,
      proof: null,
    });
    return undefined;
  }
  const item = itemOf(execution, batch);
  if (item !== undefined) item.status = 'in_progress';
  return openAt(desk, execution, batch, batch.id);
}

async function openAt(
  desk: LiteDesk,
  execution: Execution,
  batch: LiteBatch,
  name: string,
  conflict?: string,
): Promise<Begun> {
  const { root, branch, base } = execution;
  const words = { previous: previousWork(execution), conflict };
  const about = runnable(execution, batch)
    .map(({ id }) => id)
    .join(', ');
  return desk.context.step(`checkout ${name}`, async () => {
    const start = (await branchTip(root, branch)) ?? base;
    const beginning = await beginOnce(desk, name, about, { start, words, lane: `execute-${name}` });
    await openCheckout(root, checkoutOf(desk, name), beginning.start);
    return beginning;
  });
}

function requestOf(
  desk: LiteDesk,
  execution: Execution,
  batch: LiteBatch,
  name: string,
  { start, words, lane }: Begun,
) {
  const others = execution.auto ? desk.writers.filter((id) => id !== batch.executor) : [];
  const agents = [batch.executor, ...others].filter((id) => desk.writers.includes(id));
  return {
    key: lane,
    kind: 'execute',
    judgement: 'execution' as const,
    agents,
    planned: { agent: batch.executor },
    draft: (schema: Parameters<typeof executePrompt>[0]['schema']) =>
      executePrompt({
        commission: desk.commission('execute', execution.clarifications),
        plan: execution.files.plan,
        tasks: runnable(execution, batch),
        previous: words.previous,
        conflict: words.conflict,
        schema,
      }),
    place: {
      directory: path.join(checkoutOf(desk, name), execution.prefix),
      access: 'write' as const,
      start: { checkout: checkoutOf(desk, name), commit: start },
    },
  };
}

/** Joins the work of a batch with the run's branch. On conflict it is done again once on top of the others' work. */
async function settle(
  desk: LiteDesk,
  execution: Execution,
  batch: LiteBatch,
  start: string,
  reply: Reply<'execution'>,
): Promise<void> {
  const first = await join(desk, execution, batch, batch.id, start, reply);
  if (first.kind !== 'conflict') return;
  desk.warn(
    `[${batch.id}] conflicts in ${first.files.join(', ')}; repeating it on top of the others' work; the first attempt stays in ${checkoutOf(desk, batch.id)} until then.`,
  );
  const name = `${batch.id}-retry`;
  const conflict = `Files: ${first.files.join(', ')}\n\n${first.text}`;
  const again = await openAt(desk, execution, batch, name, conflict);
  const [second] = await desk.askAgents([requestOf(desk, execution, batch, name, again)]);
  if (second === undefined) return;
  const result = await join(desk, execution, batch, name, again.start, second);
  if (result.kind === 'conflict')
    fail(desk, execution, batch, second, `conflicts again in ${result.files.join(', ')}`, name);
  // What was joined in the second attempt is all of it.
  if (result.kind === 'joined')
    await desk.context.step(`close ${batch.id}`, async () =>
      removeWorktree(execution.root, checkoutOf(desk, batch.id)),
    );
}

type Joined = { kind: 'joined' | 'failed' } | { kind: 'conflict'; files: string[]; text: string };

async function join(
  desk: LiteDesk,
  execution: Execution,
  batch: LiteBatch,
  name: string,
  start: string,
  reply: Reply<'execution'>,
): Promise<Joined> {
  const { value } = reply;
  if (value === undefined || value.status === 'failed') {
    fail(desk, execution, batch, reply, value?.summary ?? reply.message ?? reply.kind, name);
    return { kind: 'failed' };
  }
  const checkout = checkoutOf(desk, name);
  const tasks = runnable(execution, batch);
  const undone = undoneOf(tasks, value);
  const titles = tasks.map(({ title }) => title).join('; ');
  const message = markedMessage([titles, value.summary], [markOf(desk, batch.id), ...undoneLine(undone)]);
  const landing = await desk.context.step(`land ${name}`, () =>
    landWork(execution, checkout, start, message),
  );
  if (landing.kind === 'conflict') return landing;
  if (landing.kind === 'unusable') {
    fail(desk, execution, batch, reply, landing.reason, name);
    return { kind: 'failed' };
  }
  for (const id of undone) execution.failed.add(id);
  const changed = landing.kind === 'landed' ? landing.files : [];
  if (landing.kind === 'nothing') {
    for (const { id } of tasks) if (!undone.includes(id)) execution.unchanged.add(id);
    desk.warn(`[${batch.id}] ${reply.agent} reports that it is done, but no file changed.`);
  }
  if (reply.agent !== batch.executor)
    desk.warn(`[${batch.id}] was executed by ${reply.agent} instead of ${batch.executor}.`);
  const keeps = keepsIgnored(desk, batch.id, landing, checkout);
  conclude(execution, batch, {
    status: undone.length > 0 ? 'partial' : 'completed',
    summary: value.summary,
    notes: [...value.notes, ...value.unfinished].join('; '),
    outputs: changed,
    proof: proofOf(
      desk,
      reply,
      changed,
      landing.kind === 'landed' ? landing.commit : null,
      keeps ? checkout : null,
    ),
  });
  desk.note(
    `[${batch.id}] ${reply.agent}: ${counted(changed.length, 'file')}, exit ${reply.exitCode ?? 'unknown'}, ${Math.round(reply.elapsedMs / 1000)}s`,
  );
  if (!keeps) await desk.context.step(`close ${name}`, async () => removeWorktree(execution.root, checkout));
  return { kind: 'joined' };
}

function fail(
  desk: LiteDesk,
  execution: Execution,
  batch: LiteBatch,
  reply: Reply<'execution'>,
  reason: string,
  name: string,
): void {
  for (const { id } of batch.tasks) execution.failed.add(id);
  const worktree = checkoutOf(desk, name);
  conclude(execution, batch, {
    status: 'failed',
    summary: '',
    notes: reason,
    proof: proofOf(desk, reply, [], null, worktree),
  });
  desk.warn(`[${batch.id}] failed: ${reason}. What it changed, if anything, is in ${worktree}.`);
}

type Conclusion = {
  status: 'completed' | 'partial' | 'failed' | 'skipped';
  summary: string;
  notes: string;
  outputs?: string[];
  proof: Execution['results'][number]['proof'];
};

function conclude(
  execution: Execution,
  batch: LiteBatch,
  { status, summary, notes, outputs = [], proof }: Conclusion,
): void {
  const item = itemOf(execution, batch);
  if (item !== undefined) {
    item.status = status === 'partial' ? 'failed' : status;
    item.attempts = proof?.attempts ?? 0;
    if (notes !== '') item.note = notes;
  }
  execution.results.push({
    executionId: `[${batch.id}]`,
    status,
    tasksSummary: batch.tasks.map(({ id, title }) => `${id} ${title}`).join('; '),
    completionSummary: summary,
    keyOutputs: outputs,
    notes,
    fixedCliId: item?.cliId ?? batch.id,
    proof,
  });
}

/** Limit of one argument. Prompts are not passed as arguments, but an unknown agent program may do so. */
const longestWord = 2000;

/** P-123: that the tool ran, what it was started as, how it ended, what it said last, what it changed. */
export function proofOf(
  desk: LiteDesk,
  reply: Reply<'execution'>,
  changedFiles: string[],
  commit: string | null,
  worktree: string | null,
): Execution['results'][number]['proof'] {
  return {
    executor: reply.agent,
    argv: (reply.argv ?? []).map((word) => word.slice(0, longestWord)),
    exitCode: reply.exitCode ?? null,
    durationMs: reply.elapsedMs,
    outputTail: tailOf(path.join(desk.context.live.directory.lanes, reply.folder, 'answer.txt')),
    changedFiles,
    commit,
    worktree,
    attempts: reply.attempts,
  };
}

function tailOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(-1000);
  } catch {
    return '';
  }
}

const runnable = (execution: Execution, batch: LiteBatch) =>
  batch.tasks.filter(({ id }) => !execution.lost.has(id));

const itemOf = (execution: Execution, batch: LiteBatch) =>
  execution.batches.find(({ id }) => id === batch.id);

/** What an executor reports as undone. Where it does not name the task, nothing of the batch counts as done. */
function undoneOf(
  tasks: readonly LiteTask[],
  { status, unfinished }: NonNullable<Reply<'execution'>['value']>,
): string[] {
  const all = tasks.map(({ id }) => id);
  const left = unfinished.filter((line) => !/^\W*(?:none|nothing|n\/a)?\W*$/i.test(line));
  const named = all.filter((id) => left.some((line) => line.includes(id)));
  return named.length === 0 && (status === 'partial' || left.length > 0) ? all : named;
}

const undoneMark = 'Charrette-Undone: ';

/** In the commit too: a run that starts again must not take half of the work for the whole. */
const undoneLine = (undone: readonly string[]) =>
  undone.length === 0 ? [] : [`${undoneMark}${undone.join(', ')}`];

async function undoneIn(root: string, commit: string): Promise<string[]> {
  const marks = marksIn(await gitOutput(root, ['log', '-1', '--format=%B', commit]));
  const line = marks.find((each) => each.startsWith(undoneMark));
  return line === undefined ? [] : line.slice(undoneMark.length).split(', ');
}

function previousWork({ results }: Execution): string | undefined {
  const lines = results
    .filter(({ status }) => status === 'completed' || status === 'partial')
    .map(({ executionId, completionSummary, keyOutputs, notes }) =>
      [`${executionId} ${completionSummary}`, `files: ${keyOutputs.join(', ') || 'none'}`, notes]
        .filter(Boolean)
        .join('; '),
    );
  return lines.length === 0 ? undefined : lines.join('\n');
}
