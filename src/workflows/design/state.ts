import type { Config } from '../../base/schema/config.ts';
import type { Sketch, Synthesis } from '../../base/schema/judgements/design.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { StepPrefix } from '../../council/breadcrumbs.ts';
import type { Bucket } from '../../council/debate.ts';
import type { NumberedDecision } from '../../council/decisions.ts';
import type { RunAvailability } from '../../council/health.ts';
import { readAccepted } from '../../council/outcome-files.ts';
import type { Chair, SketchCount } from '../../council/panels.ts';
import type { Resolution } from '../../council/resolutions.ts';
import { renderVoted } from '../../council/resolutions-text.ts';
import type { Price } from '../../engine/prices.ts';
import type { DecidedPoint } from '../../plan/grounding/decisions.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import type { Stance } from '../../prompts/panel/sketch.ts';
import type { RunInputs } from '../inputs.ts';
import type { Caller } from './caller.ts';
import type { Estimate } from './depth.ts';
import type { Entry } from './entry.ts';

/** What `design` was asked to do, settled before the run starts and kept in run.json. */
export type DesignInputs = RunInputs & {
  feature: string;
  auto: boolean;
  quick: boolean;
  subagent: boolean;
  panel: 'diagonal' | 'wide' | 'pair' | 'solo';
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
  /** C-28: what becomes of a branch that is about something else. Absent: a person is asked, else it is kept. */
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

/** What the dialectic decided, as far as the plan is held to it: advice is mentioned, not enforced. */
export function decidedPoints(
  inputs: Pick<DesignInputs, 'dialectic'>,
  {
    resolutions = [],
    decisions = [],
    acceptedText = '',
  }: Pick<Design, 'resolutions' | 'decisions' | 'acceptedText'>,
): DecidedPoint[] {
  const accepted = readAccepted(acceptedText).map(({ id }) => id);
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
      accepted,
    };
  });
}

/** The voted resolutions that the plan must follow, as prompts show them; empty when none binds. */
export function bindingText(inputs: Pick<DesignInputs, 'dialectic'>, { resolutions = [] }: Design): string {
  return inputs.dialectic === 'binding' ? renderVoted(resolutions) : '';
}

/** A place at the table and who may take it, the first choice first. Nobody in `agents`: it stays empty. */
export type Place = {
  id: string;
  label: string;
  stance: Stance;
  agents: string[];
  /** Whom it is meant for, whoever may take it (L-042). */
  owner: string;
  output?: string;
  /** Of judges and voters. */
  chair?: Chair;
  /** L-207: somebody else than the author is asked, and asked for the most it can do. */
  outside?: boolean;
};

export type PanelSeats = {
  sketch: Place[];
  review: Place[];
  judges: Place[];
  voters: Place[];
  author: Place;
  buckets: Bucket[];
};

export type SeatSketch = { seat: Place; agent: string; family: string; sketch: Sketch };

/** Everything known so far; each step adds to it. */
export type Design = {
  commission: Commission;
  sketches?: SeatSketch[];
  synthesis?: Synthesis;
  synthesisText?: string;
  decisions?: NumberedDecision[];
  resolutions?: Resolution[];
  resolutionsText?: string;
  plan?: Plan;
  planText?: string;
  health?: RunAvailability;
  acceptedText?: string;
  rejectedText?: string;
  outOfScopeText?: string;
  /** Observations that must not be published. */
  heldText?: string;
  findingsRaised?: number;
  /** C-37 */
  revisedAfterReview?: boolean;
  diagram?: 'ok' | 'rejected' | 'generation-failed' | 'skipped';
  /** Accepted blocking findings that the revision did not deal with. */
  blocking?: string[];
  planErrors?: number;
  /** Voted decisions that the final plan does not follow. */
  unfollowed?: string[];
  /** Warnings of the heavy phase, said again at the end. */
  warnings?: string[];
  /** False when a caller waited for the manifest and it could not be written. */
  exported?: boolean;
};

/** A part of the design that an earlier step must have made. */
export function known<Key extends keyof Design>(design: Design, key: Key): NonNullable<Design[Key]> {
  const value = design[key];
  if (value === undefined || value === null) throw new Error(`The step that makes \`${key}\` has not run.`);
  return value;
}
