import type { JsonSchema } from '../../agents/port.ts';
import type { Question } from '../../engine/question.ts';
import type { WorkflowContext, WorkflowDefinition } from '../../engine/workflow.ts';
import { jsonText } from '../../lite/handoff-token.ts';
import type { LiteCommission } from '../../lite/prompts.ts';
import { type TodoState, todoOf } from '../../lite/todo.ts';
import { compose } from '../../prompts/compose.ts';
import type { PromptDraft } from '../../prompts/part.ts';
import { seededNonce } from '../../prompts/untrusted.ts';
import { type Judgement, type JudgementName, judgementJsonSchema } from '../../schema/judgements.ts';
import { formatElapsed } from '../../text/elapsed.ts';
import { askConsent } from '../consent.ts';
import type { LaneAnswer, LaneRequest, LaneWork } from '../lane.ts';
import { writeQuestion } from '../lane-files.ts';
import type { RunServices } from '../services.ts';
import type { LiteInputs } from './inputs.ts';

export type LiteLane = WorkflowDefinition<LaneRequest, LaneAnswer>;

export type LiteRequest<Name extends JudgementName> = {
  lane: string;
  task: string;
  judgement: Name;
  /** Agents by id, the first choice first. */
  agents: string[];
  draft: (schema: JsonSchema) => PromptDraft;
  /** The same as data, for agents that live in this process. */
  input?: Record<string, unknown>;
  work?: LaneWork;
};

export type LiteReply<Name extends JudgementName> = LaneAnswer & { value?: Judgement<Name> };

const idleMs = 600_000;
/** P-067: planning and execution have an hour. */
const wallMs = 3_600_000;

/** Where a stage of lite plan or lite execute works: it asks agents and people, writes files, says what it does. */
export class LiteDesk {
  readonly context: WorkflowContext;
  readonly services: RunServices;
  readonly inputs: LiteInputs;
  readonly #lane: LiteLane;
  #phase = 'lite';
  #started = 0;
  #revision = 0;
  #time = '';

  constructor(context: WorkflowContext, lane: LiteLane, services: RunServices, inputs: LiteInputs) {
    this.context = context;
    this.#lane = lane;
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

  /** P-160: the list as it stands, with a revision that only grows. */
  todo(state: Omit<TodoState, 'session' | 'mode'>): Promise<void> {
    const { session, mode } = this.inputs;
    this.#revision += 1;
    return this.json('todo.json', todoOf({ ...state, session, mode }, this.#revision, this.#time));
  }

  commission(brief: keyof LiteInputs['briefs'], clarifications?: string): LiteCommission {
    return { task: this.inputs.task, brief: this.inputs.briefs[brief], clarifications };
  }

  /** Asks agents side by side and waits for all of them. */
  async ask<Name extends JudgementName>(requests: readonly LiteRequest<Name>[]): Promise<LiteReply<Name>[]> {
    const children = requests.map((request) => ({ key: request.lane, input: this.#enqueue(request) }));
    return (await this.context.children(this.#lane, children)) as LiteReply<Name>[];
  }

  #enqueue<Name extends JudgementName>(request: LiteRequest<Name>): LaneRequest {
    const { lane, task, judgement, agents, draft, input, work } = request;
    const prompt = compose(draft(judgementJsonSchema(judgement)), {
      nonce: seededNonce(this.services.nonceSeed),
      overrides: this.services.overrides,
    });
    const given = { feature: this.inputs.task, baseCommit: this.inputs.baseCommit, ...input };
    const digest = writeQuestion(this.context.live.directory.lanes, lane, {
      prompt: prompt.text,
      input: given,
    });
    this.context.emit({ type: 'lane-queue', lane, task, seat: lane, label: lane, phase: this.#phase });
    return {
      lane,
      phase: this.#phase,
      task,
      seat: lane,
      agents,
      judgement,
      wallMs,
      idleMs,
      digest,
      ...(work === undefined ? {} : { work }),
    };
  }

  /** Answers from people, or the recommendations when nobody is to be asked. */
  async choose(questions: readonly Question[], auto: boolean): Promise<Map<string, string>> {
    if (!auto) {
      const answers = await this.context.ask(questions);
      return new Map([...answers].map(([id, { value }]) => [id, value]));
    }
    for (const question of questions) await this.context.decide(question, question.recommended ?? '');
    return new Map(questions.map(({ id, recommended = '' }) => [id, recommended]));
  }

  /** Agents in their order, turned so that neighbours begin with different ones. */
  chain(turn = 0): string[] {
    const ids = [...this.services.agents.keys()];
    return ids.map((_, index) => ids[(index + turn) % ids.length] ?? '');
  }

  /** Agents that can change files. */
  get writers(): string[] {
    return [...this.services.agents.values()]
      .filter(({ capabilities }) => capabilities.write)
      .map(({ id }) => id);
  }

  /** The first run in a project says whom it will call and asks. */
  askConsent(): Promise<void> {
    return askConsent(this.context, this.services.agents.values(), {
      consented: this.inputs.consented,
      detail: 'They change files only after the plan was allowed, and then in checkouts of their own.',
    });
  }
}
