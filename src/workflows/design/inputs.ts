import type { Config } from '../../base/schema/config.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { StepPrefix } from '../../council/breadcrumbs.ts';
import type { NumberedDecision } from '../../council/decisions.ts';
import type { Health } from '../../council/health.ts';
import type { OutOfScopeEntry, ReviewOutcome } from '../../council/outcome-files.ts';
import type { PanelSpec, SketchCount } from '../../council/panels.ts';
import { type Resolution, renderVoted } from '../../council/resolutions.ts';
import type { Table } from '../../council/seating.ts';
import type { Price } from '../../engine/ledger.ts';
import type { DecidedPoint } from '../../plan/grounding/grounding.ts';
import type { RunInputs } from '../create-run.ts';
import type { Caller } from './caller.ts';
import type { Estimate } from './depth.ts';
import type { Entry } from './entry.ts';

/** What `design` was asked to do, settled before the run starts and kept in run.json. */
export type DesignInputs = RunInputs & {
  feature: string;
  auto: boolean;
  quick: boolean;
  subagent: boolean;
  panel: string;
  /** The seats of a panel of the configuration, as they were when the run started. */
  seats?: PanelSpec;
  /** L-008: what a caller puts before step numbers and names. */
  prefix: StepPrefix;
  dialectic: 'off' | 'advisory' | 'binding';
  /** C-22: both sides of a decision by one agent, or by two. */
  debates: 'bucket' | 'diagonal';
  sketches: SketchCount;
  reviewRounds: 1 | 2;
  padding: boolean;
  rules?: Config['rules'];
  /** Shortens every call's time limit. */
  agentSeconds?: number;
  author?: string;
  baseCommit?: string;
  /** The repository as the run found it. */
  entry?: Entry;
  /** The packed design context; absent when there is none. */
  brief?: string;
  /** The same for the planner and the reviewers: other project specs apply to them. */
  briefs?: { plan?: string; review?: string };
  branch: boolean;
  /** C-28: what becomes of a branch that is about something else. Default: you are asked, else it is kept. */
  unrelatedBranch?: 'keep' | 'leave';
  /** A plan of an earlier run that a person changed or commented. */
  edited?: { plan: Plan; comment?: string };
  caller?: Caller;
  /** Consent was given beforehand, by flag or configuration. */
  consented: boolean;
  estimate: Estimate;
  budget: { maxTokens?: number; maxUsd?: number };
  /** The project's own prices, for what agents do not report in money. */
  prices?: Readonly<Record<string, Price>>;
  /** Where the deliverables are copied to as well. */
  out?: string;
};

/** The rules of the panel, as the configuration or the default has them. */
export function rulesOf({ rules }: Pick<DesignInputs, 'rules'>): Required<NonNullable<Config['rules']>> {
  return {
    health: 'after-failed-reprobe',
    exonerate: true,
    outOfScopeScoring: 'reward-only',
    ...rules,
  };
}

/** What the panel made of a commission: all that later steps build on. */
export type Deliberation = {
  table: SeatedTable;
  decisions: NumberedDecision[];
  resolutions: Resolution[];
  plan: Plan;
  review: Review;
  /** C-37 */
  revisedAfterReview: boolean;
};

/** The seats at this point of the run, and the agents that are up. */
export type SeatedTable = Table & {
  health: Health;
  /** The agents of the panel that was announced. */
  announced: string[];
};

/** What the review of the plan came to, over all rounds. */
export type Review = ReviewOutcome & {
  /** Observations about security, which must not be published. */
  held: OutOfScopeEntry[];
  /** In-scope findings that were voted on. */
  raised: number;
  /** Accepted blocking findings that the revision did not deal with. */
  blocking: string[];
};

/** What the dialectic decided, as far as the plan is held to it: advice is mentioned, not enforced. */
export function decidedPoints(
  inputs: Pick<DesignInputs, 'dialectic'>,
  { decisions, resolutions }: Pick<Deliberation, 'decisions' | 'resolutions'>,
  accepted: readonly { id: string }[] = [],
): DecidedPoint[] {
  return resolutions.map(({ number, title, resolution, disposition }) => {
    const decision = decisions.find((each) => each.number === number);
    return {
      number,
      title,
      resolution,
      disposition: disposition === 'voted' && inputs.dialectic !== 'binding' ? 'advised' : disposition,
      ...(decision === undefined
        ? {}
        : {
            overruled: resolution === decision.chosen ? decision.alternative : decision.chosen,
            affectedFiles: decision.affectedFiles,
          }),
      accepted: accepted.map(({ id }) => id),
    };
  });
}

/** The voted resolutions that the plan must follow, as prompts show them; empty when none binds. */
export function bindingText(
  inputs: Pick<DesignInputs, 'dialectic'>,
  resolutions: readonly Resolution[],
): string {
  return inputs.dialectic === 'binding' ? renderVoted(resolutions) : '';
}
