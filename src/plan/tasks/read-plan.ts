import type { z } from 'zod';
import { CharretteError } from '../../base/errors.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { problemLine, readAs } from '../../base/schema/issue-words.ts';
import { litePlanSchema, liteTaskSchema } from '../../base/schema/lite/plan.ts';
import { shellWord } from '../../base/text/strings.ts';
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
  const [plan] = readPart(litePlanSchema, 'plan.json', planText, problems);
  const tasks = taskTexts.flatMap(({ file, text }) => readPart(liteTaskSchema, file, text, problems));
  if (plan !== undefined && tasks.length === 0 && problems.length === 0)
    problems.push(`plan.json names ${plan.task_ids.join(', ')}, but there is no task file`);
  if (plan === undefined || problems.length > 0) throw planInvalid(problems);
  const order = new Map(plan.task_ids.map((id, index) => [id, index]));
  const ordered = tasks.toSorted((a, b) => (order.get(a.id) ?? order.size) - (order.get(b.id) ?? order.size));
  return { files: { plan, tasks: ordered }, quality: checkQuality(plan, ordered) };
}

/** For a JSON file that should be a plan and is none. */
export function notAPlan(file: string, { kind, flaw }: Exclude<PlanInput, { kind: 'plan' }>): CharretteError {
  return new CharretteError({
    code: 'plan-invalid',
    message: `${file} is no plan: ${flaw}.`,
    fix:
      kind === 'embedded'
        ? `Make a plan of it with \`charrette plan import ${shellWord(file)}\`.`
        : 'Mend the file, or say what to do in words or in a .md or .txt file.',
  });
}

export function planInvalid(problems: readonly string[]): CharretteError {
  const shown = problems.slice(0, 6).join('; ');
  const more = problems.length > 6 ? `; and ${problems.length - 6} more` : '';
  return new CharretteError({
    code: 'plan-invalid',
    message: `The plan is not valid: ${shown}${more}.`,
    fix: 'Mend the files of the plan, then run the command again.',
  });
}

/** One file of a plan; nothing when it is wrong, which then is among the problems. */
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
