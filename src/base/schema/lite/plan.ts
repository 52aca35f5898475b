import { z } from 'zod';
import { repositoryPath } from '../primitives.ts';

const text = z.string().min(1);

/** 1C.3: the words of a task file. */
export const taskActions = [
  'Create',
  'Update',
  'Implement',
  'Refactor',
  'Add',
  'Delete',
  'Configure',
  'Test',
  'Fix',
] as const;
const taskTypes = [
  'infrastructure',
  'feature',
  'enhancement',
  'fix',
  'refactor',
  'testing',
  'docs',
  'chore',
] as const;
const taskStatuses = ['pending', 'in_progress', 'completed', 'failed', 'skipped', 'blocked'] as const;

export const taskIdPattern = /^(?:TASK|FIX)-\d{3}$/;

const texts = z.array(text);
const degree = z.enum(['Low', 'Medium', 'High']);

/** P-131: a step is a sentence, or a record with sub-actions. */
const stepSchema = z.union([
  text,
  z.strictObject({
    step: z.union([text, z.number()]).optional(),
    description: text,
    tdd_phase: z.string().optional(),
    actions: texts.optional(),
    test_fix_cycle: z.strictObject({ max_iterations: z.int().min(1).default(3) }).optional(),
  }),
]);

const taskFileSchema = z.strictObject({
  path: repositoryPath(),
  action: z.enum(['modify', 'create', 'delete']).optional(),
  target: z.string().optional(),
  changes: texts.optional(),
  change: text.optional(),
  conflict_risk: z.string().optional(),
});

/** 1C.3: `.task/TASK-NNN.json`. Unknown keys at the top are kept; inside they are refused. */
export const liteTaskSchema = z.looseObject({
  id: z.string().regex(taskIdPattern, 'an id is TASK-001 or FIX-001'),
  title: text,
  description: text,
  depends_on: z.array(z.string()),
  convergence: z.strictObject({
    criteria: z.array(text).min(1),
    verification: z.string().optional(),
    definition_of_done: z.string().optional(),
  }),
  type: z.enum(taskTypes).optional(),
  priority: z.enum(['critical', 'high', 'medium', 'low']).optional(),
  effort: z.enum(['small', 'medium', 'large']).optional(),
  action: z.enum(taskActions).optional(),
  scope: z.union([text, texts]).optional(),
  excludes: texts.optional(),
  focus_paths: texts.optional(),
  parallel_group: z.number().optional(),
  files: z.array(taskFileSchema).optional(),
  implementation: z.array(stepSchema).optional(),
  test: z
    .strictObject({
      commands: texts.optional(),
      unit: texts.optional(),
      integration: texts.optional(),
      coverage_target: z.number().min(0).max(100).optional(),
      manual_checks: texts.optional(),
      success_metrics: texts.optional(),
      reusable_tools: texts.optional(),
    })
    .optional(),
  regression: texts.optional(),
  reference: z
    .strictObject({
      pattern: z.string().optional(),
      files: texts.optional(),
      examples: z.string().optional(),
    })
    .optional(),
  rationale: z
    .strictObject({
      chosen_approach: text,
      alternatives_considered: texts.optional(),
      decision_factors: texts.optional(),
      tradeoffs: z.string().optional(),
    })
    .optional(),
  risks: z
    .array(
      z.strictObject({
        description: text,
        probability: degree.optional(),
        impact: degree.optional(),
        mitigation: text,
        fallback: z.string().optional(),
      }),
    )
    .optional(),
  code_skeleton: z
    .strictObject({
      interfaces: texts.optional(),
      key_functions: texts.optional(),
      classes: texts.optional(),
    })
    .optional(),
  cli_execution: z
    .strictObject({
      id: text,
      strategy: z.enum(['new', 'resume', 'fork', 'merge_fork']),
      resume_from: z.string().optional(),
      merge_from: texts.optional(),
    })
    .optional(),
  status: z.enum(taskStatuses).optional(),
  executed_at: z.string().optional(),
  // P-063: names of former versions are refused, not ignored.
  acceptance: z.never({ error: 'use convergence.criteria' }).optional(),
  modification_points: z.never({ error: 'use files[].change' }).optional(),
  verification: z.never({ error: 'use test' }).optional(),
});

export type LiteTask = z.infer<typeof liteTaskSchema>;
export type TaskStep = z.infer<typeof stepSchema>;

const complexities = ['Low', 'Medium', 'High'] as const;
export type Complexity = (typeof complexities)[number];

/** 1C.2: plan.json, the overview; each task has a separate file. */
export const litePlanSchema = z.looseObject({
  summary: text,
  approach: text,
  task_ids: z.array(text).min(1),
  task_count: z.int().min(1),
  complexity: z.enum(complexities).optional(),
  estimated_time: z.string().optional(),
  recommended_execution: z.enum(['Agent', 'Codex', 'Sequential', 'Parallel', 'Phased']).optional(),
  data_flow: z
    .looseObject({
      diagram: z.string().optional(),
      stages: z.array(z.looseObject({ stage: text })).optional(),
      dependencies: z.array(text).optional(),
    })
    .optional(),
  design_decisions: z
    .array(
      z.strictObject({
        decision: text,
        rationale: text,
        tradeoff: z.string().optional(),
        alternatives: z.array(text).optional(),
      }),
    )
    .optional(),
  shared_context: z
    .strictObject({
      tech_stack: z.array(text).optional(),
      conventions: z.array(text).optional(),
      auth_strategy: z.string().optional(),
    })
    .optional(),
  _metadata: z.looseObject({
    timestamp: text,
    source: text,
    plan_type: z.enum(['feature', 'fix', 'tdd', 'review', 'collaborative', 'requirement']),
    planning_mode: z.enum(['direct', 'agent-based']).optional(),
    schema_version: z.string().default('2.0'),
    exploration_angles: z.array(text).optional(),
    duration_seconds: z.number().optional(),
    /** The commit the plan was made on; drift is computed against it. */
    base_commit: z.string().optional(),
    degraded: z.boolean().optional(),
    quality_check: z
      .strictObject({
        result: z.enum(['PASS', 'AUTO_FIX', 'REGENERATE', 'SKIPPED']),
        critical: z.array(z.string()),
        minor: z.array(z.string()),
      })
      .optional(),
  }),
});

export type LitePlan = z.infer<typeof litePlanSchema>;
