import type { AuthoredKey } from '../../prompts/author/write.ts';
import type { Transport } from '../../prompts/compile.ts';
import type { RoleOverrides } from '../../prompts/roles/table.ts';
import type { RunInputs } from '../inputs.ts';
import type { GateMode } from './rules/gate.ts';
import type { Phase } from './rules/phases.ts';

/** Phases that write one document and have it reviewed. */
export const documentPhases = {
  specify: 'spec',
  design: 'design',
  plan: 'plan',
  tasks: 'tasks',
} as const satisfies Partial<Record<Phase, AuthoredKey>>;

export type DocumentPhase = keyof typeof documentPhases;

/** What every command about a feature that calls agents needs to know before it starts. */
export type FeatureInputs = RunInputs & {
  phase: Phase;
  /** Absolute: the feature directory. */
  directory: string;
  /** Agents by id. */
  author: string;
  reviewer: string;
  transport: Transport;
  /** lean/C-05: a document under review goes into the prompt up to this many characters, else by reference. */
  inlineUpTo?: number;
  gate: GateMode;
  /** Rounds at most, where somebody set them. */
  max?: number;
  /** T-034: what roles must read instead of their usual list. */
  artifacts: RoleOverrides;
  skipped: readonly Phase[];
  agentSeconds: number;
  /** Consent to call the agents was given beforehand. */
  consented: boolean;
};

/** A phase that writes documents. */
export type FeaturePhaseInputs = FeatureInputs & {
  phase: DocumentPhase;
  description?: string;
  brief?: string;
  /** T-050: two researchers look around before the design is written. */
  research: boolean;
  /** What a design panel came to, as material for the author. */
  panel?: { run: string; text: string };
  /** T-122: plan and tasks in one loop with one counter. */
  combined: boolean;
  /** T-091: revisions are committed. */
  commit: boolean;
};

/** The phase that writes code. */
export type FeatureImplementInputs = FeatureInputs & {
  phase: 'implement';
  /** Nobody can be asked: the circuit breaker ends the run. */
  autonomous: boolean;
  /** No task is carried out; what the log names is reviewed. */
  reviewOnly: boolean;
  /** T-134: tasks side by side at most. */
  tasksAtOnce: number;
  simplify: boolean;
  deepen: boolean;
  /** Whether a good result goes on the person's branch. */
  merge: boolean;
};
