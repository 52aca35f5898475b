import { z } from 'zod';

export const complexities = ['Low', 'Medium', 'High'] as const;
export type Complexity = (typeof complexities)[number];

const text = z.string().min(1);

/** 1C.2: plan.json, the overview; the tasks stand in files of their own. */
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
