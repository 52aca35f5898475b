import { z } from 'zod';
import { isRecord, parseJson } from '../../base/safe-json.ts';
import { type LiteTask, litePlanSchema, liteTaskSchema } from '../../base/schema/lite/plan.ts';
import { problemLine, readAs } from '../../base/schema/primitives.ts';
import { planInvalid } from '../tasks/read-plan.ts';
import { actionOf, fallbackCriteria, lines, oneLine, type PlanDraft, taskId, wholeText } from './outline.ts';

const name = z.union([z.string().min(1), z.number()]).transform(String);
const formerPlan = z.looseObject({
  summary: z.string().min(1),
  approach: z.string().optional(),
  tasks: z
    .array(
      z.looseObject({
        id: name,
        title: z.string().min(1),
        description: z.string().nullish(),
        depends_on: z.array(name).nullish(),
      }),
    )
    .min(1),
});
type FormerTask = z.infer<typeof formerPlan>['tasks'][number];

const taskSchema = liteTaskSchema
  .partial()
  .extend({ convergence: liteTaskSchema.shape.convergence.partial().optional() });
const overviewSchema = litePlanSchema.partial();
const metadataSchema = litePlanSchema.shape._metadata.partial();

/** P-103: a plan in one file with its tasks inside, in the older form, with the former names of fields. */
export function readEmbeddedPlan(text: string, source: string): { draft: PlanDraft; notes: string[] } {
  const reading = readAs(formerPlan, parseJson(text, source));
  if (!reading.ok) throw planInvalid(reading.problems.map((problem) => problemLine(problem, source)));
  const { tasks, ...overview } = reading.value;
  const idOf = new Map(tasks.map(({ id }, index) => [id, taskId(index + 1)]));
  const dropped: string[] = [];
  const draft: PlanDraft = {
    ...planParts(overview, dropped),
    tasks: tasks.map((task, index) => {
      const dependsOn = (task.depends_on ?? []).map((each, at) => idOf.get(each) ?? taskId(900 + at));
      return presentTask(task, taskId(index + 1), dependsOn, dropped);
    }),
  };
  return {
    draft,
    notes: [
      'former names became present ones: acceptance → convergence.criteria, modification_points → files, verification → test',
      ...droppedNotes(dropped),
    ],
  };
}

/** plan.json without counts and checks, which are made again. */
function planParts(value: Record<string, unknown> & { summary: string }, dropped: string[]) {
  const { _metadata, task_ids: _ids, task_count: _count, ...fields } = value;
  const {
    quality_check: _quality,
    schema_version: _version,
    ...metadata
  } = isRecord(_metadata) ? _metadata : {};
  const overview = (fitting(overviewSchema, fields, '', dropped) ?? {}) as z.infer<typeof overviewSchema>;
  return {
    overview: {
      ...overview,
      title: oneLine(value.summary),
      summary: value.summary,
      approach: overview.approach || value.summary,
    },
    metadata: (fitting(metadataSchema, metadata, '_metadata.', dropped) ?? {}) as PlanDraft['metadata'],
  };
}

function presentTask(task: FormerTask, id: string, depends_on: string[], dropped: string[]): LiteTask {
  const title = oneLine(task.title);
  const { convergence, ...fields } = (fitting(taskSchema, presentFields(task), `${task.id} `, dropped) ??
    {}) as z.infer<typeof taskSchema>;
  const { criteria = [], ...proof } = convergence ?? {};
  return {
    ...fields,
    id,
    depends_on,
    title,
    description: wholeText(task.description ?? '') || title,
    action: fields.action ?? actionOf(title),
    convergence: { ...proof, criteria: criteria.length === 0 ? fallbackCriteria(title) : criteria },
  };
}

const formerTests: Readonly<Record<string, string>> = {
  unit_tests: 'unit',
  integration_tests: 'integration',
};

