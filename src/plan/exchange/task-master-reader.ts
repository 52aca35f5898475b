import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isRecord, parseJson } from '../../base/safe-json.ts';
import { problemLine, readAs } from '../../base/schema/issue-words.ts';
import { liteTaskSchema } from '../../base/schema/lite/plan.ts';
import { planInvalid } from '../tasks/read-plan.ts';
import { droppedNotes, fitPlan, fitTask } from './fit.ts';
import {
  emptyTask,
  lines,
  type Outline,
  type OutlineFile,
  type OutlineReading,
  type OutlineTask,
  oneLine,
} from './outline.ts';
import type { ExchangeFile } from './outline-files.ts';

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
function foreignOf({ number, title, description, dependsOn, files, steps, ...task }: OutlineTask) {
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

const relevantFile = ({ path, action, change }: OutlineFile) => ({
  path,
  description: change ?? '',
  action: action === 'create' ? 'create' : 'modify',
});

const detailsOf = (steps: readonly string[]) =>
  steps.map((step, index) => `${index + 1}. ${step}`).join('\n');

const strategyOf = ({ criteria, tests, commands }: Pick<OutlineTask, 'criteria' | 'tests' | 'commands'>) =>
  [...criteria, ...tests, ...commands.map(runLine)].join('\n');

const runLine = (command: string) => `Run ${command}`;

const id = z.union([z.number(), z.string()]);
const foreignTask = z.looseObject({
  id,
  title: z.string().min(1),
  description: z.string().default(''),
  status: z.string().default('pending'),
  dependencies: z.array(id).default([]),
  priority: z.string().optional(),
  details: z.string().nullish(),
  testStrategy: z.string().nullish(),
  subtasks: z
    .array(
      z.looseObject({
        title: z.string().min(1),
        description: z.string().nullish(),
        status: z.string().optional(),
      }),
    )
    .nullish(),
  acceptanceCriteria: z.array(z.string()).nullish(),
  relevantFiles: z
    .array(
      z.looseObject({
        path: z.string().min(1),
        description: z.string().nullish(),
        action: z.string().nullish(),
      }),
    )
    .nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
const foreignList = z.looseObject({
  tasks: z.array(foreignTask),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
type ForeignTask = z.infer<typeof foreignTask>;

const finished = new Set(['done', 'completed']);

/** Reads one tag. What people changed in Task Master wins over what we had put there. */
export function readTaskMaster(text: string, tag: string | undefined): OutlineReading & { tag: string } {
  const tags = tagsOf(text);
  const names = Object.keys(tags);
  const chosen = tag ?? (names.includes('master') ? 'master' : names[0]);
  if (chosen === undefined || tags[chosen] === undefined)
    throw planInvalid([
      `there is no tag ${JSON.stringify(chosen ?? 'master')}; there are ${names.join(', ') || 'none'}`,
    ]);
  const reading = readAs(foreignList, tags[chosen]);
  if (!reading.ok)
    throw planInvalid(
      reading.problems.map(({ path, words }) => problemLine({ path: [chosen, ...path], words }, chosen)),
    );
  const { tasks, metadata } = reading.value;
  const kept = tasks.filter(({ status }) => status !== 'cancelled');
  const done = kept.filter(({ status }) => finished.has(status));
  if (kept.length === done.length) throw planInvalid([`the tag ${chosen} has no open task`]);
  const numberOf = new Map(tasks.map((task, index) => [String(task.id), index + 1]));
  const left = new Set(kept.map((task) => numberOf.get(String(task.id))));
  const dropped: string[] = [];
  const own = planIn(tasks);
  const title = textOf(own['title']) ?? textOf(metadata?.['description']) ?? chosen;
  const outline: Outline = {
    title: oneLine(title) || chosen,
    summary: textOf(own['summary']) ?? title,
    approach: textOf(own['approach']) ?? title,
    date: textOf(own['date']) ?? '1970-01-01',
    decisions: decisionsSchema.catch([]).parse(own['decisions']),
    edgeCases: textsSchema.catch([]).parse(own['edgeCases']),
    tasks: kept.map((task) => {
      const outlined = taskOf(task, numberOf.get(String(task.id)) ?? 0, dropped);
      const dependsOn = task.dependencies.map((each) => dependency(String(each), numberOf));
      return {
        ...outlined,
        dependsOn: dependsOn.filter((each) => each > tasks.length || left.has(each)),
        ...(finished.has(task.status) ? { done: true } : {}),
      };
    }),
    ...originalIn(own, dropped),
  };
  return {
    tag: chosen,
    outline,
    notes: [
      ...(done.length === 0 ? [] : [`${done.length} of ${kept.length} tasks are done and stay completed`]),
      ...(kept.length === tasks.length
        ? []
        : [`${tasks.length - kept.length} cancelled tasks were left out`]),
      ...droppedNotes(dropped),
    ],
  };
}

/** What the first task we wrote carries about the whole plan. */
function planIn(tasks: readonly ForeignTask[]): Record<string, unknown> {
  for (const { metadata } of tasks) {
    const own = metadata?.['charrette'];
    if (isRecord(own) && isRecord(own['plan'])) return own['plan'];
  }
  return {};
}

function originalIn({ original }: Record<string, unknown>, dropped: string[]): Pick<Outline, 'original'> {
  if (!isRecord(original) || !isRecord(original['overview'])) return {};
  const value = { ...original['overview'], _metadata: original['metadata'] };
  return { original: fitPlan(value, 'plan.', dropped) };
}

/** A dependency on a subtask is one on its task; an unknown one gets a number that no task has. */
function dependency(name: string, numberOf: ReadonlyMap<string, number>): number {
  return (
    numberOf.get(name) ?? numberOf.get(name.split('.')[0] ?? '') ?? 900 + (Number.parseInt(name, 10) || 0)
  );
}

const textsSchema = z.array(z.string());
const decisionsSchema = z.array(z.object({ decision: z.string(), rationale: z.string() }));
const fileSchema = z.object({
  path: z.string(),
  action: z.enum(['modify', 'create', 'delete']).optional(),
  change: z.string().optional(),
});
/** The outline of a task as it went. */
const ownSchema = z.object({
  title: z.string(),
  description: z.string(),
  action: liteTaskSchema.shape.action.catch(undefined),
  files: z.array(fileSchema).catch([]),
  steps: textsSchema.catch([]),
  criteria: textsSchema.catch([]),
  tests: textsSchema.catch([]),
  commands: textsSchema.catch([]),
  risks: z.array(z.object({ description: z.string(), mitigation: z.string() })).catch([]),
  why: z.string().optional().catch(undefined),
  excludes: textsSchema.catch([]),
  original: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

type ForeignKey = keyof ForeignTask & keyof ReturnType<typeof foreignOf>;

/** A task as it went, with what is different now in its place. */
function taskOf(task: ForeignTask, number: number, dropped: string[]): OutlineTask {
  const own = ownSchema.safeParse(task.metadata?.['charrette']);
  const { original, ...carried } = own.success ? own.data : emptyTask(number, '');
  const went: OutlineTask = {
    ...carried,
    number,
    dependsOn: [],
    ...(original === undefined ? {} : { original: fitTask(original, `task ${task.id} `, dropped) }),
  };
  const written = foreignOf(went);
  const same = (key: ForeignKey) => isDeepStrictEqual(task[key] ?? written[key], written[key]);
  const criteria = same('acceptanceCriteria') ? went.criteria : lines(task.acceptanceCriteria ?? []);
  const priority = liteTaskSchema.shape.priority.safeParse(task.priority).data;
  return {
    ...went,
    title: oneLine(task.title),
    description: same('description') ? went.description : task.description.trim(),
    files: same('relevantFiles') ? went.files : filesOf(task, went),
    steps: [...(same('details') ? went.steps : stepsOf(task)), ...subtasksOf(task)],
    criteria,
    ...(same('testStrategy') ? {} : strategyIn(task.testStrategy ?? '', went, criteria)),
    ...(same('priority') || priority === undefined ? {} : { original: { ...went.original, priority } }),
  };
}

/** A strategy that was changed: lines that are neither criteria nor commands we wrote are tests; without criteria they are these. */
function strategyIn(
  strategy: string,
  went: OutlineTask,
  criteria: readonly string[],
): Partial<Pick<OutlineTask, 'criteria' | 'tests' | 'commands'>> {
  const said = lines(strategy.split('\n'));
  if (criteria.length === 0) return { criteria: said };
  const known = new Set([...criteria, ...went.criteria, ...went.commands.map(runLine)]);
  return {
    tests: said.filter((each) => !known.has(each)),
    commands: went.commands.filter((command) => said.includes(runLine(command))),
  };
}

function stepsOf({ details }: ForeignTask): string[] {
  return lines((details ?? '').split('\n').map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s+/, '')));
}

function subtasksOf({ subtasks }: ForeignTask): string[] {
  const kept = (subtasks ?? []).filter(({ status }) => status !== 'cancelled');
  return kept.map(({ title, description, status = 'pending' }) => {
    const text = oneLine(description ? `${title}: ${description}` : title);
    return finished.has(status) ? `(done) ${text}` : text;
  });
}

type ForeignFile = NonNullable<ForeignTask['relevantFiles']>[number];

/** Task Master has no deleting: what it says is looked at only where it differs from what we wrote. */
function filesOf({ relevantFiles }: ForeignTask, { files }: OutlineTask): OutlineFile[] {
  return (relevantFiles ?? []).map((file) => {
    const went = files.find((each) => each.path === file.path);
    const written = went === undefined ? undefined : relevantFile(went);
    const action = file.action === written?.action ? went?.action : actionOf(file);
    const change = file.description === written?.description ? went?.change : oneLine(file.description ?? '');
    return { path: file.path, ...(action ? { action } : {}), ...(change ? { change } : {}) };
  });
}

const actionOf = ({ action }: ForeignFile) =>
  action === 'create' || action === 'modify' ? (action as 'create' | 'modify') : undefined;

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
