import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { readJson } from '../base/safe-json.ts';
import { readJudgement } from '../base/schema/judgements.ts';
import { executionContextSchema } from '../base/schema/lite/session-files.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import { readRunRecord } from '../engine/run-record.ts';
import { type ForeignPlan, readTaskFile } from '../plan/exchange/foreign-plan.ts';
import { filesFromDraft } from '../plan/exchange/outline.ts';
import { filesFromDesign } from '../plan/tasks/design-tasks.ts';
import { handoffToken } from '../plan/tasks/handoff-spec.ts';
import {
  directPlan,
  type LitePlanFiles,
  type PlanFacts,
  readLiteFolder,
  readTaskTexts,
} from '../plan/tasks/plan-files.ts';
import {
  looksLikeFile,
  notAPlan,
  type PlanInput,
  readableEnding,
  recognisePlan,
} from '../plan/tasks/read-plan.ts';
import type { LiteInputs } from '../workflows/build/inputs.ts';
import { readDesign } from './plans.ts';
import { findRun, type Project } from './project.ts';

/** What `build` implements without planning it: a plan, or a prompt as one task. */
export type BuildSource = {
  task: string;
  warning?: string;
} & Pick<LiteInputs, 'assignments' | 'handoff'> &
  ({ files: LitePlanFiles } | { plan: (facts: PlanFacts) => LitePlanFiles });

/** P-101…P-104: a plan or task in an existing file, an error where a file is missing, otherwise a prompt. */
export async function fromPrompt(cwd: string, words: readonly string[]): Promise<BuildSource> {
  const text = words.join(' ').trim();
  if (text === '') {
    throw new CharretteError({
      code: 'usage',
      message: 'No task given.',
      fix: 'Give a task, `--plan FILE` or `--run RUN`.',
    });
  }
  const file = words.length > 1 ? undefined : await namedFile(cwd, text);
  if (file === undefined) return { task: text, plan: (facts) => directPlan(text, [], facts) };
  return fromFile(file, text);
}

/** The plan that `--plan` names. */
export async function fromPlanFile(cwd: string, name: string): Promise<BuildSource> {
  const file = await namedFile(cwd, name);
  if (file === undefined) throw notFound(`The file ${name} does not exist.`);
  return fromFile(file, name);
}

async function fromFile(file: string, text: string): Promise<BuildSource> {
  const content = (await readTextFile(file, 4_000_000)) ?? '';
  if (content.trim() === '')
    throw new CharretteError({
      code: 'plan-invalid',
      message: `The file ${text} is empty.`,
      fix: 'Write a plan or a task into it.',
    });
  const input = recognisePlan(content);
  if (input.kind === 'plan') return planFolder(path.dirname(file), content);
  if (/\.json$/i.test(file)) return fromDesign(file, content, input);
  const list = await readTaskFile(file);
  if (list !== undefined) return fromTaskList(list);
  return {
    task: content,
    plan: (facts) => directPlan(content, [], facts),
    ...(input.kind === 'text'
      ? {}
      : { warning: `${text} looks like a plan, but ${input.flaw}; it is read as a task.` }),
  };
}

/** A task list, as `plan import` reads it. */
function fromTaskList({ draft, notes, format }: ForeignPlan): BuildSource {
  const { overview, tasks } = draft;
  return {
    task: overview.summary,
    plan: (facts) => filesFromDraft(draft, facts, tasks.length === 1 ? facts.complexity : 'Medium'),
    warning: [`${tasks.length} tasks from ${format}`, ...notes].join('; '),
  };
}

/** Any other JSON file must hold the plan of a design; the text of a broken plan is never used as a task. */
function fromDesign(file: string, content: string, input: Exclude<PlanInput, { kind: 'plan' }>): BuildSource {
  const reading = readJson(content);
  const design = readJudgement('plan', reading.ok ? reading.value : undefined);
  if (!design.ok) throw notAPlan(file, input);
  return { task: design.value.title, plan: (facts) => filesFromDesign(design.value, facts) };
}

