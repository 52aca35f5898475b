import type { WorkflowContext, WorkflowDefinition } from '../../engine/workflow.ts';
import { scaledTimeout, timeouts } from '../../panel/timeouts.ts';
import { compose } from '../../prompts/compose.ts';
import { comparePlansPrompt } from '../../prompts/panel/compare-plans.ts';
import { seededNonce } from '../../prompts/untrusted.ts';
import type { Comparison } from '../../schema/judgements/comparison.ts';
import { judgementJsonSchema } from '../../schema/judgements.ts';
import { formatElapsed } from '../../text/elapsed.ts';
import type { LaneAnswer, LaneRequest } from '../lane.ts';
import { writeQuestion } from '../lane-files.ts';
import type { RunServices } from '../services.ts';
import type { CompareInputs } from './state.ts';

const idleMs = 600_000;

export type JudgeCall = {
  lane: string;
  agent: string;
  feature: string;
  criteria: readonly string[];
  planA: string;
  planB: string;
};

export type JudgeReply = LaneAnswer & { value?: Comparison };

/** Where a comparison works: it can ask judges, write artifacts and say what it does. */
export class CompareDesk {
  readonly context: WorkflowContext;
  readonly services: RunServices;
  readonly inputs: CompareInputs;
  readonly #lane: WorkflowDefinition<LaneRequest, LaneAnswer>;
  #phase = 'setup';
  #started = 0;

  constructor(
    context: WorkflowContext,
    lane: WorkflowDefinition<LaneRequest, LaneAnswer>,
    services: RunServices,
    inputs: CompareInputs,
  ) {
    this.context = context;
    this.#lane = lane;
    this.services = services;
    this.inputs = inputs;
  }

  begin(phase: string, text: string): void {
    this.#phase = phase;
    const line = `▶ ${text}`;
    this.#started = Date.parse(this.context.emit({ type: 'phase-start', phase, line }).time);
  }

  end(text: string): void {
    const elapsedMs = this.context.clock.now() - this.#started;
    const line = `✅ ${text} (${formatElapsed(elapsedMs)})`;
    this.context.emit({ type: 'phase-end', phase: this.#phase, elapsedMs, line });
  }

  note(text: string): void {
    this.context.emit({ type: 'note', phase: this.#phase, text });
  }

  warn(text: string): void {
    this.context.emit({ type: 'warning', phase: this.#phase, text });
  }

  /** Asks judges side by side; each call is a lane of its own. */
  async judge(calls: readonly JudgeCall[]): Promise<JudgeReply[]> {
    const children = calls.map((call) => ({ key: call.lane, input: this.#enqueue(call) }));
    return (await this.context.children(this.#lane, children)) as JudgeReply[];
  }

  #enqueue({ lane, agent, ...question }: JudgeCall): LaneRequest {
    const schema = judgementJsonSchema('comparison');
    const { text } = compose(comparePlansPrompt({ ...question, schema }), {
      nonce: seededNonce(this.services.nonceSeed),
      overrides: this.services.overrides,
    });
    const input = { feature: question.feature, baseCommit: this.inputs.baseCommit };
    const digest = writeQuestion(this.context.live.directory.lanes, lane, { prompt: text, input });
    const [task, seat] = ['compare', lane];
    this.context.emit({ type: 'lane-queue', lane, task, seat, label: lane, phase: this.#phase });
    const seconds = this.inputs.agentSeconds ?? timeouts.judge.agentSeconds;
    return {
      lane,
      phase: this.#phase,
      task,
      seat,
      agents: [agent],
      judgement: 'comparison',
      wallMs: scaledTimeout('judge', seconds).agentSeconds * 1000,
      idleMs,
      digest,
    };
  }
}
