import type { z } from 'zod';
import { CharretteError } from '../../base/errors.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import {
  type Complexity,
  type LitePlan,
  type LiteTask,
  litePlanSchema,
  liteTaskSchema,
  taskIdPattern,
} from '../../base/schema/lite/plan.ts';
import { problemLine, readAs } from '../../base/schema/primitives.ts';
import { leadsOut, repeated, shellWord } from '../../base/text/strings.ts';
import type { LitePlanFiles } from './plan-files.ts';
import { dependencyProblems, describeProblem } from './schedule.ts';
import { isVague } from './vague.ts';

/** What a file is that may hold a plan. */
export type PlanInput =
  | { kind: 'plan' }
  /** Its tasks are inside, only some keys of a plan exist, or it is anything else; `flaw`: why it is not a plan. */
  | { kind: 'embedded' | 'partial' | 'text'; flaw: string };

const planKeys = ['summary', 'approach', 'task_ids'];

/** P-103: whether a file's text is a plan overview. */
export function recognisePlan(text: string): PlanInput {
  const reading = readJson(text);
  if (!reading.ok) return { kind: 'text', flaw: `it is not valid JSON (${reading.message})` };
  const { value } = reading;
  if (!isRecord(value)) return { kind: 'text', flaw: 'it is not a JSON object' };
  const missing = planKeys.filter((key) => !Object.hasOwn(value, key));
  if (missing.length === 0) return { kind: 'plan' };
  if (Array.isArray(value['tasks']))
    return { kind: 'embedded', flaw: 'it embeds its tasks, as plans once did' };
  const kind = missing.length < planKeys.length ? 'partial' : 'text';
  return { kind, flaw: `it has no ${missing.join(', ')}` };
}

/** P-101: endings of files that hold a plan or a task. */
export const readableEnding = /\.(?:md|json|txt)$/i;

/** P-101: one word that is a path or has a known ending means a file, even a missing one; prose that has one does not. */
export function looksLikeFile(argument: string): boolean {
  return !/\s/.test(argument) && (/[\\/]/.test(argument) || readableEnding.test(argument));
}

/** P-062, P-092: plan.json and its task files as one value; anything wrong is named, no task is an error. */
export function readPlanFiles(
  planText: string,
  taskTexts: readonly { file: string; text: string }[],
): { files: LitePlanFiles; quality: Quality } {
  const problems: string[] = [];
  const [plan] = readPart(litePlanSchema, 'plan.json', planText, problems);
  const tasks = taskTexts.flatMap(({ file, text }) => readPart(liteTaskSchema, file, text, problems));
  if (plan !== undefined && tasks.length === 0 && problems.length === 0)
    problems.push(`plan.json names ${plan.task_ids.join(', ')}, but no task file exists`);
  if (plan === undefined || problems.length > 0) throw planInvalid(problems);
  const order = new Map(plan.task_ids.map((id, index) => [id, index]));
  const ordered = tasks.toSorted((a, b) => (order.get(a.id) ?? order.size) - (order.get(b.id) ?? order.size));
  return { files: { plan, tasks: ordered }, quality: checkQuality(plan, ordered) };
}

/** The error for a JSON file that should be a plan. */
export function notAPlan(file: string, { kind, flaw }: Exclude<PlanInput, { kind: 'plan' }>): CharretteError {
  return new CharretteError({
    code: 'plan-invalid',
    message: `${file} is not a plan: ${flaw}.`,
    fix:
      kind === 'embedded'
        ? `Make a plan of it with \`charrette plan import ${shellWord(file)}\`.`
        : 'Fix the file, or describe the task as text or in a .md or .txt file.',
  });
}

export function planInvalid(problems: readonly string[]): CharretteError {
  const shown = problems.slice(0, 6).join('; ');
  const more = problems.length > 6 ? `; and ${problems.length - 6} more` : '';
  return new CharretteError({
    code: 'plan-invalid',
    message: `The plan is not valid: ${shown}${more}.`,
    fix: 'Fix the files of the plan, then run the command again.',
  });
}

