// Types of workflow files: `import type { Workflow } from 'charrette/workflow'` for the form with a default function, and the same
// names as globals for the bare form: `/// <reference types="charrette/workflow" />`.

/** What a workflow file says of itself: plain values, first in the file. */
export type WorkflowMeta = {
  name: string;
  description: string;
  whenToUse?: string;
  phases?: { title: string; detail?: string; model?: string }[];
};

export type JsonSchema = { [key: string]: unknown };
export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export type CallOptions = {
  /** What the call is called in lists. */
  label?: string;
  /** The group it is shown in; inside fan-outs safer than `phase()`. */
  phase?: string;
  /** A model, found as the configuration says. */
  model?: string;
  effort?: Effort;
  /** An agent type of `.claude/agents` or `.charrette/agents`. */
  agentType?: string;
  /** A checkout of its own; needs `--access branch` or `here`. */
  isolation?: 'worktree';
  /** Milliseconds without a sign of work after which the call counts as stuck. */
  stallMs?: number;
  /** An agent of the run by its name. */
  agent?: string;
};

export type Answer<T = string> = { seat: string; agent: string; family: string; value: T };
export type Missing = { seat: string; agent: string; reason: string };

/** `winner`: an index, or `null` without a decision. */
export type Verdict = {
  winner: number | null;
  reason: string;
  votes: { judge: string; choice: number | null; reason: string }[];
};

export type Tally<T> = {
  accepted: T[];
  rejected: T[];
  undecided: T[];
  tally: { item: number; yes: number; no: number; needed: number }[];
};

export type AskOptions = {
  /** The name for `--answers`; default: its place in the file. */
  id?: string;
  detail?: string;
  options?: (string | { value: string; label?: string })[];
  /** What `--yes` takes. */
  recommended?: string;
};

type Stage<Previous, Item, Result> = (
  previous: Previous,
  item: Item,
  index: number,
) => Result | Promise<Result>;

/** All globals of a workflow file. */
export interface Workflow<Args = unknown> {
  readonly args: Args | undefined;
  /** Output tokens: `total` is `null` without `--budget`. */
  readonly budget: { readonly total: number | null; spent(): number; remaining(): number };

  /** Calls one agent. `null`: it failed permanently, or was stopped. */
  agent<T extends object>(prompt: string, options: CallOptions & { schema: JsonSchema }): Promise<T | null>;
  agent(prompt: string, options?: CallOptions): Promise<string | null>;
  /** Runs all at once; one that throws gives `null`. */
  parallel<T>(functions: (() => T | Promise<T>)[]): Promise<(T | null)[]>;
  /** Takes each item through the stages at its own pace; a stage that throws makes the item `null`. */
  pipeline<Item, A>(items: readonly Item[], a: Stage<Item, Item, A>): Promise<(A | null)[]>;
  pipeline<Item, A, B>(
    items: readonly Item[],
    a: Stage<Item, Item, A>,
    b: Stage<A, Item, B>,
  ): Promise<(B | null)[]>;
  pipeline<Item, A, B, C>(
    items: readonly Item[],
    a: Stage<Item, Item, A>,
    b: Stage<A, Item, B>,
    c: Stage<B, Item, C>,
  ): Promise<(C | null)[]>;
  pipeline<Item>(items: readonly Item[], ...stages: Stage<never, Item, unknown>[]): Promise<unknown[]>;
  /** Runs another workflow file, one level deep. */
  workflow<T = unknown>(target: string | { scriptPath: string }, args?: unknown): Promise<T>;

  /** Asks several seats, of different families where possible. Throws below `quorum`. */
  panel<T = string>(
    prompt: string,
    options?: CallOptions & {
      seats?: number | string[];
      agents?: string[];
      quorum?: number;
      schema?: JsonSchema;
    },
  ): Promise<{ answers: Answer<T>[]; missing: Missing[] }>;
  /** Two defences, then blind judges in both orders. */
  debate(
    decision: string,
    sides: { for: string; against: string; rounds?: 1 | 2; judges?: number; phase?: string },
  ): Promise<Verdict & { defences: [string, string] }>;
  /** Blind judges choose; two must agree and more need a majority. */
  judge(
    candidates: readonly unknown[],
    options: { criteria: string; judges?: number; phase?: string },
  ): Promise<Verdict>;
  /** Voters say YES or NO to each item; the program counts. */
  vote<T>(
    items: readonly T[],
    options: {
      question: string;
      voters?: number;
      need?: 'majority' | 'two-thirds' | 'all';
      phase?: string;
    },
  ): Promise<Tally<T>>;
  /** Pauses the run and asks you. */
  ask(question: string, options?: AskOptions): Promise<string>;
  /** Puts text of others between marks that it cannot close. */
  quote(value: unknown, title?: string): string;

  phase(title: string): void;
  log(...values: unknown[]): void;
}

declare global {
  const args: unknown;
  const budget: Workflow['budget'];
  const agent: Workflow['agent'];
  const parallel: Workflow['parallel'];
  const pipeline: Workflow['pipeline'];
  const workflow: Workflow['workflow'];
  const panel: Workflow['panel'];
  const debate: Workflow['debate'];
  const judge: Workflow['judge'];
  const vote: Workflow['vote'];
  const ask: Workflow['ask'];
  const quote: Workflow['quote'];
  const phase: Workflow['phase'];
  const log: Workflow['log'];
}
