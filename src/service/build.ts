import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isInstalled } from '../agents/registry.ts';
import { thisWorld } from '../agents/settings.ts';
import { loadConfig } from '../base/config/config.ts';
import { CharretteError } from '../base/errors.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { readJson } from '../base/safe-json.ts';
import { pathsIn } from '../base/text/citations.ts';
import { clockFrom } from '../engine/clock.ts';
import { homeOf, listRunIds, runDirectoryOf } from '../engine/run-directory.ts';
import { refuseExecutor } from '../plan/tasks/executor.ts';
import { firstLine, type LitePlanFiles, type PlanFacts } from '../plan/tasks/plan-files.ts';
import { checkQuality, planInvalid } from '../plan/tasks/read-plan.ts';
import { breakCycles, type DroppedDependency } from '../plan/tasks/schedule.ts';
import { contextWarnings, promptContext } from '../prompts/context/for-prompt.ts';
import { repositoryFacts } from '../repo/git/repository-facts.ts';
import type { LiteInputs } from '../workflows/build/inputs.ts';
import { assessComplexity } from '../workflows/build/rules/explore-decision.ts';
import { sessionId } from '../workflows/build/rules/session-id.ts';
import { reviewersOf } from '../workflows/build/rules/verdict.ts';
import type { NewRun } from '../workflows/create-run.ts';
import { rosterOf, seatAgents } from '../workflows/roster.ts';
import { type BuildSource, fromPlanFile, fromPrompt, fromRun } from './build-source.ts';
import type { Project } from './project.ts';

/** How a task is planned and implemented. */
export type BuildFlags = {
  /** Take every recommendation; consent to call the agents was given. */
  yes: boolean;
  explore?: boolean;
  forceExplore?: boolean;
  planOnly?: boolean;
  forceCycles?: boolean;
  agents?: string;
  executor?: string;
  review?: string;
  parallel?: number;
  oneTaskPerCall?: boolean;
  merge?: boolean;
  acceptDrift?: boolean;
  acceptDegraded?: boolean;
};

/** What to build: a task that is planned first, or a prompt, a plan file or the plan of a run that is implemented at once. */
export type BuildRequest = BuildFlags & {
  mode: LiteInputs['mode'];
  words: readonly string[];
  plan?: string;
  run?: string;
};

/** A run that is ready to start, and what was noticed while it was prepared. */
export type PreparedBuild = NewRun & { inputs: LiteInputs; warnings: string[] };

/** Settles everything that a build needs to know before it starts; throws what keeps it from starting. */
export async function prepareBuild(project: Project, request: BuildRequest): Promise<PreparedBuild> {
  if (request.mode === 'execute') return prepareExecution(project, request);
  const task = await taskText(project.cwd, request.words.join(' ').trim());
  if (task.trim() === '') {
    throw new CharretteError({
      code: 'usage',
      message: 'The task is empty.',
      fix: 'Describe the task: `charrette build "…"`.',
    });
  }
  const { inputs, warnings } = await inputsFor(project, 'plan', task, request);
  return prepared(inputs, task, warnings);
}

function prepared(inputs: LiteInputs, task: string, warnings: string[]): PreparedBuild {
  const { mode, baseCommit } = inputs;
  return { workflow: `lite-${mode}`, title: firstLine(task), inputs, baseCommit, warnings };
}

async function prepareExecution(project: Project, request: BuildRequest): Promise<PreparedBuild> {
  const source = await sourceOf(project, request);
  const { inputs: base, warnings } = await inputsFor(project, 'execute', source.task, request);
  refuseReviewer(
    base.review ?? source.handoff?.review,
    base.roster.filter(({ id }) => !base.absent?.includes(id)),
  );
  const given = 'files' in source ? source.files : source.plan(factsFor(base));
  const { files, dropped } = ordered(given, request.forceCycles === true);
  const { critical } = checkQuality(files.plan, files.tasks);
  if (critical.length > 0) throw planInvalid(critical);
  const inputs: LiteInputs = {
    ...base,
    files,
    ...(dropped.length === 0 ? {} : { droppedDependencies: dropped }),
    ...(source.assignments === undefined ? {} : { assignments: source.assignments }),
    ...(source.handoff === undefined ? {} : { handoff: source.handoff }),
  };
  const first = source.warning === undefined ? [] : [source.warning];
  return prepared(inputs, source.task, [...first, ...warnings]);
}

function sourceOf(project: Project, { words, plan, run }: BuildRequest): Promise<BuildSource> {
  if (run !== undefined) return fromRun(project, run, words.join(' '));
  return plan === undefined ? fromPrompt(project.cwd, words) : fromPlanFile(project.cwd, plan);
}

/** P-111: --force-cycles breaks a cycle where the plan starts it; otherwise the check rejects it. */
function ordered(
  { plan, tasks }: LitePlanFiles,
  force: boolean,
): { files: LitePlanFiles; dropped: DroppedDependency[] } {
  if (!force) return { files: { plan, tasks }, dropped: [] };
  const broken = breakCycles(tasks);
  return { files: { plan, tasks: broken.tasks }, dropped: broken.dropped };
}

