import { CharretteError } from '../../base/errors.ts';
import { type Judgement, type JudgementName, judgementJsonSchema } from '../../base/schema/judgements.ts';
import { formatElapsed } from '../../base/text/format.ts';
import {
  endLine,
  type SeatStatus,
  type StatusTable,
  type Step,
  startLine,
  statusLine,
  stepOrder,
  substituteIn,
} from '../../council/breadcrumbs.ts';
import { type Reply as CallReply, callAll, type Seat, type Task } from '../../council/call/call.ts';
import { judgementForm } from '../../council/call/judgement.ts';
import type { CallServices } from '../../council/call/services.ts';
import type { Call, Council, Reply } from '../../council/council.ts';
import { ruleBasedMark } from '../../council/rule-based/wording.ts';
import { scaledTimeout, type TimeoutFamily, timeouts } from '../../council/timeouts.ts';
import { uncounted } from '../../engine/costs.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { compose } from '../../prompts/compose.ts';
import { seededNonce } from '../../prompts/part.ts';
import type { Boundary } from '../../repo/git/tree-probe.ts';
import { describeSpent, totalUsage } from '../spent.ts';
import { addLoss, type Degraded, lossIn, notDegraded, noteFamilies } from './degraded.ts';
import type { DesignInputs } from './inputs.ts';
import { guardTree, noteSeen } from './tree.ts';

/** Silence for this long ends a call before its wall-clock limit does. */
const idleMs = 600_000;

/** What a step of the design works with: it can ask seats, write artifacts and report its progress. */
export class Desk implements Council {
  readonly context: WorkflowContext;
  readonly services: CallServices;
  readonly inputs: DesignInputs;
  readonly warnings: string[] = [];
  readonly degraded: Degraded = notDegraded();
  /** L-429: calls since the last check of the tree. */
  #called: string[] = [];
  #saidUncounted = false;
  #step: Step = '0';
  #started = 0;

  constructor(context: WorkflowContext, services: CallServices, inputs: DesignInputs) {
    this.context = context;
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

  /** L-204: asks all seats in parallel and waits for every one. L-043: the table is shown at launch and at the end. */
  async ask<Name extends JudgementName>(
    limit: TimeoutFamily,
    calls: readonly Call<Name>[],
    table?: StatusTable,
  ): Promise<Reply<Name>[]> {
    const filled = calls.filter(([seat]) => seat.agents.length > 0);
    await this.#checkBudget(filled.length);
    const showTable = (statusOf: (index: number) => SeatStatus) => {
      if (table === undefined || calls.length === 0) return;
      const states = calls.map(([seat], index) => ({ label: seat.label, status: statusOf(index) }));
      this.note(statusLine(table, states));
    };
    const launched = () =>
      showTable((index) => ({ state: calls[index]?.[0].agents.length === 0 ? 'skipped' : 'pending' }));
    this.#called.push(...filled.map(([, { key }]) => key));
    const answers = await callAll(
      this,
      filled.map((call) => this.#callOf(limit, call)),
      launched,
    );
    const byKey = new Map(answers.map((answer) => [answer.lane, answer]));
    const replies = calls.map(([, { key }]) => replyOf<Name>(byKey.get(key)));
    showTable((index) => statusOfReply(replies[index], calls[index]?.[0].planned?.agent));
    for (const [index, [seat, { kind }]] of calls.entries()) {
      const reply = replies[index];
      const loss = reply === undefined ? undefined : lossIn(kind, seat, reply);
      if (loss !== undefined) addLoss(this.degraded, loss);
    }
    return replies;
  }

  #callOf<Name extends JudgementName>(
    limit: TimeoutFamily,
    [seat, { key, kind, judgement, draft, facts: own }]: Call<Name>,
  ): [Seat, Task<Judgement<Name>>] {
    const { text: prompt } = compose(draft(judgementJsonSchema(judgement), seat.outside === true), {
      nonce: seededNonce(this.services.nonceSeed),
      overrides: this.services.overrides,
    });
    const { feature, baseCommit, agentSeconds } = this.inputs;
    const facts = { ...own, feature, stance: seat.stance, baseCommit };
    const seconds = scaledTimeout(limit, agentSeconds ?? timeouts[limit].agentSeconds).agentSeconds;
    const limits = { wallMs: seconds * 1000, idleMs };
    const answer = judgementForm(judgement, { kind, facts });
    return [seat, { key, kind, phase: this.#step, prompt, facts, answer, limits, reuse: this.#mayReuse() }];
  }

  /** Compares the families that answered a round with those that were announced for it. */
  compareFamilies(
    verb: 'reviewed' | 'voted',
    announced: readonly (string | undefined)[],
    answered: readonly (string | undefined)[],
  ): void {
    const familiesOf = (agents: readonly (string | undefined)[]) =>
      agents.flatMap((agent) => this.services.agents.get(agent ?? '')?.family ?? []);
    noteFamilies(this.degraded, verb, { announced: familiesOf(announced), answered: familiesOf(answered) });
  }

  artifact(name: string, text: string): Promise<void> {
    return this.context.artifact(name, text);
  }

  /**
   * L-420…L-428, C-11: the tree must be as it was before agents ran; if not, you decide, whatever --auto says.
   * L-425: every collection asks once; a second round is a collection of its own, which no earlier answer covers.
   */
  async checkTree(boundary: Boundary, round = 1): Promise<void> {
    const { entry, project } = this.inputs;
    const lanes = this.#called;
    this.#called = [];
    if (entry === undefined) return;
    await guardTree(this, project, entry, boundary, lanes, round);
    await this.context.step(`tree seen after ${boundary}`, () => noteSeen(this.context.live.directory));
  }

  /** `--from-step`: what lies before it may come from the earlier run. */
  #mayReuse(): boolean {
    const { fromStep } = this.inputs;
    return fromStep === undefined || stepOrder.indexOf(this.#step) < stepOrder.indexOf(fromStep as Step);
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
    return totalUsage([{ lanes: directory.lanes, entries: ledger.entries }], this.inputs);
  }

  /** Time since the step began, as its lines write it. */
  elapsed(): string {
    return formatElapsed(this.#elapsed());
  }

  #elapsed(): number {
    return this.context.clock.now() - this.#started;
  }
}

/** A seat that no agent may fill has no answer. */
function replyOf<Name extends JudgementName>(answer: CallReply<Judgement<Name>> | undefined): Reply<Name> {
  if (answer === undefined)
    return {
      ...{ ok: false, kind: 'unhealthy', message: 'the seat is empty' },
      ...{ agent: '', family: '', elapsedMs: 0, failures: [] },
    };
  const { agent, family, elapsedMs, failures, kind, message, value } = answer;
  const call = { agent, family, elapsedMs, failures };
  return value !== undefined ? { ok: true, value, ...call } : { ok: false, kind, message, ...call };
}

function statusOfReply(reply: Reply<JudgementName> | undefined, planned: string | undefined): SeatStatus {
  if (reply === undefined || reply.agent === '') return { state: 'skipped' };
  const { elapsedMs } = reply;
  return reply.ok
    ? { state: 'done', elapsedMs, by: substituteIn(planned, reply.agent) }
    : { state: 'failed', elapsedMs };
}
