import path from 'node:path';
import type { JsonSchema } from '../../agents/port.ts';
import type { WorkflowContext, WorkflowDefinition } from '../../engine/workflow.ts';
import { CharretteError } from '../../errors.ts';
import { writeFileAtomic } from '../../files/atomic.ts';
import { containedPath } from '../../files/contained.ts';
import { compose } from '../../prompts/compose.ts';
import type { PromptDraft } from '../../prompts/part.ts';
import { seededNonce } from '../../prompts/untrusted.ts';
import { type Judgement, type JudgementName, judgementJsonSchema } from '../../schema/judgements.ts';
import { formatElapsed } from '../../text/elapsed.ts';
import { askConsent } from '../consent.ts';
import type { LaneAnswer, LaneRequest, LaneWork } from '../lane.ts';
import { writeQuestion } from '../lane-files.ts';
import type { RunServices } from '../services.ts';
import type { RefineInputs } from './inputs.ts';

export type RefineLane = WorkflowDefinition<LaneRequest, LaneAnswer>;

export type RefineRequest<Name extends JudgementName> = {
  lane: string;
  task: string;
  judgement: Name;
  agent: string;
  draft: (schema: JsonSchema) => PromptDraft;
  /** Looks at the prompt before anybody is asked. */
  inspect?: (prompt: string) => void;
  input?: Record<string, unknown>;
  work?: LaneWork;
};

const wallMs = 3_600_000;
const idleMs = 600_000;

/** Where the stages of a refinement work: they ask agents, write files, and say what they do. */
export class RefineDesk {
  readonly context: WorkflowContext;
  readonly services: RunServices;
  readonly inputs: RefineInputs;
  readonly #lane: RefineLane;
  #phase = 'refine';
  #started = 0;
  #time = '';

  constructor(context: WorkflowContext, lane: RefineLane, services: RunServices, inputs: RefineInputs) {
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
    return this.context.artifact(name, `${JSON.stringify(value, null, 2)}\n`);
  }

  /** Writes a file that outlives the run, below the project's folder for contracts. */
  keep(name: string, content: string): Promise<void> {
    const { project, settings } = this.inputs;
    return this.context.step(`keep ${name}`, async () =>
      writeFileAtomic(await containedPath(project, path.join(settings.contract.directory, name)), content),
    );
  }

  checkout(name: string): string {
    return path.join(this.context.live.directory.root, 'worktrees', name);
  }

  get briefPath(): string {
    return path.join(this.context.live.directory.artifacts, 'brief.md');
  }

  /** Asks one agent and gives its answer; a seat that stays empty ends the run with its reason. */
  async ask<Name extends JudgementName>(
    request: RefineRequest<Name>,
  ): Promise<{ value: Judgement<Name>; answer: LaneAnswer }> {
    const [answer] = await this.context.children(this.#lane, [
      { key: request.lane, input: this.#enqueue(request) },
    ]);
    if (answer?.kind === 'ok') return { value: answer.value as Judgement<Name>, answer };
    throw new CharretteError({
      code: 'author-failed',
      message: `${request.agent} gave no usable answer to ${request.task}: ${answer?.message ?? answer?.kind ?? 'nothing'}.`,
      fix: `Look at the lane ${request.lane} of the run, then \`charrette resume ${this.context.live.directory.id}\`, or choose another agent.`,
    });
  }

  #enqueue<Name extends JudgementName>(request: RefineRequest<Name>): LaneRequest {
    const { lane, task, judgement, agent, draft, inspect, input, work } = request;
    const prompt = compose(draft(judgementJsonSchema(judgement)), {
      nonce: seededNonce(this.services.nonceSeed),
      overrides: this.services.overrides,
    });
    inspect?.(prompt.text);
    const digest = writeQuestion(this.context.live.directory.lanes, lane, {
      prompt: prompt.text,
      input: input ?? {},
    });
    this.context.emit({ type: 'lane-queue', lane, task, seat: lane, label: lane, phase: this.#phase });
    return {
      lane,
      phase: this.#phase,
      task,
      seat: lane,
      agents: [agent],
      judgement,
      wallMs,
      idleMs,
      digest,
      ...(work === undefined ? {} : { work }),
    };
  }

  askConsent(ids: readonly string[]): Promise<void> {
    const called = [...this.services.agents.values()].filter(({ id }) => ids.includes(id));
    return askConsent(this.context, called, {
      consented: this.inputs.consented,
      detail: 'The builder changes files in a checkout of its own; the evaluator only reads.',
    });
  }
}