function factsFor({ session, baseCommit, task }: LiteInputs): PlanFacts {
  return {
    session,
    timestamp: new Date().toISOString(),
    complexity: assessComplexity(task),
    angles: [],
    baseCommit,
  };
}

/** P-037: a task can be in a file. */
async function taskText(cwd: string, text: string): Promise<string> {
  if (/\s/.test(text) || !/\.md$/i.test(text)) return text;
  const content = await readTextFile(path.resolve(cwd, text), 1_000_000);
  if (content !== undefined) return content;
  throw new CharretteError({ code: 'not-found', message: `The task file ${text} does not exist.` });
}

/** Everything about the repository and the machine that a build needs to know before it starts. */
async function inputsFor(
  { project, env, configFile }: Project,
  mode: LiteInputs['mode'],
  text: string,
  flags: BuildFlags,
): Promise<{ inputs: LiteInputs; warnings: string[] }> {
  const { config } = await loadConfig({ project, env, file: configFile });
  const repository = await repositoryFacts(project);
  if (repository.head === undefined) {
    throw new CharretteError({
      code: 'no-commits',
      message: `The repository ${repository.root} has no commit yet; a plan refers to the commit it was made on.`,
      fix: 'Commit once, then rerun the command.',
    });
  }
  const only = flags.agents
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const brief = (consumer: 'lite-plan' | 'execute' | 'review') =>
    promptContext({ root: project, consumer, task: text, home: env['HOME'] });
  const [plan, execute, review] = await Promise.all([brief('lite-plan'), brief('execute'), brief('review')]);
  const warnings = contextWarnings([plan, execute, review]).map((warning) => `warning: ${warning}`);
  const roster = rosterOf(config, thisWorld(), only);
  const installed = roster.filter((settings) => isInstalled(settings, thisWorld()));
  const absent = roster.filter((settings) => !installed.includes(settings)).map(({ id }) => id);
  refuseReviewer(flags.review, installed);
  if (flags.executor !== undefined) refuseExecutor(flags.executor, await writersIn(installed));
  const now = new Date(clockFrom(env).now());
  const inputs: LiteInputs = {
    mode,
    task: text,
    session: sessionId(text, now, await sessionsOf(now, project)),
    flags: {
      autoYes: flags.yes,
      // P-012: both may be given together.
      forceExplore: flags.explore === true || flags.forceExplore === true,
    },
    project,
    roster,
    parallel: config.limits?.parallel ?? 8,
    baseCommit: repository.head,
    briefs: {
      ...(plan.text === '' ? {} : { plan: plan.text }),
      ...(execute.text === '' ? {} : { execute: execute.text }),
      ...(review.text === '' ? {} : { review: review.text }),
    },
    expectedReading: text.length + (await sizeOfNamed(project, text)),
    ...(flags.executor === undefined ? {} : { executor: flags.executor }),
    ...(flags.review === undefined ? {} : { review: flags.review }),
    planOnly: flags.planOnly === true,
    ...(absent.length === 0 ? {} : { absent }),
    consented: flags.yes || config.consent === true,
    cap: flags.parallel ?? 4,
    tasksPerBatch: flags.oneTaskPerCall === true ? 1 : 4,
    merge: flags.merge !== false,
    acceptDrift: flags.acceptDrift === true,
    acceptDegraded: flags.acceptDegraded ?? config.acceptDegraded ?? false,
    ...(config.prices === undefined ? {} : { prices: config.prices }),
  };
  return { inputs, warnings };
}

/** P-125: rejects an unavailable reviewer before anything runs. */
function refuseReviewer(review = 'skip', roster: LiteInputs['roster']): void {
  const able = roster.filter(({ protocol }) => protocol !== 'static').map(({ id }) => id);
  reviewersOf(review, able);
}

/** Agents that can change files. */
async function writersIn(roster: LiteInputs['roster']): Promise<string[]> {
  const agents = [...(await seatAgents(roster, thisWorld())).values()];
  return agents.filter(({ capabilities }) => capabilities.write).map(({ id }) => id);
}

/** P-032: session names of that day that runs of this project have taken. A name ends with its day, and so begins an id. */
async function sessionsOf(now: Date, project: string): Promise<Set<string>> {
  const home = homeOf(project);
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const taken = new Set<string>();
  for (const id of await listRunIds(home)) {
    if (id < day) continue;
    const text = await readTextFile(runDirectoryOf(home, id).record).catch(() => undefined);
    const reading = readJson(text ?? '');
    const record = reading.ok ? (reading.value as { inputs?: { session?: unknown } }) : undefined;
    if (typeof record?.inputs?.session === 'string') taken.add(record.inputs.session);
  }
  return taken;
}

/** P-041: how much there is to read in the files that the task names. */
async function sizeOfNamed(project: string, task: string): Promise<number> {
  const names = [...new Set(pathsIn(task).map((place) => place.path))].filter((name) => !name.includes('..'));
  const sizes = await Promise.all(
    names.map((name) =>
      stat(path.join(project, name)).then(
        (facts) => facts.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
