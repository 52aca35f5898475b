import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { parseJson } from '../../base/safe-json.ts';
import type { LiteTask } from '../../base/schema/lite/plan.ts';
import type { ExecutionResult } from '../../base/schema/lite/session-files.ts';
import { joinTruncated } from '../../base/text/strings.ts';
import type { LitePlanFiles } from '../../plan/tasks/plan-files.ts';
import { planInvalid } from '../../plan/tasks/read-plan.ts';
import { isDone, openTasks } from '../../plan/tasks/schedule.ts';
import { isUnusable } from '../../repo/git/checkout.ts';
import { driftOfPlan, driftSince } from '../../repo/git/drift.ts';
import { currentBranch, repositoryFacts, uncommittedIn } from '../../repo/git/repository-facts.ts';
import { openRunBranch, type Taken, takeWork } from '../../repo/git/run-branch.ts';
import type { LiteDesk } from './desk.ts';
import type { Selection } from './inputs.ts';
import type { BatchItem } from './rules/todo.ts';

/** Everything the stages of an execution share. */
export type Execution = {
  files: LitePlanFiles;
  selection: Selection;
  clarifications: string | undefined;
  auto: boolean;
  /** The repository: its top, the project inside it, the commit and branch it was on when execution began. */
  root: string;
  prefix: string;
  base: string;
  onto: string | undefined;
  /** The branch that collects the work. */
  branch: string;
  results: ExecutionResult[];
  batches: BatchItem[];
  /** Tasks that failed, and those that were skipped with the task they miss. */
  failed: Set<string>;
  lost: Map<string, string>;
  /** Tasks whose executor reported them as done without changing a file. */
  unchanged: Set<string>;
  /** Tasks that were completed before this run. */
  before: LiteTask[];
};

/** Checks the repository, rejects an outdated plan, and makes the run's branch. */
export async function beginExecution(
  desk: LiteDesk,
  files: LitePlanFiles,
  selection: Selection,
  clarifications: string | undefined,
  auto: boolean,
): Promise<Execution> {
  const { project } = desk.inputs;
  const { id } = desk.context.live.directory;
  const open = openTasks(files.tasks);
  if (open.length === 0)
    throw planInvalid([files.tasks.length === 0 ? 'it has no task' : 'every task is completed']);
  const branch = `charrette/${id}`;
  const start = await desk.context.step('execution start', async () => {
    const facts = await repositoryFacts(project);
    const head = facts.head ?? desk.inputs.baseCommit;
    return {
      root: facts.root,
      prefix: path.relative(facts.root, project),
      base: head,
      onto: (await currentBranch(project)) ?? null,
      unseen: await uncommittedIn(facts.root),
    };
  });
  const { unseen } = start;
  if (unseen.length > 0) desk.note(`not committed, so not seen by the executors: ${joinTruncated(unseen)}`);
  await checkDrift(desk, { plan: files.plan, tasks: open });
  await desk.context.step('run branch', async () => openRunBranch(start.root, branch, start.base));
  return {
    files: { plan: files.plan, tasks: open },
    selection,
    clarifications,
    auto,
    root: start.root,
    prefix: start.prefix,
    base: start.base,
    onto: start.onto ?? undefined,
    branch,
    results: [],
    batches: [],
    failed: new Set(),
    lost: new Map(),
    unchanged: new Set(),
    before: files.tasks.filter(isDone),
  };
}

/** Before anything is done: what happened to the files of the plan since it was made. */
async function checkDrift(desk: LiteDesk, { plan, tasks }: LitePlanFiles): Promise<void> {
  const base = plan._metadata.base_commit;
  if (base === undefined) {
    desk.note('the plan carries no base commit; drift cannot be computed');
    return;
  }
  const planned = tasks.flatMap(({ files = [] }) => files.map((file) => file.path));
  const drift = await desk.context.step('drift', async () => {
    const found = await driftSince(desk.inputs.project, base);
    return { relation: found.relation, commits: found.commits, touched: driftOfPlan(found, planned) };
  });
  const apart = drift.relation === 'diverged' || drift.relation === 'lost';
  if (drift.touched.length === 0 && !apart) {
    if (drift.commits > 0) desk.note(`${drift.commits} commits since the plan; none touches its files`);
    return;
  }
  const said = [
    ...(apart ? [`the base commit ${base.slice(0, 12)} is ${drift.relation}`] : []),
    ...drift.touched.map((file) => `${file.path} was ${file.change}`),
  ].join(', ');
  if (desk.inputs.acceptDrift) {
    desk.warn(`The plan is out of date: ${said}.`);
    return;
  }
  throw new CharretteError({
    code: 'plan-drift',
    message: `Planned files changed since the plan was made: ${said}.`,
    fix: 'Commit or put back these files, plan again, or use --accept-drift.',
  });
}

