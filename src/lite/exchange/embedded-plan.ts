import { z } from 'zod';
import { parseJson } from '../../safe-json.ts';
import { liteTaskSchema } from '../../schema/lite/task.ts';
import { planInvalid } from '../read-plan.ts';
import { emptyTask, type OutlineReading, type OutlineTask, oneLine } from './outline.ts';

const texts = z.array(z.string()).catch([]);
const formerTask = z.looseObject({
  id: z.string().min(1),
  title: z.string().min(1),
  description: z.string().default(''),
  action: liteTaskSchema.shape.action.catch(undefined),
  depends_on: z.array(z.string()).default([]),
  implementation: texts.default([]),
  acceptance: texts.default([]),
  convergence: z.looseObject({ criteria: texts }).optional().catch(undefined),
  modification_points: z
    .array(z.looseObject({ file: z.string().min(1), change: z.string().optional() }))
    .default([])
    .catch([]),
  files: z
    .array(z.looseObject({ path: z.string().min(1), change: z.string().optional() }))
    .default([])
    .catch([]),
});
const formerPlan = z.looseObject({
  summary: z.string().min(1),
  approach: z.string().optional(),
  tasks: z.array(formerTask).min(1),
});

/** P-103: a plan in one file with its tasks inside, as plans once were, with the former names of fields. */
export function readEmbeddedPlan(text: string, source: string): OutlineReading {
  const reading = formerPlan.safeParse(parseJson(text, source));
  if (!reading.success)
    throw planInvalid(
      reading.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`),
    );
  const { summary, approach, tasks } = reading.data;
  const numberOf = new Map(tasks.map(({ id }, index) => [id, index + 1]));
  return {
    outline: {
      title: oneLine(summary),
      summary,
      approach: approach ?? summary,
      date: '1970-01-01',
      decisions: [],
      edgeCases: [],
      tasks: tasks.map(
        (task, index): OutlineTask => ({
          ...emptyTask(index + 1, oneLine(task.title)),
          description: task.description.trim(),
          ...(task.action === undefined ? {} : { action: task.action }),
          dependsOn: task.depends_on.map((id, at) => numberOf.get(id) ?? 900 + at),
          files: [
            ...task.files.map(({ path, change }) => ({ path, change })),
            ...task.modification_points.map(({ file, change }) => ({ path: file, change })),
          ].map(({ path, change }) => ({
            path,
            ...(change === undefined ? {} : { change: oneLine(change) }),
          })),
          steps: task.implementation.map(oneLine),
          criteria: [...(task.convergence?.criteria ?? []), ...task.acceptance].map(oneLine),
        }),
      ),
    },
    notes: [
      'former names became present ones: acceptance → convergence.criteria, modification_points → files',
    ],
  };
}