/** Reads one file of a plan; adds what is wrong to the problems. */
function readPart<Schema extends z.ZodType>(
  schema: Schema,
  file: string,
  text: string,
  problems: string[],
): z.output<Schema>[] {
  const json = readJson(text);
  if (!json.ok) {
    problems.push(`${file}: ${json.message}`);
    return [];
  }
  const reading = readAs(schema, json.value);
  if (reading.ok) return [reading.value];
  problems.push(...reading.problems.map((problem) => `${file} ${problemLine(problem, 'as a whole')}`));
  return [];
}

/** P-069: critical problems make a plan useless; minor ones are reported. */
export type Quality = {
  result: 'PASS' | 'AUTO_FIX' | 'REGENERATE';
  critical: string[];
  minor: string[];
};

export type Checked = Pick<LiteTask, 'id' | 'title' | 'depends_on' | 'convergence'> &
  Partial<
    Pick<LiteTask, 'implementation' | 'action' | 'rationale' | 'test' | 'risks' | 'code_skeleton' | 'files'>
  >;

/** P-062, P-064, P-068: what is wrong with a plan and its tasks. */
export function checkQuality(
  plan: Pick<LitePlan, 'task_ids' | 'task_count' | 'complexity' | 'design_decisions' | 'data_flow'>,
  tasks: readonly Checked[],
): Quality {
  const ids = tasks.map(({ id }) => id);
  const [known, listed] = [new Set(ids), new Set(plan.task_ids)];
  const critical = [
    ...(tasks.length === 0 ? ['the plan has no task'] : []),
    ...(plan.task_count === plan.task_ids.length
      ? []
      : [`task_count is ${plan.task_count}, task_ids has ${plan.task_ids.length}`]),
    ...repeated(plan.task_ids).map((id) => `${id} is in task_ids twice`),
    ...[...listed].filter((id) => !known.has(id)).map((id) => `${id} has no task file`),
    ...ids.filter((id) => !listed.has(id)).map((id) => `${id} is not in task_ids`),
    ...ids.filter((id) => !taskIdPattern.test(id)).map((id) => `${id} is not a task id`),
    ...dependencyProblems(tasks).map(describeProblem),
    ...tasks.flatMap(({ id, convergence }) =>
      convergence.criteria.filter(isVague).map((text) => `${id}: "${text}" cannot be checked`),
    ),
    ...tasks.flatMap(({ id, files = [] }) =>
      files
        .filter(({ path }) => leadsOut(path))
        .map(({ path }) => `${id}: ${path} leads out of the repository`),
    ),
  ];
  const minor = [
    ...tasks.flatMap(({ id, implementation = [] }) =>
      implementation.length >= 2 ? [] : [`${id}: fewer than two steps`],
    ),
    ...detailProblems(plan, tasks),
    ...(tasks.length > 3 && tasks.every(({ files = [] }) => files.length === 1)
      ? ['every task touches one file; tasks are features, not files']
      : []),
  ];
  return {
    result: critical.length > 0 ? 'REGENERATE' : minor.length > 0 ? 'AUTO_FIX' : 'PASS',
    critical,
    minor,
  };
}

/** P-064: detail by complexity. */
function detailProblems(
  plan: Pick<LitePlan, 'complexity' | 'design_decisions' | 'data_flow'>,
  tasks: readonly Checked[],
): string[] {
  const level: Complexity = plan.complexity ?? 'Medium';
  if (level === 'Low') return [];
  const missing = (name: string, has: (task: Checked) => boolean) =>
    tasks.filter((task) => !has(task)).map(({ id }) => `${id}: no ${name}`);
  return [
    ...missing('rationale', ({ rationale }) => rationale !== undefined),
    ...missing('test', ({ test }) => test !== undefined),
    ...((plan.design_decisions ?? []).length === 0 ? ['no design_decisions'] : []),
    ...(level === 'Medium'
      ? []
      : [
          ...missing('risks', ({ risks = [] }) => risks.length > 0),
          ...missing('code_skeleton', ({ code_skeleton }) => code_skeleton !== undefined),
          ...(plan.data_flow === undefined ? ['no data_flow'] : []),
        ]),
  ];
}
