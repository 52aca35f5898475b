import { z } from 'zod';
import { complexities, litePlanSchema } from './plan.ts';

const text = z.string().min(1);

/** P-048: explorations-manifest.json, of this run only. */
export const manifestSchema = z.object({
  session_id: text,
  task_description: text,
  timestamp: text,
  complexity: z.enum(complexities),
  exploration_count: z.int().min(0).max(4),
  explorations: z.array(z.object({ angle: text, file: text, path: text, index: z.int().min(1) })),
});

/** P-053: clarifications.json, written after every round. */
export const clarificationsSchema = z.object({
  schemaVersion: z.literal(1),
  rounds: z.object({ asked: z.int().min(0), total: z.int().min(0) }),
  answers: z.array(
    z.object({
      id: text,
      question: text,
      angles: z.array(text),
      answer: z.string(),
      /** `assumed`: nobody was asked and the recommendation was taken (P-052). */
      source: z.enum(['person', 'assumed']),
    }),
  ),
});

/** 1C.5: execution-context.json with its one-time handoff token (P-091). */
export const executionContextSchema = z.looseObject({
  schemaVersion: z.literal(1),
  planObject: litePlanSchema,
  /** P-093: a plain list of paths is taken too. */
  taskFiles: z.array(z.union([text, z.object({ id: text, path: text })])).min(1),
  explorationAngles: z.array(text).nullable(),
  clarificationContext: z.record(z.string(), z.string()).nullable(),
  executionMethod: text,
  codeReviewTool: text,
  originalUserInput: z.string(),
  executorAssignments: z.record(z.string(), z.object({ executor: text, reason: text })).nullable(),
  session: z.object({ id: text, folder: text }),
  handoff: z.object({ token: text, consumedAt: z.string().optional(), consumedBy: z.string().optional() }),
});

/** P-124 and P-123: what came of a batch, and the proof that its tool ran. */
export const executionResultSchema = z.object({
  executionId: text,
  status: z.enum(['completed', 'partial', 'failed', 'skipped']),
  tasksSummary: z.string(),
  completionSummary: z.string(),
  keyOutputs: z.array(z.string()),
  notes: z.string(),
  fixedCliId: text,
  proof: z
    .object({
      executor: text,
      argv: z.array(z.string()),
      exitCode: z.int().nullable(),
      durationMs: z.number(),
      outputTail: z.string(),
      changedFiles: z.array(z.string()),
      commit: z.string().nullable(),
      worktree: z.string().nullable(),
      attempts: z.int(),
    })
    .nullable(),
});

/** 1C.6: test-checklist.json. */
export const testChecklistSchema = z.object({
  session: text,
  plan_summary: z.string(),
  generated_at: text,
  test_config: z.object({ command: z.string().nullable(), framework: z.string(), type: z.string() }),
  tasks: z.array(
    z.object({
      task_id: text,
      title: text,
      status: z.string(),
      convergence: z.object({
        met: z.array(z.string()),
        unmet: z.array(z.string()),
        unverified: z.array(z.string()),
      }),
      test_items: z.array(z.object({ type: text, desc: text, status: text })),
    }),
  ),
  execution: z
    .object({
      command: text,
      timestamp: text,
      raw_output: z.string(),
      overall: z.enum(['PASS', 'FAIL', 'UNKNOWN']),
      fix_iteration: z.int().optional(),
    })
    .nullable(),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type Clarifications = z.infer<typeof clarificationsSchema>;
export type ExecutionContext = z.infer<typeof executionContextSchema>;
export type ExecutionResult = z.infer<typeof executionResultSchema>;
export type TestChecklist = z.infer<typeof testChecklistSchema>;
