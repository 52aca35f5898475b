import type { Usage } from '../../agents/port.ts';
import type { Comparison } from '../../base/schema/judgements/plan.ts';
import { judgementJsonSchema } from '../../base/schema/judgements.ts';
import { formatElapsed } from '../../base/text/format.ts';
import { type Step, stepName } from '../../council/breadcrumbs.ts';
import { callAll, type Reply, type Seat, type Task } from '../../council/call/call.ts';
import { judgementForm } from '../../council/call/judgement.ts';
import type { CallServices } from '../../council/call/services.ts';
import { scaledTimeout, timeouts } from '../../council/timeouts.ts';
import type { RunEvent } from '../../engine/event.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { compose } from '../../prompts/compose.ts';
import { comparePlansPrompt } from '../../prompts/panel/debate.ts';
import { seededNonce } from '../../prompts/part.ts';
import type { DesignInputs } from '../design/inputs.ts';
import type { CompareInputs } from './prepare.ts';
import type { DesignResult } from './read-design.ts';

const idleMs = 600_000;

export type Side = 'solo' | 'panel';

function laneOf(number: number, side: Side): string {
  return `design-${number}-${side}`;
}

/** A warning without the emphasis that it has on a line of its own. */
function plain(text: string): string {
  return text.replace(/^\*\*⚠? ?(.*)\*\*$/s, '$1');
}

export type JudgeCall = {
  lane: string;
  agent: string;
  feature: string;
  criteria: readonly string[];
  planA: string;
  planB: string;
};

export type JudgeReply = Reply<Comparison>;

/** Where a comparison works: it can ask judges, write artifacts and say what it does. */
export class CompareDesk {
  readonly context: WorkflowContext;
  readonly services: CallServices;
  readonly inputs: CompareInputs;
  /** Who designs, by lane. */
  readonly #designers = new Map<string, string>();
  /** Whether it was said that the limit on money does not hold for everything. */
  saidUncounted = false;
  #phase = 'setup';
  #started = 0;

  constructor(context: WorkflowContext, services: CallServices, inputs: CompareInputs) {
    this.context = context;
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

  /** A design is a run of its own; here it is one lane beside the other. */
  beginDesign(number: number, side: Side, { author, roster }: DesignInputs): void {
    const lane = laneOf(number, side);
    const [first] = roster;
    const agent = side === 'solo' ? (author ?? first?.id ?? '') : roster.map(({ id }) => id).join(', ');
    this.#designers.set(lane, agent);
    const label = side === 'solo' ? 'designed alone' : 'designed by the panel';
    this.context.emit({ type: 'lane-queue', lane, task: 'design', seat: side, label, phase: this.#phase });
    this.context.emit({ type: 'lane-start', lane, agent, attempt: 1 });
  }

  /** Which step a design is at; the event of the other run makes the id, so that nothing is told twice. */
  tellDesign(number: number, side: Side, event: RunEvent): void {
    const id = `${laneOf(number, side)} ${event.id}`;
    const phase = this.#phase;
    if (event.type === 'phase-start')
      this.context.live.events.emit(id, {
        type: 'note',
        phase,
        text: `${side} ${stepName(event.phase as Step)}`,
      });
    if (event.type === 'warning')
      this.context.live.events.emit(id, { type: 'warning', phase, text: `${side}: ${plain(event.text)}` });
  }

  endDesign(number: number, side: Side, result: DesignResult, usage: Usage): void {
    const { elapsedMs, problem } = result;
    this.context.emit({
      type: 'lane-end',
      lane: laneOf(number, side),
      agent: this.#designers.get(laneOf(number, side)) ?? '',
      kind: problem === undefined ? 'ok' : 'crash',
      ...(problem === undefined ? {} : { message: problem }),
      elapsedMs,
      usage,
    });
  }

  /** Asks judges in parallel. */
  judge(calls: readonly JudgeCall[]): Promise<JudgeReply[]> {
    return callAll(
      this,
      calls.map((call) => this.#task(call)),
    );
  }

  #task({ lane, agent, ...question }: JudgeCall): [Seat, Task<Comparison>] {
    const { text: prompt } = compose(
      comparePlansPrompt({ ...question, schema: judgementJsonSchema('comparison') }),
      { nonce: seededNonce(this.services.nonceSeed), overrides: this.services.overrides },
    );
    const kind = 'compare';
    const facts = { feature: question.feature, baseCommit: this.inputs.baseCommit };
    const seconds = this.inputs.agentSeconds ?? timeouts.judge.agentSeconds;
    const limits = { wallMs: scaledTimeout('judge', seconds).agentSeconds * 1000, idleMs };
    const answer = judgementForm('comparison', { kind, facts });
    const label = `judge ${agent}${lane.endsWith('-swapped') ? ', swapped' : ''}`;
    return [
      { id: lane, label, agents: [agent] },
      { key: lane, kind, phase: this.#phase, prompt, facts, answer, limits },
    ];
  }
}
