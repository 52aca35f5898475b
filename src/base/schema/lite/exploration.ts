import { z } from 'zod';

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

export const angles = [
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

const text = z.string().min(1);

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
