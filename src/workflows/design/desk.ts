import type { JsonSchema } from '../../agents/port.ts';
import { CharretteError } from '../../base/errors.ts';
import { type Judgement, type JudgementName, judgementJsonSchema } from '../../base/schema/judgements.ts';
import { formatElapsed } from '../../base/text/format.ts';
import {
  endLine,
  type StatusTable,
  type Step,
  startLine,
  statusLine,
  stepOrder,
} from '../../council/breadcrumbs.ts';
import type { PanelTaskInput } from '../../council/rule-based/task-input.ts';
import { ruleBasedMark } from '../../council/rule-based/wording.ts';
import { scaledTimeout, type TimeoutFamily, timeouts } from '../../council/timeouts.ts';
import { uncounted } from '../../engine/costs.ts';
import type { WorkflowContext, WorkflowDefinition } from '../../engine/workflow.ts';
import { compose } from '../../prompts/compose.ts';
import type { PromptDraft } from '../../prompts/part.ts';
import { seededNonce } from '../../prompts/untrusted.ts';
import type { LaneAnswer, LaneRequest } from '../lane.ts';
import { writeQuestion } from '../lane-files.ts';
import type { RunServices } from '../services.ts';
import { describeSpent, spentSoFar } from '../spent.ts';
import type { DesignInputs, Place } from './state.ts';

/** Silence for this long ends a call before its wall-clock limit does. */
const idleMs = 600_000;

export type Request<Name extends JudgementName> = {
  seat: Place;
  lane: string;
  task: string;
  judgement: Name;
  draft: (schema: JsonSchema, maximumEffort: boolean) => PromptDraft;
  /** The same as data, for agents that live in this process. */
  input: Omit<PanelTaskInput, 'feature'>;
};

export type Reply<Name extends JudgementName> = LaneAnswer & { value?: Judgement<Name> };

/** Where a step of the design works: it can ask seats, write artifacts and say what it does. */
export class Desk {
  readonly context: WorkflowContext;
  readonly services: RunServices;
  readonly inputs: DesignInputs;
  readonly #lane: WorkflowDefinition<LaneRequest, LaneAnswer>;
  readonly warnings: string[] = [];
  /** L-429: lanes that were at work since the tree was looked at last. */
  atWork: string[] = [];
  #saidUncounted = false;
  #step: Step = '0';
  #started = 0;

  constructor(
    context: WorkflowContext,
    lane: WorkflowDefinition<LaneRequest, LaneAnswer>,
    services: RunServices,
    inputs: DesignInputs,
  ) {
    this.context = context;
    this.#lane = lane;
    this.services = services;
    this.inputs = inputs;
  }

  /** L-033: opens a step; its time runs from the first time this line was said. */
  begin(step: Step, payload?: string): void {
    this.#step = step;
    const line = startLine(step, this.inputs.prefix, payload);
    this.#started = Date.parse(this.context.emit({ type: 'phase-start', phase: step, line }).time);
  }

