import { renderTask } from './task-text.ts';
import type { LitePlanFiles } from './plan-files.ts';

/** The plan as a document: what is done, how, and every task. */
export function planText({ plan, tasks }: LitePlanFiles, taskText = renderTask): string {
  return [plan.summary, '', plan.approach, '', ...tasks.flatMap((task) => [taskText(task), ''])].join('\n');
}
