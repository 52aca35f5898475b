import type { Price } from '../../engine/ledger.ts';
import type { Assignment } from '../../plan/tasks/executor.ts';
import type { LitePlanFiles } from '../../plan/tasks/plan-files.ts';
import type { RunInputs } from '../create-run.ts';
import type { Preferences } from './rules/preferences.ts';

/** What you chose about execution (P-081), also as text (P-071). */
export type Selection = {
  execution: string;
  review: string;
  assignments: Readonly<Record<string, Assignment>>;
};

/** What `lite-plan` and `lite-execute` were asked to do, settled before the run starts. */
export type LiteInputs = RunInputs & {
  mode: 'plan' | 'execute';
  task: string;
  session: string;
  flags: Preferences;
  baseCommit: string;
  /** Design documents and project rules, by whom they are for. */
  briefs: { plan?: string; execute?: string; review?: string };
  /** Characters of the files that the task names. */
  expectedReading: number;
  /** Flags that take a question away. */
  executor?: string;
  review?: string;
  planOnly: boolean;
  consented: boolean;
  /** Configured agents whose program was not installed when the run was created. */
  absent?: string[];
  /** Batches at the same time, tasks in one batch. */
  cap: number;
  tasksPerBatch: number;
  /** Whether a good result goes to the current branch. */
  merge: boolean;
  acceptDrift: boolean;
  /** Configured prices; they override the list. */
  prices?: Readonly<Record<string, Price>>;
  /** P-111: dependencies that were dropped so that tasks in a circle have an order. */
  droppedDependencies?: { id: string; dependency: string }[];
  /** `lite-execute`: the plan to execute, and its source. */
  files?: LitePlanFiles;
  /** P-071: the agents that the task text assigned when the plan was made. */
  assignments?: Readonly<Record<string, Assignment>>;
  /** P-014: an unused handoff was confirmed once; do not ask again. */
  handoff?: Omit<Selection, 'assignments'> & {
    /** Whether the plan was made in auto mode. */
    auto: boolean;
    /** Its path; the run that uses it marks it. */
    file: string;
    clarifications?: Record<string, string>;
  };
};
