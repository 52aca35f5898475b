import { z } from 'zod';
import { taskActions } from '../lite/plan.ts';
import { fileRoles } from '../lite/session-files.ts';
import { line, list, nullable, prose, repositoryPath } from '../primitives.ts';

/** P-046: an exploration of the repository from one angle. */
export const explorationSchema = z.object({
  project_structure: prose(8000),
  relevant_files: z
    .array(
      z.object({
        path: repositoryPath(),
        relevance: z.int().min(0).max(100).describe('Percent.'),
        rationale: prose(1000).describe('Why this file, in this task; at least ten characters.'),
        role: z.enum(fileRoles),
        key_symbols: list(line(200), 20),
      }),
    )
    .min(1)
    .max(60),
  patterns: prose(8000).describe('Patterns to follow, precise enough to act on.'),
  dependencies: prose(8000),
  integration_points: prose(8000).describe('Places as path:line.'),
  constraints: prose(8000).describe('What this project forbids or demands.'),
  clarification_needs: list(
    z.object({
      question: line(1000),
      context: prose(2000),
      options: list(line(300), 8),
      recommended: nullable(z.int().min(0).max(7)).describe('Zero-based place in options.'),
    }),
    8,
  ),
});

export type Exploration = z.infer<typeof explorationSchema>;

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

/** P-061: a plan as tasks to implement. */
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

/** P-124: what an executor says about its batch. Whether it is so, git and the tests tell. */
export const executionSchema = z.object({
  status: z.enum(['completed', 'partial', 'failed']),
  summary: prose(4000).describe('The changes made.'),
  outputs: list(repositoryPath(), 200).describe('Files written or changed.'),
  notes: list(prose(2000), 20).describe('What the next executor should know.'),
  unfinished: list(line(400), 40).describe('Ids of tasks that are not done, each with the reason.'),
});

export const codeSeverities = ['Critical', 'High', 'Medium', 'Low'] as const;

/** P-150, P-152: findings about the code, and every criterion with the evidence for it. */
export const codeReviewSchema = z.object({
  summary: prose(4000),
  findings: list(
    z.object({
      severity: z.enum(codeSeverities),
      file: repositoryPath(),
      line: z.int().min(1).max(10_000_000),
      description: prose(4000),
      fix: prose(4000),
    }),
    100,
  ),
  criteria: list(
    z.object({
      task_id: z.string().regex(/^(TASK|FIX)-[0-9]{3}$/),
      number: z.int().min(1).max(30).describe('Place of the criterion in its task, from 1.'),
      met: z.boolean(),
      evidence: nullable(prose(2000)).describe(
        'Where it can be seen: path:line, or a command and its result.',
      ),
    }),
    400,
  ).describe('Every criterion of every task, once.'),
});

export type CodeReview = z.infer<typeof codeReviewSchema>;
