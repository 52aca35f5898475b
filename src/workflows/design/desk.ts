import { CharretteError } from '../../base/errors.ts';
import type { Config } from '../../base/schema/config.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { JudgementName } from '../../base/schema/judgements.ts';
import { formatElapsed } from '../../base/text/strings.ts';
import {
  endLine,
  type StatusTable,
  type Step,
  type StepPrefix,
  startLine,
  stepOrder,
} from '../../council/breadcrumbs.ts';
import { type Call, CouncilRun, type Reply, type Seat, type TimeLimit } from '../../council/council.ts';
import type { NumberedDecision } from '../../council/decisions.ts';
import { type Health, noteFamilies } from '../../council/health.ts';
import type { OutOfScopeEntry, ReviewOutcome } from '../../council/outcome-files.ts';
import type { PanelSpec, SketchCount } from '../../council/panels.ts';
import { type Resolution, renderVoted } from '../../council/resolutions.ts';
import { ruleBasedMark } from '../../council/rule-based/wording.ts';
import type { Table } from '../../council/seating.ts';
import type { Price } from '../../engine/ledger.ts';
import type { DecidedPoint } from '../../plan/grounding/grounding.ts';
import type { Boundary } from '../../repo/git/tree-probe.ts';
import type { RunInputs } from '../create-run.ts';
import { askBudget, totalUsage } from '../permission.ts';
import type { Caller } from './caller.ts';
import type { Estimate } from './depth.ts';
import type { Entry } from './step-1-branch.ts';
import { guardTree, noteSeen } from './tree.ts';

/** A council that designs: it prints the lines of the steps, watches the working tree and keeps to a budget. */
export class Desk<Inputs extends DesignInputs = DesignInputs> extends CouncilRun<Inputs> {
  readonly warnings: string[] = [];
  /** L-429: calls since the last check of the tree. */
  #called: string[] = [];
  protected override phase: Step = '0';

  /** L-033: opens a step. */
  begin(step: Step, payload?: string): void {
    this.open(step, startLine(step, this.inputs.prefix, payload));
  }

  /** L-034: a step ends with a line only when there is something to say. */
  end(payload?: string): void {
    const { elapsedMs, phase, inputs } = this;
    this.close(payload === undefined ? undefined : endLine('done', phase, payload, elapsedMs, inputs.prefix));
  }

  skip(payload: string): void {
    const { elapsedMs, phase, inputs } = this;
    const line = endLine('skip', phase, payload, elapsedMs, inputs.prefix);
    this.context.emit({ type: 'phase-skip', phase, elapsedMs, line });
  }

  /** L-845: warnings are printed at once and again at the end. */
  override warn(text: string): void {
    this.warnings.push(text.startsWith('**') ? text : `**⚠ ${text}**`);
    super.warn(text);
  }

  /** L-046, L-047: bodies are printed unless a caller reads the files. */
  show(heading: string, text: string): void {
    if (this.inputs.caller !== undefined) return;
    const made = this.isRuleBased ? `${heading} (${ruleBasedMark})` : heading;
    this.context.emit({ type: 'body', heading: made, text });
  }

  /** No model had a say: everything that is shown is headed so. */
  get isRuleBased(): boolean {
    return [...this.services.agents.values()].every(({ family }) => family === 'static');
  }

  override async ask<Name extends JudgementName>(
    limit: TimeLimit,
    calls: readonly Call<Name>[],
    table?: StatusTable,
  ): Promise<Reply<Name>[]> {
    const filled = calls.filter(([seat]) => seat.agents.length > 0);
    await this.#checkBudget(filled.length);
    this.#called.push(...filled.map(([, { key }]) => key));
    return super.ask(limit, calls, table);
  }

  protected override facts(own: Readonly<Record<string, unknown>>, { stance = 'generic' }: Seat) {
    const { feature, baseCommit } = this.inputs;
    return { ...own, feature, stance, baseCommit };
  }

  /** Compares the families that answered a round with those that were announced for it. */
  compareFamilies(
    verb: 'reviewed' | 'voted',
    announced: readonly (string | undefined)[],
    answered: readonly (string | undefined)[],
    round = 1,
  ): void {
    const familiesOf = (agents: readonly (string | undefined)[]) =>
      agents.flatMap((agent) => this.services.agents.get(agent ?? '')?.family ?? []);
    noteFamilies(this.context.degraded, verb, {
      announced: familiesOf(announced),
      answered: familiesOf(answered),
      // Later rounds ask only those who found something.
      needed: round === 1 ? this.inputs.seats?.quorum?.families : undefined,
    });
  }

  /** The command that starts such a run. */
  protected readonly command: string = 'design';

  protected override get agentSeconds(): number | undefined {
    return this.inputs.agentSeconds;
  }

  /** `--from-step`: what lies before it may come from the earlier run. */
  protected override get mayReuse(): boolean {
    const { fromStep } = this.inputs;
    return fromStep === undefined || stepOrder.indexOf(this.phase) < stepOrder.indexOf(fromStep as Step);
  }

  /**
   * L-420…L-428, C-11: the tree must be as it was before agents ran; if not, you decide, whatever --auto says.
   * L-425: every collection asks once; a second round is a new collection, which no earlier answer covers.
   */
  override async checkTree(boundary: Boundary, round = 1): Promise<void> {
    const { entry, project } = this.inputs;
    const lanes = this.#called;
    this.#called = [];
    if (entry === undefined) return;
    await guardTree(this, project, entry, boundary, lanes, round);
    await this.context.step(`tree seen after ${boundary}`, () => noteSeen(this.context.live.directory));
  }

  /** A limit on tokens or money pauses the run with a question instead of killing it. */
  async #checkBudget(calls: number): Promise<void> {
    const { phase, inputs } = this;
    const { maxTokens, maxUsd } = inputs.budget;
    const isOver = await askBudget(this, {
      step: `budget before ${phase} (${calls} calls)`,
      id: `budget-${phase}`,
      spent: () => this.#spent(),
      detail: `Limits: ${maxTokens ?? 'no'} tokens, ${maxUsd === undefined ? 'no money limit' : `$${maxUsd}`}. Next: step ${phase} with ${calls} calls.`,
    });
    if (!isOver) return;
    throw new CharretteError({
      code: 'budget-used-up',
      message: `Stopped at step ${phase}: the budget is used up.`,
      fix: `Start again with a higher limit: \`charrette ${this.command} --from-run ${this.context.live.directory.id} --max-${maxTokens === undefined ? 'usd' : 'tokens'} N${this.command === 'design' ? ' "…"' : ''}\` reuses every finished answer.`,
    });
  }

  #spent() {
    const { ledger, directory } = this.context.live;
    return totalUsage([{ lanes: directory.lanes, entries: ledger.entries }], this.inputs);
  }

  /** Time since the step began, as its lines write it. */
  elapsed(): string {
    return formatElapsed(this.elapsedMs);
  }
}

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
