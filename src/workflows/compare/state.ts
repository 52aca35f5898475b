import type { CompareTask } from '../../council/compare/task-file.ts';
import type { Price } from '../../engine/prices.ts';
import type { DesignInputs } from '../design/state.ts';
import type { RunInputs } from '../inputs.ts';

/** What `compare` was asked to do; both designs of every task are settled before anything runs. */
export type CompareInputs = RunInputs & {
  tasks: (CompareTask & { solo: DesignInputs; panel: DesignInputs })[];
  /** Name of the panel's depth, for the report. */
  depth: string;
  baseCommit: string;
  /** What was untracked or changed before any agent ran. */
  tree: { untracked?: string[] | undefined; changed: string[] };
  consented: boolean;
  /** A person said beforehand that the cost is all right. */
  confirmed: boolean;
  estimate: DesignInputs['estimate'];
  budget: DesignInputs['budget'];
  agentSeconds?: number;
  prices?: Readonly<Record<string, Price>>;
};
