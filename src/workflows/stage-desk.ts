import { jsonText } from '../base/safe-json.ts';
import { type JudgementName, judgementJsonSchema } from '../base/schema/judgements.ts';
import { formatElapsed } from '../base/text/format.ts';
import type { WorkflowContext, WorkflowDefinition } from '../engine/workflow.ts';
import { compose } from '../prompts/compose.ts';
import type { PromptDraft } from '../prompts/part.ts';
import { seededNonce } from '../prompts/untrusted.ts';
import type { LaneAnswer, LaneRequest, LaneWork } from './lane.ts';
import { writeQuestion } from './lane-files.ts';
import type { RunServices } from './services.ts';

export type LaneDefinition = WorkflowDefinition<LaneRequest, LaneAnswer>;

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
  work?: LaneWork | undefined;
};

const idleMs = 600_000;
/** P-067: planning and execution have an hour. */
const wallMs = 3_600_000;

/** Where a stage of a workflow works: it asks agents, writes files and says what it does. */
export class StageDesk<Inputs> {
  readonly context: WorkflowContext;
  readonly services: RunServices;
  readonly inputs: Inputs;
  readonly #lane: LaneDefinition;
  #phase = '';
  #started = 0;
  #time = '';

  constructor(context: WorkflowContext, lane: LaneDefinition, services: RunServices, inputs: Inputs) {
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

  /** Asks side by side and waits for all. */
  protected askLanes<Name extends JudgementName>(
    requests: readonly StageRequest<Name>[],
  ): Promise<LaneAnswer[]> {
    const children = requests.map((request) => ({ key: request.lane, input: this.#enqueue(request) }));
    return this.context.children(this.#lane, children);
  }

  #enqueue<Name extends JudgementName>(request: StageRequest<Name>): LaneRequest {
    const { lane, task, judgement, agents, draft, input, inspect, work } = request;
    const { text: prompt } = compose(draft(judgementJsonSchema(judgement)), {
      nonce: seededNonce(this.services.nonceSeed),
      overrides: this.services.overrides,
    });
    inspect?.(prompt);
    const digest = writeQuestion(this.context.live.directory.lanes, lane, { prompt, input });
    const phase = this.#phase;
    this.context.emit({ type: 'lane-queue', lane, task, seat: lane, label: lane, phase });
    return {
      ...{ lane, phase, task, seat: lane, agents, judgement, wallMs, idleMs, digest },
      ...(work === undefined ? {} : { work }),
    };
  }
}
