import { jsonText } from '../base/safe-json.ts';
import { type Judgement, type JudgementName, judgementJsonSchema } from '../base/schema/judgements.ts';
import { formatElapsed } from '../base/text/format.ts';
import { callAll, type Reply, type Seat, type Task } from '../council/call/call.ts';
import { type AnswerCheck, judgementForm } from '../council/call/judgement.ts';
import type { Place } from '../council/call/once.ts';
import type { CallServices } from '../council/call/services.ts';
import type { WorkflowContext } from '../engine/workflow.ts';
import { compose } from '../prompts/compose.ts';
import { type PromptDraft, seededNonce } from '../prompts/part.ts';

/** A question to agents as a stage puts it. */
export type StageRequest<Name extends JudgementName> = {
  lane: string;
  task: string;
  judgement: Name;
  /** Agents by id, the first choice first. */
  agents: string[];
  draft: (schema: ReturnType<typeof judgementJsonSchema>) => PromptDraft;
  /** The same as data, for agents that live in this process. */
  input: Record<string, unknown>;
  /** Looks at the prompt before anybody is asked. */
  inspect?: ((prompt: string) => void) | undefined;
  work?: Place | undefined;
  /** Demands on the answer that its schema cannot express. */
  check?: AnswerCheck<Name> | undefined;
};

/** P-067: planning and execution have an hour. */
const limits = { wallMs: 3_600_000, idleMs: 600_000 };

/** Where a stage of a workflow works: it asks agents, writes files and says what it does. */
export class StageDesk<Inputs> {
  readonly context: WorkflowContext;
  readonly services: CallServices;
  readonly inputs: Inputs;
  #phase = '';
  #started = 0;
  #time = '';

  constructor(context: WorkflowContext, services: CallServices, inputs: Inputs) {
    this.context = context;
    this.services = services;
    this.inputs = inputs;
  }

  /** Opens a stage. Its time is the first time this was said, also in a resumed run. */
  begin(phase: string, title: string): void {
    this.#phase = phase;
    this.#time = this.context.emit({ type: 'phase-start', phase, line: `▸ ${phase} ${title}` }).time;
    this.#started = Date.parse(this.#time);
  }

  end(text: string): void {
    const elapsedMs = this.context.clock.now() - this.#started;
    const line = `✓ ${this.#phase} ${text} (${formatElapsed(elapsedMs)})`;
    this.context.emit({ type: 'phase-end', phase: this.#phase, elapsedMs, line });
  }

  skip(reason: string): void {
    const line = `– ${this.#phase} skipped: ${reason}`;
    this.context.emit({ type: 'phase-skip', phase: this.#phase, elapsedMs: 0, line });
  }

  note(text: string): void {
    this.context.emit({ type: 'note', phase: this.#phase, text });
  }

  warn(text: string): void {
    this.context.emit({ type: 'warning', phase: this.#phase, text });
  }

  /** When the current stage began. */
  get time(): string {
    return this.#time;
  }

  json(name: string, value: unknown): Promise<void> {
    return this.context.artifact(name, jsonText(value));
  }

  /** Calls agents in parallel and waits for all. */
  protected askAll<Name extends JudgementName>(
    requests: readonly StageRequest<Name>[],
  ): Promise<Reply<Judgement<Name>>[]> {
    return callAll(
      this,
      requests.map((request) => this.#call(request)),
    );
  }

  #call<Name extends JudgementName>(request: StageRequest<Name>): [Seat, Task<Judgement<Name>>] {
    const { lane, task: kind, judgement, agents, draft, input, inspect, work, check } = request;
    const { text: prompt } = compose(draft(judgementJsonSchema(judgement)), {
      nonce: seededNonce(this.services.nonceSeed),
      overrides: this.services.overrides,
    });
    inspect?.(prompt);
    const answer = judgementForm(judgement, { kind, facts: input, check });
    return [
      { id: lane, label: lane, agents },
      { key: lane, kind, phase: this.#phase, prompt, facts: input, answer, limits, place: work },
    ];
  }
}
