import { jsonText } from '../base/safe-json.ts';
import { type Judgement, type JudgementName, judgementJsonSchema } from '../base/schema/judgements.ts';
import type { WorkflowContext } from '../engine/workflow.ts';
import type { Boundary } from '../repo/git/tree-probe.ts';
import { type SeatStatus, type StatusTable, statusLine, substituteIn } from './breadcrumbs.ts';
import { callAll, type Task } from './call/call.ts';
import { judgementForm } from './call/judgement.ts';
import { type CallServices, promptText } from './call/services.ts';
import {
  type Call,
  type Council,
  type Question,
  type Reply,
  type Seat,
  type TimeLimit,
  timeLimits,
} from './council.ts';
import { addLoss, lossIn } from './degraded.ts';

/** Silence for this long ends a call before its time limit does. */
const idleMs = 600_000;

/** A limit given by the user only shortens the time of a call. */
export function limitSeconds(limit: TimeLimit, most: number = timeLimits[limit]): number {
  return Math.max(1, Math.min(timeLimits[limit], Math.floor(most)));
}

/** A council on top of a run of the engine. Workflows extend it with the lines they print and the checks they make. */
export class CouncilRun<Inputs = unknown> implements Council {
  readonly context: WorkflowContext;
  readonly services: CallServices;
  readonly inputs: Inputs;
  protected phase = '';
  readonly #warned = new Set<string>();
  /** When the current phase began. */
  time = '';

  constructor(context: WorkflowContext, services: CallServices, inputs: Inputs) {
    this.context = context;
    this.services = services;
    this.inputs = inputs;
  }

  /** Opens a phase. Its time runs from the first time that its line was printed, also in a resumed run. */
  protected open(phase: string, line: string): void {
    this.phase = phase;
    this.time = this.context.emit({ type: 'phase-start', phase, line }).time;
  }

  protected close(line?: string): void {
    const said = line === undefined ? {} : { line };
    this.context.emit({ type: 'phase-end', phase: this.phase, elapsedMs: this.elapsedMs, ...said });
  }

  protected get elapsedMs(): number {
    return this.context.clock.now() - Date.parse(this.time);
  }

  note(text: string): void {
    this.context.emit({ type: 'note', phase: this.phase, text });
  }

  warn(text: string): void {
    this.context.emit({ type: 'warning', phase: this.phase, text });
  }

  /** Warns about a matter the first time that it comes up. */
  warnOnce(matter: string, text: string): void {
    if (this.#warned.has(matter)) return;
    this.#warned.add(matter);
    this.warn(text);
  }

  artifact(name: string, text: string): Promise<void> {
    return this.context.artifact(name, text);
  }

  json(name: string, value: unknown): Promise<void> {
    return this.artifact(name, jsonText(value));
  }

  /** L-043: the table is shown at launch and at the end. */
  async ask<Name extends JudgementName>(
    limit: TimeLimit,
    calls: readonly Call<Name>[],
    table?: StatusTable,
  ): Promise<Reply<Name>[]> {
    const filled = calls.filter(([seat]) => seat.agents.length > 0);
    const showTable = (statusOf: (index: number) => SeatStatus) => {
      if (table === undefined || calls.length === 0) return;
      const states = calls.map(([seat], index) => ({ label: seat.label, status: statusOf(index) }));
      this.note(statusLine(table, states));
    };
    const answers = await callAll(
      this,
      filled.map(([seat, question]) => [seat, this.#task(limit, seat, question)] as const),
      () => showTable((index) => ({ state: calls[index]?.[0].agents.length === 0 ? 'skipped' : 'pending' })),
    );
    const byKey = new Map(answers.map((answer) => [answer.lane, answer]));
    const replies = calls.map(([seat, { key, kind }]) => {
      const reply = byKey.get(key) ?? emptySeat<Name>(key, seat.id);
      if (!byKey.has(key)) addLoss(this.context.degraded, lossIn(kind, seat, reply));
      return reply;
    });
    showTable((index) => statusOfReply(replies[index], calls[index]?.[0].planned?.agent));
    return replies;
  }

  #task<Name extends JudgementName>(
    limit: TimeLimit,
    seat: Seat,
    { key, kind, judgement, draft, place, check, inspect, facts: own = {} }: Question<Name>,
  ): Task<Judgement<Name>> {
    const prompt = promptText(this.services, draft(judgementJsonSchema(judgement), seat.outside === true));
    inspect?.(prompt);
    const facts = this.facts(own, seat);
    const limits = { wallMs: limitSeconds(limit, this.agentSeconds) * 1000, idleMs };
    const answer = judgementForm(judgement, { kind, facts, check });
    return { key, kind, phase: this.phase, prompt, facts, answer, limits, place, reuse: this.mayReuse };
  }

  /** Adds what every question of the workflow carries. */
  protected facts(own: Readonly<Record<string, unknown>>, _seat: Seat): Readonly<Record<string, unknown>> {
    return own;
  }

  /** Shortens the time limit of every call. */
  protected get agentSeconds(): number | undefined {
    return undefined;
  }

  /** Whether finished answers of an earlier run count. */
  protected get mayReuse(): boolean {
    return true;
  }

  async checkTree(_boundary: Boundary, _round?: number): Promise<void> {}
}

/** A seat that no agent may fill has no answer. */
function emptySeat<Name extends JudgementName>(lane: string, seat: string): Reply<Name> {
  return {
    ...{ lane, seat, kind: 'unhealthy', message: 'the seat is empty' },
    ...{ agent: '', family: '', elapsedMs: 0, attempts: 0, folder: '', failures: [] },
  };
}

function statusOfReply(reply: Reply<JudgementName> | undefined, planned: string | undefined): SeatStatus {
  if (reply === undefined || reply.agent === '') return { state: 'skipped' };
  const { value, agent, elapsedMs } = reply;
  return value === undefined
    ? { state: 'failed', elapsedMs }
    : { state: 'done', elapsedMs, by: substituteIn(planned, agent) };
}