  /** L-034: a step ends with a line only when there is something to say. */
  end(payload?: string): void {
    const elapsedMs = this.#elapsed();
    const said =
      payload === undefined
        ? {}
        : { line: endLine('done', this.#step, payload, elapsedMs, this.inputs.prefix) };
    this.context.emit({ type: 'phase-end', phase: this.#step, elapsedMs, ...said });
  }

  skip(payload: string): void {
    const elapsedMs = this.#elapsed();
    const line = endLine('skip', this.#step, payload, elapsedMs, this.inputs.prefix);
    this.context.emit({ type: 'phase-skip', phase: this.#step, elapsedMs, line });
  }

  /** L-845: warnings are said at once and again at the end. */
  warn(text: string): void {
    this.warnings.push(text.startsWith('**') ? text : `**⚠ ${text}**`);
    this.context.emit({ type: 'warning', phase: this.#step, text });
  }

  note(text: string): void {
    this.context.emit({ type: 'note', phase: this.#step, text });
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

  /** L-204: asks all seats at the same time and waits for every one. L-043: the table is said at launch and at the end. */
  async ask<Name extends JudgementName>(
    family: TimeoutFamily,
    requests: readonly Request<Name>[],
    table?: StatusTable,
  ): Promise<Reply<Name>[]> {
    const filled = requests.filter(({ seat }) => seat.agents.length > 0);
    await this.#checkBudget(filled.length);
    const children = filled.map((request) => ({ key: request.lane, input: this.#enqueue(family, request) }));
    if (table !== undefined && requests.length > 0) {
      this.note(
        statusLine(
          table,
          requests.map(({ seat }) => ({
            label: seat.label,
            status: { state: seat.agents.length > 0 ? 'pending' : 'skipped' },
          })),
        ),
      );
    }
    this.atWork.push(...children.map(({ key }) => key));
    const answers = (await this.context.children(this.#lane, children)) as Reply<Name>[];
    const byLane = new Map(answers.map((answer) => [answer.lane, answer]));
    const replies = requests.map((request) => byLane.get(request.lane) ?? emptySeat<Name>(request));
    if (table !== undefined && requests.length > 0) {
      const statuses = replies.map((reply, index) => ({
        label: requests[index]?.seat.label ?? '',
        status:
          reply.agent === ''
            ? ({ state: 'skipped' } as const)
            : ({ state: reply.kind === 'ok' ? 'done' : 'failed', elapsedMs: reply.elapsedMs } as const),
      }));
      this.note(statusLine(table, statuses));
    }
    return replies;
  }

  #enqueue<Name extends JudgementName>(family: TimeoutFamily, request: Request<Name>): LaneRequest {
    const { seat, lane, task, judgement, draft } = request;
    const schema = judgementJsonSchema(judgement);
    const run = this.context.live.directory;
    const prompt = compose(draft(schema, seat.outside === true), {
      nonce: seededNonce(this.services.nonceSeed),
      overrides: this.services.overrides,
    });
    const input = {
      ...request.input,
      feature: this.inputs.feature,
      stance: seat.stance,
      baseCommit: this.inputs.baseCommit,
    };
    const digest = writeQuestion(run.lanes, lane, { prompt: prompt.text, input });
    this.context.emit({
      type: 'lane-queue',
      lane,
      task,
      seat: seat.id,
      label: seat.label,
      phase: this.#step,
    });
    const limit = this.inputs.agentSeconds ?? timeouts[family].agentSeconds;
    const wallMs = scaledTimeout(family, limit).agentSeconds * 1000;
    return {
      lane,
      phase: this.#step,
      task,
      seat: seat.id,
      agents: seat.agents,
      judgement,
      wallMs,
      idleMs,
      reuse: this.#mayReuse(),
      digest,
    };
  }

  /** `--from-step`: what lies before it may come from the earlier run. */
  #mayReuse(): boolean {
    const { fromStep } = this.inputs;
    return fromStep === undefined || stepOrder.indexOf(this.#step) < stepOrder.indexOf(fromStep as Step);
  }

  /** L-375: every attempt that failed is named with its reason, also when somebody else answered in the end. */
  tellFailures(label: string, reply: Pick<LaneAnswer, 'failures'> | undefined): void {
    const times = new Map<string, number>();
    for (const { agent, message } of reply?.failures ?? []) {
      const what = `${label} failed — ${agent}: ${message}`;
      times.set(what, (times.get(what) ?? 0) + 1);
    }
    for (const [what, count] of times) this.warn(count === 1 ? what : `${what} (${count} attempts)`);
  }

  /** C-31: a narrow task of the author; without a usable answer the run fails with the reason and can be resumed. */
  async author<Name extends JudgementName>(
    seat: Place,
    request: Omit<Request<Name>, 'seat'>,
  ): Promise<{ value: Judgement<Name>; agent: string; family: string }> {
    const [reply] = await this.ask('author', [{ ...request, seat }]);
    this.tellFailures(`${seat.label} (${request.task})`, reply);
    if (reply?.kind === 'ok' && reply.value !== undefined) {
      return { value: reply.value, agent: reply.agent, family: reply.family };
    }
    const tried = reply?.failures
      .map(({ agent, kind, message }) => `${agent}: ${kind} (${message})`)
      .join('; ');
    throw new CharretteError({
      code: 'author-failed',
      message: `No agent could do the task ${request.task}: ${tried ?? 'nobody was asked'}.`,
      fix: 'Mend the named cause (login, limits, network), then resume the run: finished calls are not repeated.',
      retryable: true,
    });
  }

  /** A limit on tokens or money pauses the run with a question instead of killing it. */
  async #checkBudget(calls: number): Promise<void> {
    const { maxTokens, maxUsd } = this.inputs.budget;
    if (maxTokens === undefined && maxUsd === undefined) return;
    const spent = await this.context.step(`budget before ${this.#step} (${calls} calls)`, async () =>
      this.#spent(),
    );
    const blind = maxUsd === undefined ? undefined : uncounted(spent);
    if (blind !== undefined && !this.#saidUncounted) this.warn(blind);
    this.#saidUncounted ||= blind !== undefined;
    const over =
      (maxTokens !== undefined && spent.tokens >= maxTokens) || (maxUsd !== undefined && spent.usd >= maxUsd);
    if (!over) return;
    const id = `budget-${this.#step}`;
    const answers = await this.context.ask([
      {
        id,
        text: `The budget is used up (${describeSpent(spent)}). Go on without a limit?`,
        detail: `Limits: ${maxTokens ?? 'no'} tokens, ${maxUsd === undefined ? 'no money limit' : `$${maxUsd}`}. Next: step ${this.#step} with ${calls} calls.`,
        options: [
          { value: 'continue', label: 'Go on without a limit' },
          { value: 'stop', label: 'Stop here and keep what there is' },
        ],
      },
    ]);
    if (answers.get(id)?.value === 'continue') {
      this.inputs.budget.maxTokens = undefined;
      this.inputs.budget.maxUsd = undefined;
      return;
    }
    throw new CharretteError({
      code: 'budget-used-up',
      message: `Stopped at step ${this.#step}: the budget is used up.`,
      fix: `Start again with a higher limit: \`charrette design --from-run ${this.context.live.directory.id} --max-${maxTokens === undefined ? 'usd' : 'tokens'} N "…"\` takes over every finished answer.`,
    });
  }

  #spent() {
    const { ledger, directory } = this.context.live;
    return spentSoFar([{ lanes: directory.lanes, entries: ledger.entries }], this.inputs);
  }

  /** Time since the step began, as its lines write it. */
  elapsed(): string {
    return formatElapsed(this.#elapsed());
  }

  #elapsed(): number {
    return this.context.clock.now() - this.#started;
  }
}

/** A seat that nobody may fill answers nothing, and says so. */
function emptySeat<Name extends JudgementName>({ lane, seat }: Request<Name>): Reply<Name> {
  const message = 'the seat is empty';
  return {
    lane,
    seat: seat.id,
    kind: 'unhealthy',
    agent: '',
    family: '',
    message,
    elapsedMs: 0,
    attempts: 0,
    folder: '',
    failures: [],
  };
}
