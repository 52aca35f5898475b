import { existsSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { readJson } from '../../base/safe-json.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import { readJudgement } from '../../base/schema/judgements.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import { readPlan } from '../../plan/plan-text.ts';
import { filesFromDesign } from '../../plan/tasks/design-tasks.ts';
import type { LitePlanFiles, PlanFacts } from '../../plan/tasks/plan-files.ts';
import { readLiteFolder } from '../../plan/tasks/plan-files.ts';
import { planInvalid, recognisePlan } from '../../plan/tasks/read-plan.ts';
import { assessComplexity } from '../../workflows/build/rules/explore-decision.ts';
import { findLitePlan, planFileAt } from './plan-check-lite.ts';
import { findHome, findRun } from './project.ts';

export type NamedPlan = { title: string; files: LitePlanFiles };

/** Any plan as tasks: of a lite or design run, of a folder with plan.json, of a plan text. Absent: the latest run's. */
export async function findPlanFiles(cwd: string, name: string | undefined): Promise<NamedPlan> {
  const place = name === undefined ? undefined : path.resolve(cwd, name);
  if (place !== undefined && existsSync(place)) return planAt(place);
  const directory = await findRun(findHome(cwd), name);
  const record = await readRunRecord(directory);
  const text = await readTextFile(path.join(directory.artifacts, 'plan.json'));
  if (text === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `The run ${directory.id} has no plan yet.`,
      fix: `Look at it with \`charrette show ${directory.id}\`.`,
    });
  }
  if (recognisePlan(text).kind === 'plan')
    return { title: record.title, files: (await readLiteFolder(directory.artifacts, text)).files };
  const facts = factsOf(directory.id, record.title, record.created, record.baseCommit);
  return { title: record.title, files: filesFromDesign(readDesign(text), facts) };
}

async function planAt(place: string): Promise<NamedPlan> {
  const lite = await findLitePlan(place);
  if (lite !== undefined) {
    const { files } = await readLiteFolder(lite.folder, lite.text);
    const { title } = files.plan as { title?: unknown };
    return { title: typeof title === 'string' ? title : files.plan.summary, files };
  }
  const file = planFileAt(place);
  const text = await readTextFile(file);
  if (text === undefined)
    throw new CharretteError({ code: 'not-found', message: `There is no plan at ${file}.` });
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
