import { z } from 'zod';
import type { Price } from '../../engine/ledger.ts';
import type { RunInputs } from '../create-run.ts';
import type { ScriptText } from './messages.ts';

export const accessNames = ['read', 'branch', 'here'] as const;
/** W-130: agents read; write on a branch of the run; or write in the project itself. */
export type ScriptAccess = (typeof accessNames)[number];

/** How a model that a file names is answered here (W-121). */
export const modelTargetSchema = z.union([
  z.string().min(1),
  z.strictObject({ agent: z.string().min(1), model: z.string().optional(), effort: z.string().optional() }),
]);
export type ModelTarget = z.infer<typeof modelTargetSchema>;

/** An agent type of `.claude/agents` or `.charrette/agents` (W-125). */
export type AgentType = {
  role: string;
  access: 'read' | 'write';
  model?: string;
  effort?: string;
  file: string;
};

/** A workflow file as it was when the run was made (W-100). */
export type ScriptCopy = ScriptText & { digest: string };

/** What `charrette run` was asked to do. */
export type ScriptInputs = RunInputs & {
  /** How the file was named, for people. */
  name: string;
  script: ScriptCopy;
  /** Workflows that the file names, by that name. */
  children: Record<string, ScriptCopy>;
  agentTypes: Record<string, AgentType>;
  args?: unknown;
  access?: ScriptAccess;
  recommendedAccess: ScriptAccess;
  models: Record<string, ModelTarget>;
  tiers: Record<string, ModelTarget>;
  strictModels: boolean;
  /** With `fromRun`: only the calls before the first one that is new are reused. */
  prefix: boolean;
  /** Output tokens that the script may spend (W-022). */
  budgetTokens?: number;
  /** Of file, children and agent types together. */
  digest: string;
  /** The code needs no consent: it is your own, or its digest was allowed before. */
  trusted: boolean;
  consented: boolean;
  baseCommit?: string;
  agentSeconds?: number;
  prices?: Readonly<Record<string, Price>>;
  budget: { maxTokens?: number; maxUsd?: number };
  /** What the consent question shows. */
  about: { description: string; phases: string[]; calls: number; loops: number; source: string };
};
