import { z } from 'zod';
import { type Complexity, litePlanSchema } from './plan.ts';

const text = z.string().min(1);

export const fileRoles = [
  'modify_target',
  'dependency',
  'pattern_reference',
  'test_target',
  'type_definition',
  'integration_point',
  'config',
  'context_only',
] as const;

const angles = [
  'architecture',
  'dependencies',
  'modularity',
  'integration-points',
  'security',
  'auth-patterns',
  'dataflow',
  'validation',
  'performance',
  'bottlenecks',
  'caching',
  'data-access',
  'error-handling',
  'state-management',
  'edge-cases',
  'patterns',
  'testing',
] as const;
export type Angle = (typeof angles)[number];

/** 1C.4: exploration-{angle}.json. */
export const explorationFileSchema = z.looseObject({
  project_structure: text,
  relevant_files: z
    .array(
      z.strictObject({
        path: text,
        relevance: z.number().min(0).max(1),
        rationale: z.string().min(10),
        role: z.enum(fileRoles),
        discovery_source: z
          .enum(['bash-scan', 'cli-analysis', 'ace-search', 'dependency-trace', 'manual'])
          .optional(),
        key_symbols: z.array(text).optional(),
      }),
    )
    .min(1),
  patterns: z.string(),
  dependencies: z.string(),
  integration_points: z.string(),
  constraints: z.string(),
  clarification_needs: z.array(
    z.looseObject({
      question: text,
      context: z.string(),
      options: z.array(text),
      recommended: z.int().min(0).optional(),
    }),
  ),
  _metadata: z.looseObject({
    timestamp: text,
    task_description: text,
    source: z.literal('cli-explore-agent'),
    exploration_angle: z.enum(angles).optional(),
    exploration_index: z.int().min(1).max(4).optional(),
    total_explorations: z.int().min(1).max(4).optional(),
    duration_seconds: z.number().optional(),
  }),
});

export type ExplorationFile = z.infer<typeof explorationFileSchema>;

/** P-048: explorations-manifest.json, of this run only. */
export type Manifest = {
  session_id: string;
  task_description: string;
  timestamp: string;
  complexity: Complexity;
  exploration_count: number;
  explorations: { angle: string; file: string; path: string; index: number }[];
};

/** P-053: clarifications.json, written after every round. */
export type Clarifications = {
  schemaVersion: 1;
  rounds: { asked: number; total: number };
  answers: {
    id: string;
    question: string;
    angles: string[];
    answer: string;
    /** `assumed`: the recommendation was taken without asking (P-052). */
    source: 'person' | 'assumed';
  }[];
};

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
  autoMode: z
    .boolean()
    .default(false)
    .describe('Whether the plan was made without questions; not the executor that is called auto.'),
  session: z.object({ id: text, folder: text }),
  handoff: z.object({ token: text, consumedAt: z.string().optional(), consumedBy: z.string().optional() }),
});

/** P-124 and P-123: what came of a batch, and the proof that its tool ran. */
export type ExecutionResult = {
  executionId: string;
  status: 'completed' | 'partial' | 'failed' | 'skipped';
  tasksSummary: string;
  completionSummary: string;
  keyOutputs: string[];
  notes: string;
  fixedCliId: string;
  proof: {
    executor: string;
    argv: string[];
    exitCode: number | null;
    durationMs: number;
    outputTail: string;
    changedFiles: string[];
    commit: string | null;
    worktree: string | null;
    attempts: number;
  } | null;
};

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

export type ExecutionContext = z.infer<typeof executionContextSchema>;
export type TestChecklist = z.infer<typeof testChecklistSchema>;
