import { z } from 'zod';
import { taskActions } from '../lite/task.ts';
import { line, list, nullable, prose, repositoryPath } from '../primitives.ts';

const degree = z.enum(['Low', 'Medium', 'High']);

const plannedTaskSchema = z.object({
  id: z.string().regex(/^TASK-[0-9]{3}$/),
  title: line(200),
  description: prose(8000),
  action: z.enum(taskActions),
  scope: line(400).describe('Module or folder.'),
  depends_on: list(z.string().regex(/^TASK-[0-9]{3}$/), 60).describe(
    'Only tasks whose output this one needs.',
  ),
  files: list(
    z.object({
      path: repositoryPath(),
      action: z.enum(['modify', 'create', 'delete']),
      change: prose(4000).describe('What changes in it.'),
    }),
    60,
  ),
  implementation: z.array(prose(2000)).min(2).max(40).describe('Steps, in order.'),
  criteria: z
    .array(prose(1000))
    .min(1)
    .max(30)
    .describe('Each can be checked by looking or by running something.'),
  rationale: nullable(prose(4000)).describe('Why this approach. Needed from Medium complexity on.'),
  tests: list(prose(1000), 30).describe('Tests to write or run. Needed from Medium complexity on.'),
  commands: list(line(400), 10).describe('Commands that check the task.'),
  risks: list(
    z.object({ description: prose(1000), probability: degree, impact: degree, mitigation: prose(1000) }),
    20,
  ).describe('Needed at High complexity.'),
  skeleton: list(line(400), 40).describe('Signatures to add. Needed at High complexity.'),
});

/** P-061: a plan as tasks that can be carried out. */
export const litePlanAnswerSchema = z.object({
  summary: prose(4000),
  approach: prose(20_000),
  estimated_time: line(100),
  tasks: z.array(plannedTaskSchema).min(1).max(60),
  design_decisions: list(
    z.object({ decision: prose(1000), rationale: prose(2000), tradeoff: nullable(prose(1000)) }),
    20,
  ).describe('Needed from Medium complexity on.'),
  data_flow: nullable(prose(4000)).describe('How data walks through the change. Needed at High complexity.'),
});

export type PlannedTask = z.infer<typeof plannedTaskSchema>;
export type LitePlanAnswer = z.infer<typeof litePlanAnswerSchema>;
