import { existsSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { readJson } from '../base/safe-json.ts';
import type { Plan } from '../base/schema/judgements/plan.ts';
import { readJudgement } from '../base/schema/judgements.ts';
import { type RunRecord, readRunRecord } from '../engine/run-record.ts';
import { readPlan } from '../plan/plan-text.ts';
import { filesFromDesign } from '../plan/tasks/design-tasks.ts';
import type { LitePlanFiles, PlanFacts } from '../plan/tasks/plan-files.ts';
import { readLiteFolder } from '../plan/tasks/plan-files.ts';
import { notAPlan, planInvalid, recognisePlan } from '../plan/tasks/read-plan.ts';
import { assessComplexity } from '../workflows/build/rules/explore-decision.ts';
import { litePlanMarkdown } from './documents.ts';
import { findRun, type Project } from './project.ts';

export type FoundLitePlan = { file: string; folder: string; text: string };

/** The file that the name of a plan means: in a folder its plan.json, whether it exists or not. */
export function planFileAt(place: string): string {
  return factsAt(place)?.isDirectory() === true ? path.join(place, 'plan.json') : place;
}

/** What cannot be read, such as a link to itself, is left to the reader, which reports the cause. */
function factsAt(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The lite plan behind the name of a file, or of a folder with a plan.json; `undefined` when there is none. A broken one is an error. */
export async function findLitePlan(place: string): Promise<FoundLitePlan | undefined> {
  const file = planFileAt(place);
  if (factsAt(file)?.isFile() !== true) return undefined;
  const text = await readTextFile(file);
  if (text === undefined) return undefined;
  const folder = path.dirname(file);
  const input = recognisePlan(text);
  if (input.kind === 'plan') return { file, folder, text };
  // The plan of a design has no tasks next to it.
  if (/\.json$/i.test(file) && existsSync(path.join(folder, '.task'))) throw notAPlan(file, input);
  return undefined;
}

/** A plan, wherever it came from; a lite plan has its files and is rendered as one text. */
export type PlanSource = { text: string; file: string; record?: RunRecord; lite?: LitePlanFiles };

/** A plan by the name of a file or folder, or by the run that made it; without a name the latest run's. */
export async function findPlan(project: Project, name: string | undefined): Promise<PlanSource> {
  const place = name === undefined ? undefined : path.resolve(project.cwd, name);
  const named = place === undefined || !existsSync(place) ? undefined : await sourceAt(place);
  if (named !== undefined) return named;
  const directory = await findRun(project, name);
  const made = await sourceAt(directory.artifacts);
  if (made === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `The run ${directory.id} has no plan yet.`,
      fix: `Run \`charrette show ${directory.id}\` for details.`,
    });
  }
  return { ...made, record: await readRunRecord(directory) };
}

/** The plan.txt or the lite plan of a folder, or a plan file. */
async function sourceAt(place: string): Promise<PlanSource | undefined> {
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const design = path.join(place, 'plan.txt');
  const designed = isFolder ? await readTextFile(design) : undefined;
  if (designed !== undefined) return { text: designed, file: design };
  const found = await findLitePlan(place);
  if (found !== undefined) {
    const { files } = await readLiteFolder(found.folder, found.text);
    return { text: litePlanMarkdown(files), file: found.file, lite: files };
  }
  const text = isFolder ? undefined : await readTextFile(place);
  return text === undefined ? undefined : { text, file: place };
}

export type NamedPlan = { title: string; files: LitePlanFiles };

/** Any plan as tasks: of a lite or design run, of a folder with plan.json, of a plan text. Without a name: of the latest run. */
export async function findPlanFiles(project: Project, name: string | undefined): Promise<NamedPlan> {
  const place = name === undefined ? undefined : path.resolve(project.cwd, name);
  if (place !== undefined && existsSync(place)) return tasksAt(place);
  const directory = await findRun(project, name);
  const record = await readRunRecord(directory);
  const text = await readTextFile(path.join(directory.artifacts, 'plan.json'));
  if (text === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `The run ${directory.id} has no plan yet.`,
      fix: `Run \`charrette show ${directory.id}\` for details.`,
    });
  }
  if (recognisePlan(text).kind === 'plan')
    return { title: record.title, files: (await readLiteFolder(directory.artifacts, text)).files };
  const facts = factsOf(directory.id, record.title, record.created, record.baseCommit);
  return { title: record.title, files: filesFromDesign(readDesign(text), facts) };
}

async function tasksAt(place: string): Promise<NamedPlan> {
  const lite = await findLitePlan(place);
  if (lite !== undefined) {
    const { files } = await readLiteFolder(lite.folder, lite.text);
    const { title } = files.plan as { title?: unknown };
    return { title: typeof title === 'string' ? title : files.plan.summary, files };
  }
  const file = planFileAt(place);
  const text = await readTextFile(file);
  if (text === undefined)
    throw new CharretteError({ code: 'not-found', message: `No plan found at ${file}.` });
  const plan = readDesign(text);
  return {
    title: plan.title,
    files: filesFromDesign(plan, factsOf('plan', plan.title, new Date().toISOString(), undefined)),
  };
}

/** The plan of a design as data or as text. */
export function readDesign(text: string): Plan {
  const reading = readJson(text);
  if (reading.ok) {
    const judged = readJudgement('plan', reading.value, 'the plan');
    if (judged.ok) return judged.value;
    throw planInvalid(judged.problems);
  }
  const plan = readPlan(text);
  if (plan.ok) return plan.plan;
  throw planInvalid(plan.problems);
}

function factsOf(
  session: string,
  task: string,
  timestamp: string,
  baseCommit: string | undefined,
): PlanFacts {
  return { session, timestamp, complexity: assessComplexity(task), angles: [], baseCommit };
}