/** The file that one argument means, a folder's plan.json; `undefined` when it is a prompt. */
async function namedFile(cwd: string, text: string): Promise<string | undefined> {
  const place = path.resolve(cwd, text);
  // A prompt can be too long for a name.
  const facts = await stat(place).catch(() => undefined);
  if (facts?.isDirectory() === true) {
    const plan = path.join(place, 'plan.json');
    if (existsSync(plan)) return plan;
    throw notFound(`The folder ${text} has no plan.json.`);
  }
  if (facts === undefined) {
    if (looksLikeFile(text)) throw notFound(`The file ${text} does not exist.`);
    return undefined;
  }
  if (readableEnding.test(text)) return place;
  throw new CharretteError({
    code: 'usage',
    message: `The file ${text} is neither .json, .md nor .txt.`,
    fix: 'Use such a file, or write the task on the command line.',
  });
}

function notFound(message: string): CharretteError {
  const fix = 'Give a plan file, a folder with plan.json, or a task of more than one word.';
  return new CharretteError({ code: 'not-found', message, fix });
}

async function planFolder(folder: string, planText: string): Promise<{ task: string; files: LitePlanFiles }> {
  const { files } = await readLiteFolder(folder, planText);
  return { task: files.plan.summary, files };
}

/** The plan of a `build --plan-only` or of a design run. */
export async function fromRun(project: Project, name: string, text: string): Promise<BuildSource> {
  if (text.trim() !== '')
    throw new CharretteError({
      code: 'usage',
      message: `--run implements the plan of a run and takes no task: ${JSON.stringify(text)}.`,
      fix: 'Omit --run or the task.',
    });
  const directory = await findRun(project, name);
  const record = await readRunRecord(directory);
  const planText = await readTextFile(path.join(directory.artifacts, 'plan.json'));
  if (planText === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `The run ${directory.id} has no plan yet.`,
      fix: `Run \`charrette show ${directory.id}\` for its status.`,
    });
  }
  if (recognisePlan(planText).kind === 'plan') {
    const plan = await planFolder(directory.artifacts, planText);
    return { ...plan, task: record.title, ...(await handoffOf(directory, planText, plan.files)) };
  }
  const design = readDesign(planText);
  return {
    task: record.title,
    plan: (facts) => filesFromDesign(design, { ...facts, baseCommit: record.baseCommit ?? facts.baseCommit }),
  };
}

/** P-014, P-167: an unused handoff, if its files are unchanged; executors named in the task hold in any case. */
async function handoffOf(
  { id, artifacts }: RunDirectory,
  planText: string,
  { plan }: LitePlanFiles,
): Promise<Pick<BuildSource, 'assignments' | 'handoff' | 'warning'>> {
  const file = path.join(artifacts, 'execution-context.json');
  const reading = readJson((await readTextFile(file)) ?? '');
  const context = executionContextSchema.safeParse(reading.ok ? reading.value : undefined);
  if (!context.success) return {};
  const { executionMethod, codeReviewTool, clarificationContext, autoMode, handoff } = context.data;
  const { executorAssignments } = context.data;
  const asked = executorAssignments === null ? {} : { assignments: executorAssignments };
  // A fallback plan that no user confirmed is asked about.
  const isUnseen = autoMode && plan._metadata.degraded === true;
  if (handoff.consumedAt !== undefined || isUnseen) return asked;
  const texts = new Map((await readTaskTexts(artifacts)).map((task) => [task.file, task.text]));
  const current = [planText, ...plan.task_ids.map((task) => texts.get(`${task}.json`) ?? '')];
  if (handoffToken(id, current) !== handoff.token)
    return { ...asked, warning: 'The plan changed after you confirmed it; confirm it again.' };
  return {
    ...asked,
    handoff: {
      file,
      execution: executionMethod,
      review: codeReviewTool,
      auto: autoMode,
      ...(clarificationContext === null ? {} : { clarifications: clarificationContext }),
    },
  };
}
