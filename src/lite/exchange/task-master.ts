import { z } from 'zod';
import { isRecord, parseJson } from '../../safe-json.ts';
import { liteTaskSchema } from '../../schema/lite/task.ts';
import { planInvalid } from '../read-plan.ts';
import type { ExchangeFile } from './exchange-file.ts';
import { emptyTask, type Outline, type OutlineReading, type OutlineTask, oneLine } from './outline.ts';

export const taskMasterFile = '.taskmaster/tasks/tasks.json';

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

const finished = new Set(['done', 'completed', 'cancelled']);

/** `.taskmaster/tasks/tasks.json` with the plan as one tag; other tags of an existing file are kept as they are. */
export function writeTaskMaster(outline: Outline, tag: string, existing?: string): ExchangeFile[] {
  const before = existing === undefined ? {} : tagsOf(existing);
  const { title, summary, approach, date, decisions, edgeCases, tasks } = outline;
  const stamp = `${date}T00:00:00.000Z`;
  const list = {
    // Task Master writes the metadata of a list anew; that of a task it keeps.
    tasks: tasks.map((task, index) =>
      foreignOf(task, index === 0 ? { title, summary, approach, date, decisions, edgeCases } : undefined),
    ),
    metadata: { created: stamp, updated: stamp, description: title },
  };
  return [{ path: taskMasterFile, text: `${JSON.stringify({ ...before, [tag]: list }, null, 2)}\n` }];
}

/** The tags that a file has; a file without tags counts as one that has `master`. */
export function tagsOf(text: string): Record<string, unknown> {
  const value = parseJson(text, taskMasterFile);
  if (!isRecord(value)) throw planInvalid([`${taskMasterFile} is no object`]);
  return Array.isArray(value['tasks']) ? { master: value } : value;
}

function foreignOf(task: OutlineTask, plan: Omit<Outline, 'tasks'> | undefined): Record<string, unknown> {
  const { number, title, description, dependsOn, files, steps, criteria, rest = {} } = task;
  const { action, tests, commands, risks, why, excludes } = task;
  return {
    id: number,
    title,
    description,
    status: 'pending',
    dependencies: dependsOn,
    priority: typeof rest['priority'] === 'string' ? rest['priority'] : 'medium',
    details: detailsOf(steps),
    testStrategy: strategyOf(task),
    subtasks: [],
    acceptanceCriteria: criteria,
    relevantFiles: files.map(({ path, action: kind, change }) => ({
      path,
      description: change ?? '',
      action: kind === 'create' ? 'create' : 'modify',
    })),
    metadata: {
      charrette: { action, files, steps, tests, commands, risks, why, excludes, rest: task.rest, plan },
    },
  };
}

const detailsOf = (steps: readonly string[]) =>
  steps.map((step, index) => `${index + 1}. ${step}`).join('\n');

const strategyOf = ({ criteria, tests, commands }: Pick<OutlineTask, 'criteria' | 'tests' | 'commands'>) =>
  [...criteria, ...tests, ...commands.map((command) => `Run ${command}`)].join('\n');