/** Renames the former fields of a task. */
function presentFields(task: FormerTask): Record<string, unknown> {
  const { id: _id, title: _title, description: _description, depends_on: _needs, ...fields } = task;
  const { acceptance, modification_points, verification, convergence, files, test, ...others } = fields;
  const done = isRecord(convergence) ? convergence : { criteria: convergence };
  const criteria = [...listOf(done['criteria']), ...listOf(acceptance)];
  const places = [...listOf(files), ...listOf(modification_points).map(placeOf)];
  const tests = {
    ...(isRecord(verification)
      ? Object.fromEntries(
          Object.entries(verification).map(([key, value]) => [formerTests[key] ?? key, value]),
        )
      : { manual_checks: verification }),
    ...(isRecord(test) ? test : { commands: test }),
  };
  return present({
    ...others,
    implementation: listOf(others['implementation']),
    convergence: present({ ...done, criteria: criteria.map((each) => sentence(each) ?? each) }),
    files: places.map((each) => (typeof each === 'string' ? { path: each } : each)),
    test: present(tests),
  });
}

function placeOf(point: unknown): unknown {
  if (!isRecord(point)) return point;
  const { file, ...others } = point;
  return { path: file, ...others };
}

/** A list, or the lines of a text used as one. */
function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  return typeof value === 'string'
    ? lines(value.split('\n').map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s+/, '')))
    : [value];
}

/** Removes absent and empty fields. */
function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined &&
        !(Array.isArray(value) && value.length === 0) &&
        !(isRecord(value) && Object.keys(value).length === 0),
    ),
  );
}

/** Keeps what the schema accepts and names the rest in `dropped`; single values become lists, records become sentences. */
function fitting(schema: unknown, value: unknown, at: string, dropped: string[]): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional) inner = inner.unwrap();
  if (!(inner instanceof z.ZodType) || inner.safeParse(value).success) return value;
  const before = dropped.length;
  const shaped = reshape(inner, value, at, dropped);
  if (inner.safeParse(shaped).success) return shaped;
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
  // The whole is named in place of its parts.
  dropped.splice(before, Infinity, ...(isEmpty ? [] : [`${at.replace(/\.$/, '')} ${excerpt(value)}`]));
  return undefined;
}

function reshape(schema: z.ZodType, value: unknown, at: string, dropped: string[]): unknown {
  if (schema instanceof z.ZodString) return sentence(value);
  if (schema instanceof z.ZodUnion) {
    const tried = schema.options.map((option) => reshape(option as z.ZodType, value, at, []));
    return tried.find((each) => schema.safeParse(each).success);
  }
  if (schema instanceof z.ZodArray) {
    const items = Array.isArray(value) ? value : [value];
    return items
      .map((item, index) => fitting(schema.element, item, `${at}${index}.`, dropped))
      .filter((item) => item !== undefined);
  }
  if (!(schema instanceof z.ZodObject) || !isRecord(value)) return undefined;
  const isStrict = schema.def.catchall instanceof z.ZodNever;
  const fields = Object.entries(value).map(([key, part]) => {
    const known = Object.hasOwn(schema.shape, key) ? schema.shape[key] : isStrict ? z.never() : undefined;
    return [key, fitting(known, part, `${at}${key}.`, dropped)] as const;
  });
  return Object.fromEntries(fields.filter(([, part]) => part !== undefined));
}

/** Writes a record as one line without losing a value. */
function sentence(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map((each) => sentence(each) ?? '').join(', ');
  if (!isRecord(value)) return undefined;
  return Object.entries(value)
    .map(([key, part]) => `${key}: ${sentence(part) ?? JSON.stringify(part)}`)
    .join('; ');
}

function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

const maxNotes = 20;

/** Names the omitted parts. */
function droppedNotes(dropped: readonly string[]): string[] {
  return [
    ...dropped.slice(0, maxNotes).map((each) => `omitted because a plan has no field for it: ${each}`),
    ...(dropped.length > maxNotes ? [`and ${dropped.length - maxNotes} more were omitted`] : []),
  ];
}
