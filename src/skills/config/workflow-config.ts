import { z } from 'zod';
import type { RoughPhase } from './complete-config.ts';

/** Agent types that hosts of these skills know; others become general-purpose with a warning (S-067). */
export const knownAgentTypes = [
  'cli-explore-agent',
  'context-search-agent',
  'cli-execution-agent',
  'action-planning-agent',
  'code-developer',
  'test-fix-agent',
  'general-purpose',
  'Explore',
] as const;

export const sourceTypes = ['command_set', 'text_description', 'requirements_doc', 'existing_skill'] as const;

export type SourceType = (typeof sourceTypes)[number];

const phase = z.looseObject({
  number: z.int().min(1),
  name: z.string().min(1),
  slug: z
    .string()
    .regex(
      /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
      'takes lower-case letters and digits, with single dashes between them',
    ),
  description: z.string().default(''),
  /** Text of a source about the phase, as written; it becomes a first step. */
  details: z.string().optional(),
  sourcePath: z.string().optional(),
  isConditional: z.boolean().default(false),
  condition: z.string().optional(),
  /** When the phase runs, in the words of a source that gives no expression. */
  runsWhen: z.string().optional(),
  /** The number that a source gives the phase, when it was converted. */
  sourceNumber: z.string().optional(),
  usesAgents: z.boolean().default(false),
  agentTypes: z.array(z.string()).default([]),
  todoWriteSubTasks: z.array(z.string()).default([]),
  outputVariables: z.array(z.string()).default([]),
  outputFiles: z.array(z.string()).default([]),
  /** Carries a sentinel; derived when absent (S-085). */
  guarded: z.boolean().optional(),
  /** Phase that this one hands over to directly, by reading its file. */
  handsOverTo: z.int().optional(),
  /** Written steps; without them the generator makes its own. */
  steps: z.array(z.looseObject({ title: z.string().min(1), body: z.string().min(1) })).optional(),
  /** Router: the mode and the triggers that lead here. */
  mode: z.string().optional(),
  triggers: z.array(z.string()).optional(),
});

const question = z.looseObject({
  key: z.string().regex(/^[A-Za-z_][\w]*$/, 'takes letters, digits and underscores'),
  question: z.string().min(1),
  header: z.string().min(1).max(12),
  options: z
    .array(z.looseObject({ label: z.string().min(1), description: z.string().default('') }))
    .min(2)
    .max(4),
  /** Label that switches the preference on; without it the chosen label itself is the value. */
  activeValue: z.string().optional(),
});

/** The one form between all sources and the generated package (S-030). Unknown keys are kept. */
export const workflowConfigSchema = z.looseObject({
  skillName: z
    .string()
    .regex(
      /^(?!-)(?!.*--)[a-z0-9-]{1,64}(?<!-)$/,
      'takes up to 64 lower-case letters and digits, with single dashes between them',
    ),
  title: z.string().min(1),
  description: z.string().min(1),
  /** Text of a source about the whole, as written; it follows the description. */
  introduction: z.string().optional(),
  triggers: z.array(z.string()).default([]),
  allowedTools: z.array(z.string()).default([]),
  /** Further lines of the frontmatter, as written. */
  frontmatter: z.string().optional(),
  profile: z.enum(['pipeline', 'router', 'loop']).default('pipeline'),
  source: z.looseObject({
    type: z.enum(sourceTypes),
    orchestratorPath: z.string().optional(),
    subCommandPaths: z.array(z.string()).default([]),
  }),
  phases: z.array(phase).min(1).max(99),
  dataFlow: z
    .array(
      z.looseObject({
        from: z.string().regex(/^(?:input|phase\d+)$/, 'takes input or phase1, phase2 and so on'),
        to: z.string().regex(/^phase\d+$/, 'takes phase1, phase2 and so on'),
        variables: z.array(z.string()),
      }),
    )
    .default([]),
  features: z.looseObject({
    hasAutoMode: z.boolean().default(false),
    hasConditionalPhases: z.boolean().default(false),
    hasTodoWriteSubTasks: z.boolean().default(false),
    hasPlanningNotes: z.boolean().default(false),
    hasPostPhaseUpdates: z.boolean().default(false),
    hasMemoryCompaction: z.boolean().default(false),
    hasUserDecisionGate: z.boolean().default(false),
  }),
  preferenceQuestions: z.array(question).default([]),
  errorRecovery: z.enum(['retry', 'rollback', 'report']).default('retry'),
  loop: z.looseObject({ until: z.string(), from: z.int(), limit: z.int().min(1) }).optional(),
});

export type WorkflowConfig = z.infer<typeof workflowConfigSchema>;
export type PhaseConfig = WorkflowConfig['phases'][number];
export type QuestionConfig = WorkflowConfig['preferenceQuestions'][number];

/** JSON Schema of the config, for editors and agents. */
export function workflowConfigJsonSchema(): unknown {
  return z.toJSONSchema(workflowConfigSchema, { io: 'input' });
}

/** S-025: the four kinds of phases people choose from, with what such a phase usually does. */
export const phaseKinds = {
  'session-init': {
    name: 'Session Init',
    description: 'Create the session folder and turn the request into GOAL, SCOPE and CONTEXT.',
    outputVariables: ['sessionId'],
    outputFiles: ['.workflow/{sessionId}/request.md'],
    agentTypes: [],
  },
  'context-gather': {
    name: 'Context Gather',
    description: 'Find the files, rules and earlier decisions that the request touches.',
    outputVariables: ['contextPath'],
    outputFiles: ['.workflow/{sessionId}/context.json'],
    agentTypes: ['context-search-agent'],
  },
  'process-transform': {
    name: 'Process Transform',
    description: 'Do the work on the gathered context and write the result.',
    outputVariables: ['resultPath'],
    outputFiles: ['.workflow/{sessionId}/result.md'],
    agentTypes: ['code-developer'],
  },
  'validate-review': {
    name: 'Validate Review',
    description: 'Check the result against the goal and report what holds and what does not.',
    outputVariables: ['verdict'],
    outputFiles: ['.workflow/{sessionId}/review.md'],
    agentTypes: ['general-purpose'],
  },
} as const satisfies Record<string, RoughPhase>;

export type PhaseKind = keyof typeof phaseKinds;

/** Phases for a wanted number: first, gather, work …, review. */
export function defaultPhases(count: number): RoughPhase[] {
  const {
    'session-init': first,
    'context-gather': gather,
    'process-transform': work,
    'validate-review': last,
  } = phaseKinds;
  if (count <= 1) return [copy(work)];
  if (count === 2) return [copy(gather), copy(last)];
  const middle = Array.from({ length: count - 3 }, (_, index): RoughPhase => {
    if (index === 0) return copy(work);
    const name = `Process Transform ${index + 1}`;
    return {
      ...copy(work),
      name,
      outputVariables: [`resultPath${index + 1}`],
      outputFiles: [`.workflow/{sessionId}/result-${index + 1}.md`],
    };
  });
  return [copy(first), copy(gather), ...middle, copy(last)];
}

function copy(phase: (typeof phaseKinds)[PhaseKind]): RoughPhase {
  const { name, description, outputVariables, outputFiles, agentTypes } = phase;
  return {
    name,
    description,
    outputVariables: [...outputVariables],
    outputFiles: [...outputFiles],
    agentTypes: [...agentTypes],
  };
}