/** Reads one tag. What people changed in Task Master wins over what we had put there. */
export function readTaskMaster(text: string, tag: string | undefined): OutlineReading & { tag: string } {
  const tags = tagsOf(text);
  const names = Object.keys(tags);
  const chosen = tag ?? (names.includes('master') ? 'master' : names[0]);
  if (chosen === undefined || tags[chosen] === undefined)
    throw planInvalid([
      `there is no tag ${JSON.stringify(chosen ?? 'master')}; there are ${names.join(', ') || 'none'}`,
    ]);
  const reading = foreignList.safeParse(tags[chosen]);
  if (!reading.success)
    throw planInvalid(
      reading.error.issues.map((issue) => `${chosen}.${issue.path.map(String).join('.')}: ${issue.message}`),
    );
  const { tasks, metadata } = reading.data;
  const open = tasks.filter(({ status }) => !finished.has(status));
  if (open.length === 0) throw planInvalid([`the tag ${chosen} has no open task`]);
  const numberOf = new Map(tasks.map((task, index) => [String(task.id), index + 1]));
  const left = new Set(open.map((task) => numberOf.get(String(task.id))));
  const own = planIn(tasks);
  const title = textOf(own['title']) ?? textOf(metadata?.['description']) ?? chosen;
  const outline: Outline = {
    title: oneLine(title) || chosen,
    summary: textOf(own['summary']) ?? title,
    approach: textOf(own['approach']) ?? title,
    date: textOf(own['date']) ?? '1970-01-01',
    decisions: decisionsSchema.catch([]).parse(own['decisions']),
    edgeCases: textsSchema.catch([]).parse(own['edgeCases']),
    tasks: open.map((task) => {
      const outlined = taskOf(task, numberOf.get(String(task.id)) ?? 0);
      const dependsOn = task.dependencies.map((each) => dependency(String(each), numberOf));
      return { ...outlined, dependsOn: dependsOn.filter((each) => each > tasks.length || left.has(each)) };
    }),
  };
  return {
    tag: chosen,
    outline,
    notes:
      open.length === tasks.length
        ? []
        : [`${tasks.length - open.length} tasks are done or cancelled and were left out`],
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

/** A dependency on a subtask is one on its task; an unknown one gets a number that no task has. */
function dependency(name: string, numberOf: ReadonlyMap<string, number>): number {
  return (
    numberOf.get(name) ?? numberOf.get(name.split('.')[0] ?? '') ?? 900 + (Number.parseInt(name, 10) || 0)
  );
}

const textsSchema = z.array(z.string());
const decisionsSchema = z.array(z.object({ decision: z.string(), rationale: z.string() }));
const ownSchema = z
  .object({
    action: liteTaskSchema.shape.action.catch(undefined),
    files: z
      .array(
        z.object({
          path: z.string(),
          action: z.enum(['modify', 'create', 'delete']).optional(),
          change: z.string().optional(),
        }),
      )
      .catch([]),
    steps: textsSchema.catch([]),
    tests: textsSchema.catch([]),
    commands: textsSchema.catch([]),
    risks: z.array(z.object({ description: z.string(), mitigation: z.string() })).catch([]),
    why: z.string().optional().catch(undefined),
    excludes: textsSchema.catch([]),
    rest: z.record(z.string(), z.unknown()).optional().catch(undefined),
  })
  .partial();

function taskOf(task: ForeignTask, number: number): OutlineTask {
  const own = ownSchema.catch({}).parse(task.metadata?.['charrette'] ?? {});
  const { action, why, rest } = own;
  const steps = own.steps !== undefined && detailsOf(own.steps) === task.details ? own.steps : stepsOf(task);
  const criteria = textsOf(task.acceptanceCriteria ?? []);
  const strategy = textsOf((task.testStrategy ?? '').split('\n'));
  const files = own.files ?? (task.relevantFiles ?? []).map(foreignFile);
  return {
    ...emptyTask(number, oneLine(task.title)),
    description: task.description.trim(),
    ...(action === undefined ? {} : { action }),
    files,
    steps,
    criteria: criteria.length > 0 ? criteria : strategy,
    tests: own.tests ?? [],
    commands: own.commands ?? [],
    risks: own.risks ?? [],
    ...(why === undefined ? {} : { why }),
    excludes: own.excludes ?? [],
    ...(rest === undefined ? {} : { rest: checkedRest(rest) }),
  };
}

/** Only what a task file may hold. */
function checkedRest(rest: Record<string, unknown>): Record<string, unknown> {
  const shape = liteTaskSchema.shape as Record<string, z.ZodType>;
  return Object.fromEntries(
    Object.entries(rest).filter(
      ([key, value]) => shape[key] === undefined || shape[key].safeParse(value).success,
    ),
  );
}

function stepsOf({ details, subtasks }: ForeignTask): string[] {
  const open = (subtasks ?? []).filter(({ status = 'pending' }) => !finished.has(status));
  const smaller = open.map(({ title, description }) =>
    oneLine(description ? `${title}: ${description}` : title),
  );
  return [
    ...textsOf((details ?? '').split('\n').map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s+/, ''))),
    ...smaller,
  ];
}

function foreignFile({ path, description, action }: NonNullable<ForeignTask['relevantFiles']>[number]) {
  const change = oneLine(description ?? '');
  return {
    path,
    ...(action === 'create' || action === 'modify' ? { action: action as 'create' | 'modify' } : {}),
    ...(change === '' ? {} : { change }),
  };
}

const textsOf = (texts: readonly string[]) => texts.map(oneLine).filter((text) => text !== '');
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
