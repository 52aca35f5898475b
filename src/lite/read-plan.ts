import { CharretteError } from '../errors.ts';
import { isRecord, readJson } from '../safe-json.ts';
import { litePlanSchema } from '../schema/lite/plan.ts';
import { liteTaskSchema } from '../schema/lite/task.ts';
import type { LitePlanFiles } from './plan-files.ts';
import { checkQuality, type Quality } from './quality.ts';

/** What a file is that may hold a plan. */
export type PlanInput =
  | { kind: 'plan' }
  /** Its tasks are inside, only some keys of a plan are there, or it is anything else; `flaw`: what keeps it from being a plan. */
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

/** P-101: one word that is a path or has a known ending means a file, also when it is not there; prose that has one does not. */
export function looksLikeFile(argument: string): boolean {
  return !/\s/.test(argument) && (/[\\/]/.test(argument) || readableEnding.test(argument));
}

/** P-062, P-092: plan.json and its task files as one value; anything wrong is named, no task is an error. */
export function readPlanFiles(
  planText: string,
  taskTexts: readonly { file: string; text: string }[],
): { files: LitePlanFiles; quality: Quality } {
  const problems: string[] = [];
  const plan = litePlanSchema.safeParse(jsonOf(planText, 'plan.json', problems));
  if (!plan.success)
    problems.push(...plan.error.issues.map((issue) => `plan.json ${where(issue.path)}${issue.message}`));
  const tasks = taskTexts.flatMap(({ file, text }) => {
    const task = liteTaskSchema.safeParse(jsonOf(text, file, problems));
    if (task.success) return [task.data];
    problems.push(...task.error.issues.map((issue) => `${file} ${where(issue.path)}${issue.message}`));
    return [];
  });
  if (plan.success && tasks.length === 0 && problems.length === 0)
    problems.push(`plan.json names ${plan.data.task_ids.join(', ')}, but there is no task file`);
  if (!plan.success || problems.length > 0) throw planInvalid(problems);
  const order = new Map(plan.data.task_ids.map((id, index) => [id, index]));
  const ordered = tasks.toSorted((a, b) => (order.get(a.id) ?? order.size) - (order.get(b.id) ?? order.size));
  return { files: { plan: plan.data, tasks: ordered }, quality: checkQuality(plan.data, ordered) };
}

export function planInvalid(problems: readonly string[]): CharretteError {
  const shown = problems.slice(0, 6).join('; ');
  const more = problems.length > 6 ? `; and ${problems.length - 6} more` : '';
  return new CharretteError({
    code: 'plan-invalid',
    message: `The plan cannot be executed: ${shown}${more}.`,
    fix: 'Mend plan.json and the files in .task/, then run the command again.',
  });
}

function jsonOf(text: string, file: string, problems: string[]): unknown {
  const reading = readJson(text);
  if (!reading.ok) problems.push(`${file}: ${reading.message}`);
  return reading.ok ? reading.value : undefined;
}

const where = (path: readonly PropertyKey[]) => (path.length === 0 ? '' : `${path.map(String).join('.')}: `);
