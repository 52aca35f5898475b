import { z } from 'zod';
import { isRecord } from '../../base/safe-json.ts';
import { type LiteTask, litePlanSchema, liteTaskSchema } from '../../base/schema/lite/plan.ts';
import type { OriginalPlan } from './outline.ts';

const taskSchema = liteTaskSchema
  .partial()
  .extend({ convergence: liteTaskSchema.shape.convergence.partial().optional() });
const planSchema = litePlanSchema.partial();
const metadataSchema = litePlanSchema.shape._metadata.partial();

/** What a task file may hold of a value; what it may not is named in `dropped`. */
export function fitTask(value: unknown, at: string, dropped: string[]): Partial<LiteTask> {
  const { convergence, ...task } = (fitting(taskSchema, value, at, dropped) ?? {}) as z.infer<
    typeof taskSchema
  >;
  return convergence === undefined ? task : { ...task, convergence: { criteria: [], ...convergence } };
}

/** The same for a plan.json, whose metadata may be incomplete; what is counted and checked anew stays out. */
export function fitPlan(value: unknown, at: string, dropped: string[]): OriginalPlan {
  const { _metadata, task_ids: _ids, task_count: _count, ...overview } = isRecord(value) ? value : {};
  const {
    quality_check: _quality,
    schema_version: _version,
    ...metadata
  } = isRecord(_metadata) ? _metadata : {};
  return {
    overview: (fitting(planSchema, overview, at, dropped) ?? {}) as OriginalPlan['overview'],
    metadata: (fitting(metadataSchema, metadata, `${at}_metadata.`, dropped) ??
      {}) as OriginalPlan['metadata'],
  };
}

/** The parts of a value that a schema takes. Single values become lists and records sentences where these are wanted. */
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

/** A record as one line with all that it says. */
export function sentence(value: unknown): string | undefined {
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

const mostNotes = 20;

/** What was left out, as notes for people. */
export function droppedNotes(dropped: readonly string[]): string[] {
  return [
    ...dropped.slice(0, mostNotes).map((each) => `left out, for a plan has no place for it: ${each}`),
    ...(dropped.length > mostNotes ? [`and ${dropped.length - mostNotes} more were left out`] : []),
  ];
}
