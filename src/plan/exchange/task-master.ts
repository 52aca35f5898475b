import { isRecord, parseJson } from '../../base/safe-json.ts';
import { planInvalid } from '../tasks/read-plan.ts';
import type { ExchangeFile } from './exchange-file.ts';
import type { Outline, OutlineFile, OutlineTask } from './outline.ts';

export const taskMasterFile = '.taskmaster/tasks/tasks.json';

/** `.taskmaster/tasks/tasks.json` with the plan as one tag; other tags of an existing file are kept as they are. */
export function writeTaskMaster(outline: Outline, tag: string, existing?: string): ExchangeFile[] {
  const before = existing === undefined ? {} : tagsOf(existing);
  const { tasks, ...plan } = outline;
  const stamp = `${plan.date}T00:00:00.000Z`;
  const list = {
    // Task Master writes the metadata of a list anew; that of a task it keeps.
    tasks: tasks.map((task, index) => ({
      ...foreignOf(task),
      metadata: { charrette: { ...task, ...(index === 0 ? { plan } : {}) } },
    })),
    metadata: { created: stamp, updated: stamp, description: plan.title },
  };
  return [{ path: taskMasterFile, text: `${JSON.stringify({ ...before, [tag]: list }, null, 2)}\n` }];
}

/** The tags that a file has; a file without tags counts as one that has `master`. */
export function tagsOf(text: string): Record<string, unknown> {
  const value = parseJson(text, taskMasterFile);
  if (!isRecord(value)) throw planInvalid([`${taskMasterFile} is no object`]);
  return Array.isArray(value['tasks']) ? { master: value } : value;
}

/** A task in the fields that Task Master has. */
export function foreignOf({ number, title, description, dependsOn, files, steps, ...task }: OutlineTask) {
  return {
    id: number,
    title,
    description,
    status: task.done === true ? 'done' : 'pending',
    dependencies: dependsOn,
    priority: task.original?.priority ?? 'medium',
    details: detailsOf(steps),
    testStrategy: strategyOf(task),
    subtasks: [],
    acceptanceCriteria: task.criteria,
    relevantFiles: files.map(relevantFile),
  };
}

export const relevantFile = ({ path, action, change }: OutlineFile) => ({
  path,
  description: change ?? '',
  action: action === 'create' ? 'create' : 'modify',
});

const detailsOf = (steps: readonly string[]) =>
  steps.map((step, index) => `${index + 1}. ${step}`).join('\n');

const strategyOf = ({ criteria, tests, commands }: Pick<OutlineTask, 'criteria' | 'tests' | 'commands'>) =>
  [...criteria, ...tests, ...commands.map(runLine)].join('\n');

export const runLine = (command: string) => `Run ${command}`;
