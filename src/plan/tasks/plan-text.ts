import type { LiteTask } from '../../base/schema/lite/plan.ts';
import type { LitePlanFiles } from './plan-files.ts';
import { renderTask } from './task-text.ts';

/** The plan as a document: what is done, how, and every task with what it waits for; `shape` sets the text of a task. */
export function planText({ plan, tasks }: LitePlanFiles, shape = (task: string) => task): string {
  return [
    plan.summary,
    '',
    plan.approach,
    '',
    ...tasks.flatMap((task) => [shape(`${renderTask(task)}${afterOf(task)}`), '']),
  ].join('\n');
}

const afterOf = ({ depends_on }: LiteTask) =>
  depends_on.length === 0 ? '' : `\nAfter:\n${depends_on.map((id) => `- ${id}`).join('\n')}`;