export function checkoutOf(desk: LiteDesk, name: string): string {
  return path.join(desk.context.live.directory.root, 'worktrees', name);
}

/** The line by which the commit of a batch or of a round of repairs is found again. */
export function markOf(desk: LiteDesk, piece: string): string {
  return `Charrette-Batch: ${desk.context.live.directory.id}/${piece}.`;
}

/** The summary of work that a restarted run finds on its branch. */
export const doneBefore = 'Done before the run was started again.';

/** P-124: the results so far, and the list of what is being done. `ended`: whether the result was accepted. */
export async function recordProgress(
  desk: LiteDesk,
  execution: Execution,
  ended?: { accepted: boolean },
): Promise<void> {
  await desk.json('execution-results.json', { schemaVersion: 1, results: execution.results });
  const state =
    ended === undefined ? { at: 'LE' as const } : { at: 'done' as const, failed: !ended.accepted };
  await desk.todo({ ...state, batches: execution.batches });
}

/** The commit a piece of work began at, the part of its prompt that depends on how far the run was then, and where it is asked for. */
export type Beginning<Words> = { start: string; words: Words; lane: string };

type Kept<Words> = Beginning<Words> & { about: string; lost: number };

/**
 * Begins a piece of work once. A run that resumes after a failure asks again for unmerged work: with the same commit and the same
 * prompt it finds the earlier answer and only merges it. `about`: what the beginning is valid for.
 */
export async function beginOnce<Words>(
  desk: LiteDesk,
  name: string,
  about: string,
  fresh: Beginning<Words>,
): Promise<Beginning<Words>> {
  const { root, lanes } = desk.context.live.directory;
  const file = path.join(root, 'steps', `begin-${name}.json`);
  const kept = existsSync(file)
    ? (parseJson(readFileSync(file, 'utf8'), file) as Kept<Words>)
    : { ...fresh, about: undefined, lost: 0 };
  const isThere = existsSync(checkoutOf(desk, name));
  if (isThere && kept.about === about) return { start: kept.start, words: kept.words, lane: kept.lane };
  // Without its checkout the work is lost even if an answer exists, so it is requested again in a new lane.
  const isLost = !isThere && existsSync(path.join(lanes, `${kept.lane}-1`));
  const lost = kept.lost + (isLost ? 1 : 0);
  const beginning = { ...fresh, lane: lost === 0 ? fresh.lane : `${fresh.lane}-again-${lost}` };
  await writeJsonAtomic(file, { schemaVersion: 1, about, lost, ...beginning });
  return beginning;
}

type LiteLanding = Taken | { kind: 'unusable'; reason: string };

/** Merges a checkout into the run's branch; an unusable checkout is a separate result. */
export async function landWork(
  { root, branch }: Execution,
  checkout: string,
  start: string,
  message: string,
): Promise<LiteLanding> {
  try {
    return await takeWork(root, checkout, { branch, start, message });
  } catch (error) {
    if (!isUnusable(error)) throw error;
    return { kind: 'unusable', reason: error.message.replace(/\.$/, '') };
  }
}

/** Ignored files that are named; an installed package may have thousands. */
const mostNamed = 5;

/**
 * Says what git ignored. True when the checkout has to stay: after work that landed, ignored files are by-products; where nothing landed they
 * may be all there is.
 */
export function keepsIgnored(
  desk: LiteDesk,
  label: string,
  landing: Extract<Taken, { ignored: string[] }>,
  checkout: string,
): boolean {
  const { kind, ignored } = landing;
  if (ignored.length === 0) return false;
  const more = ignored.length - mostNamed;
  const names = `${ignored.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  if (kind === 'nothing') desk.warn(`[${label}] git ignores ${names}; kept in ${checkout}.`);
  else desk.note(`[${label}] not taken, because git ignores it: ${names}`);
  return kind === 'nothing';
}
