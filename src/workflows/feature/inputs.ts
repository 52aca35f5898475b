import type { GateMode } from '../../feature/gate.ts';
import type { Phase } from '../../feature/phases.ts';
import type { AuthoredKey } from '../../prompts/author/write.ts';
import type { Transport } from '../../prompts/compile.ts';
import type { RunInputs } from '../inputs.ts';

/** Phases that write one document and have it reviewed. */
export const documentPhases = {
  specify: 'spec',
  design: 'design',
  'create-plan': 'plan',
  'create-tasks': 'tasks',
} as const satisfies Partial<Record<Phase, AuthoredKey>>;

export type DocumentPhase = keyof typeof documentPhases;

/** Everything a phase of a feature needs to know before it starts. */
export type FeaturePhaseInputs = RunInputs & {
  phase: DocumentPhase;
  /** Absolute: the feature directory. */
  directory: string;
  description?: string;
  brief?: string;
  /** Agents by id. */
  author: string;
  reviewer: string;
  transport: Transport;
  gate: GateMode;
  skipped: readonly Phase[];
  agentSeconds: number;
  /** Consent to call the agents was given beforehand. */
  consented: boolean;
};
