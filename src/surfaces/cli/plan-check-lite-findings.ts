import path from 'node:path';
import { readTaskTexts } from '../../plan/tasks/plan-files.ts';
import { lineOf, type PlanFinding, type PlanPlace } from './plan-check-forms.ts';
import type { FoundLitePlan, LiteCheck } from './plan-check-lite.ts';

type LitePlaces = { plan: PlanPlace; tasks: readonly PlanPlace[] };

/** The files of a lite plan as the repository names them. */
export async function litePlaces(
  { file, folder, text }: FoundLitePlan,
  project: string,
): Promise<LitePlaces> {
  const tasks = await readTaskTexts(folder);
  return {
    plan: { file: path.relative(project, file), text },
    tasks: tasks.map((task) => ({
      file: path.relative(project, path.join(folder, '.task', task.file)),
      text: task.text,
    })),
  };
}

/** What a check of a lite plan found: in the file of the task that it begins with, else in the plan. */
export function liteFindings(
  { errors, warnings }: Pick<LiteCheck, 'errors' | 'warnings'>,
  places: LitePlaces,
): PlanFinding[] {
  const found = (severity: PlanFinding['severity']) => (message: string) => ({
    check: 'task' as const,
    subject: message,
    severity,
    message,
    ...placeOf(message, places),
  });
  return [...errors.map(found('error')), ...warnings.map(found('warning'))];
}

function placeOf(message: string, { plan, tasks }: LitePlaces): Pick<PlanFinding, 'file' | 'line'> {
  const id = /^(?:TASK|FIX)-\d{3}/.exec(message)?.[0];
  const { file, text } = tasks.find((task) => path.basename(task.file) === `${id}.json`) ?? plan;
  const [, quoted, name] = /"(.+)"|(\S*[./]\S*[^\s:,;])/.exec(message) ?? [];
  const subjects = [quoted, name, id].filter((each) => each !== undefined);
  // A text stands in JSON as JSON writes it.
  return {
    file,
    line: lineOf(
      subjects.map((subject) => JSON.stringify(subject).slice(1, -1)),
      text,
    ),
  };
}
