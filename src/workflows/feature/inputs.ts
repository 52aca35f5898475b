import type { AuthoredKey } from '../../prompts/author.ts';
import type { Transport } from '../../prompts/compile.ts';
import type { RoleOverrides } from '../../prompts/roles/table.ts';
import type { RunInputs } from '../create-run.ts';
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

/** Inputs of every feature command that calls agents. */
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
  /** --max: rounds per reviewer. */
  max?: number;
  /** T-034: what roles must read instead of their default list. */
  artifacts: RoleOverrides;
  skipped: readonly Phase[];
  agentSeconds: number;
  /** You already agreed to the agent calls. */
  consented: boolean;
};

/** A phase that writes documents. */
export type FeaturePhaseInputs = FeatureInputs & {
  phase: DocumentPhase;
  description?: string;
  brief?: string;
  /** T-050: two researchers work before the design is written. */
  research: boolean;
  /** The result of a design panel, as material for the author. */
  panel?: { run: string; text: string };
  /** T-122: plan and tasks in one loop with one counter. */
  combined: boolean;
  /** T-091: revisions are committed. */
  commit: boolean;
};

/** The phase that writes code. */
export type FeatureImplementInputs = FeatureInputs & {
  phase: 'implement';
  /** Unattended: the circuit breaker ends the run. */
  autonomous: boolean;
  /** Implements no task; reviews the files that the log names. */
  reviewOnly: boolean;
  /** T-134: the most parallel tasks. */
  tasksAtOnce: number;
  simplify: boolean;
  deepen: boolean;
  /** Merges an approved result into your branch. */
  merge: boolean;
};
