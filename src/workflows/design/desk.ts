import type { JsonSchema } from '../../agents/port.ts';
import type { WorkflowContext, WorkflowDefinition } from '../../engine/workflow.ts';
import { CharretteError } from '../../errors.ts';
import { compose } from '../../prompts/compose.ts';
import type { PromptDraft } from '../../prompts/part.ts';
import { seededNonce } from '../../prompts/untrusted.ts';
import { type Judgement, type JudgementName, judgementJsonSchema } from '../../schema/judgements.ts';
import { formatElapsed } from '../../text/elapsed.ts';
import type { LaneAnswer, LaneRequest } from '../lane.ts';
import { writeQuestion } from '../lane-files.ts';
import type { RunServices } from '../services.ts';
import type { DesignInputs, Seat } from './state.ts';
import { type TaskFamily, timeouts } from './timeouts.ts';

export type Chair<Name extends JudgementName> = {
  seat: Seat;
  lane: string;
  task: string;
  judgement: Name;
  draft: (schema: JsonSchema) => PromptDraft;
  /** The same as data, for agents that live in this process. */
  input: unknown;
};

export type Reply<Name extends JudgementName> = LaneAnswer & { seat: string; value?: Judgement<Name> };

/** Where a step of the design works: it can ask seats, write artifacts and say what it does. */
export class Desk {
  readonly context: WorkflowContext;
  readonly services: RunServices;
  readonly inputs: DesignInputs;
  readonly #lane: WorkflowDefinition<LaneRequest, LaneAnswer>;
  readonly warnings: string[] = [];
  #phase = '0';
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
  begin(phase: string, title: string): void {
    this.#phase = phase;
    this.#started = Date.parse(this.context.emit({ type: 'phase-start', phase, title }).time);
  }

  end(payload?: string): void {
    const body = { phase: this.#phase, elapsedMs: this.#elapsed() };
    this.context.emit(
      payload === undefined ? { type: 'phase-end', ...body } : { type: 'phase-end', ...body, payload },
    );
  }

  skip(payload: string): void {
    this.context.emit({ type: 'phase-skip', phase: this.#phase, payload, elapsedMs: this.#elapsed() });
  }

  /** L-845: warnings are said at once and again at the end. */
  warn(text: string): void {
    this.warnings.push(text);
    this.context.emit({ type: 'warning', phase: this.#phase, text });
  }

  note(text: string): void {
    this.context.emit({ type: 'note', phase: this.#phase, text });
  }

  show(heading: string, text: string): void {
    this.context.emit({ type: 'body', heading, text });
  }

  /** L-204: asks all seats at the same time and waits for every one. */
  async ask<Name extends JudgementName>(
    family: TaskFamily,
    chairs: readonly Chair<Name>[],
  ): Promise<Reply<Name>[]> {
    await this.#checkBudget(chairs.length);
    const { wallMs, idleMs } = timeouts[family];
    const children = chairs.map(({ seat, lane, task, judgement, draft, input }) => {
      const schema = judgementJsonSchema(judgement);
      const prompt = compose(draft(schema), {
        nonce: seededNonce(this.context.live.directory.id),
        overrides: this.services.overrides,
      });
      const digest = writeQuestion(this.context.live.directory.lanes, lane, { prompt: prompt.text, input });
      this.context.emit({
        type: 'lane-queue',
        lane,
        task,
        seat: seat.id,
        label: seat.label,
        phase: this.#phase,
      });
      const input_: LaneRequest = {
        lane,
        phase: this.#phase,
        task,
        seat: seat.id,
        agents: seat.agents,
        judgement,
        wallMs,
        idleMs,
        digest,
      };
      return { key: lane, input: input_ };
    });
    return (await this.context.children(this.#lane, children)) as Reply<Name>[];
  }

  /** C-31: a narrow task of the author; without a usable answer the run fails with the reason and can be resumed. */
  async author<Name extends JudgementName>(
    seat: Seat,
    chair: Omit<Chair<Name>, 'seat'>,
  ): Promise<{ value: Judgement<Name>; agent: string; family: string }> {
    const [reply] = await this.ask('review', [{ ...chair, seat }]);
    if (reply?.kind === 'ok' && reply.value !== undefined) {
      return { value: reply.value, agent: reply.agent, family: reply.family };
    }
    const tried = reply?.failures
      .map(({ agent, kind, message }) => `${agent}: ${kind} (${message})`)
      .join('; ');
    throw new CharretteError({
      code: 'author-failed',
      message: `No agent could do the task ${chair.task}: ${tried ?? 'nobody was asked'}.`,
      fix: 'Mend the named cause (login, limits, network), then resume the run: finished calls are not repeated.',
      retryable: true,
    });
  }

  /** A limit on tokens or money pauses the run with a question instead of killing it. */
  async #checkBudget(calls: number): Promise<void> {
    const { maxTokens, maxUsd } = this.inputs.budget;
    if (maxTokens === undefined && maxUsd === undefined) return;
    const spent = await this.context.step(`budget before ${this.#phase} (${calls} calls)`, async () => {
      const totals = this.context.live.ledger.totals();
      return { tokens: totals.inputTokens + totals.outputTokens, usd: totals.usd };
    });
    const over =
      (maxTokens !== undefined && spent.tokens >= maxTokens) || (maxUsd !== undefined && spent.usd >= maxUsd);
    if (!over) return;
    const id = `budget-${this.#phase}`;
    const answers = await this.context.ask([
      {
        id,
        text: `The budget is used up (${spent.tokens} tokens, $${spent.usd.toFixed(2)}). Go on without a limit?`,
        detail: `Limits: ${maxTokens ?? 'no'} tokens, ${maxUsd === undefined ? 'no money limit' : `$${maxUsd}`}. Next: step ${this.#phase} with ${calls} calls.`,
        options: [
          { value: 'go-on', label: 'Go on without a limit' },
          { value: 'stop', label: 'Stop here and keep what there is' },
        ],
      },
    ]);
    if (answers.get(id)?.value === 'go-on') {
      this.inputs.budget.maxTokens = undefined;
      this.inputs.budget.maxUsd = undefined;
      return;
    }
    throw new CharretteError({
      code: 'budget-used-up',
      message: `Stopped at step ${this.#phase}: the budget is used up.`,
    });
  }

  /** Time since the step began, as its lines write it. */
  elapsed(): string {
    return formatElapsed(this.#elapsed());
  }

  #elapsed(): number {
    return this.context.clock.now() - this.#started;
  }
}
