import type { JsonSchema } from '../agents/port.ts';
import { CharretteError } from '../base/errors.ts';
import { jsonText } from '../base/safe-json.ts';
import { type Judgement, type JudgementName, judgementJsonSchema } from '../base/schema/judgements.ts';
import type { WorkflowContext } from '../engine/workflow.ts';
import type { PromptDraft } from '../prompts/part.ts';
import type { Boundary } from '../repo/git/tree-probe.ts';
import { type SeatStatus, type StatusTable, statusLine, substituteIn } from './breadcrumbs.ts';
import { type Reply as CallReply, callAll, type Task } from './call/call.ts';
import { type AnswerCheck, judgementForm } from './call/judgement.ts';
import { type CallServices, type Place, promptText } from './call/once.ts';
import { addLoss, lossIn } from './health.ts';
import type { Chair } from './panels.ts';

/** A place at the table and the agents that may take it, the first choice first. Without agents it stays empty. */
export type Seat = {
  id: string;
  label: string;
  /** Default: generic. */
  stance?: string;
  /** The project's own words for its stance. */
  stanceText?: string | undefined;
  agents: string[];
  /** The agent that it is meant for, whichever takes it (L-042). Default: the first. */
  owner?: string;
  output?: string;
  /** Of judges and voters. */
  chair?: Chair;
  /** The agent that was announced for it when the run started; `down`: why that agent is unavailable. */
  planned?: { agent: string; down?: string };
  /** The author, where it may take the seat of an agent that failed, but not of one whose account is used up. */
  standIn?: string | undefined;
  /** L-207: another agent than the author is asked, and asked for the most it can do. */
  outside?: boolean;
};

/** One question to one seat. */
export type Question<Name extends JudgementName> = {
  /** Its folder among the calls of the run; stable. */
  key: string;
  /** The name of the task that the agent gets. */
  kind: string;
  judgement: Name;
  draft: (schema: JsonSchema, maximumEffort: boolean) => PromptDraft;
  /** The same question as data, for agents that live in this process. */
  facts?: Readonly<Record<string, unknown>>;
  /** Where the agent works. Default: it reads the project. */
  place?: Place | undefined;
  /** Demands on the answer that its schema cannot express. */
  check?: AnswerCheck<Name> | undefined;
  /** Sees the prompt before any agent does. */
  inspect?: ((prompt: string) => void) | undefined;
};

export type Call<Name extends JudgementName> = readonly [seat: Seat, question: Question<Name>];

/** What came of a call; without a value it failed. An empty seat replies without an agent. */
export type Reply<Name extends JudgementName> = CallReply<Judgement<Name>>;

/** All that a round may do; the workflow that holds the round provides it. */
export type Council = {
  /** L-204: asks all seats in parallel and waits for every one. With `table` their states are shown at launch and at the end. */
  ask<Name extends JudgementName>(
    limit: TimeLimit,
    calls: readonly Call<Name>[],
    table?: StatusTable,
  ): Promise<Reply<Name>[]>;
  /** Writes a file of the public record. */
  artifact(name: string, text: string): Promise<void>;
  warn(text: string): void;
  /** L-420: checks that the agents of a round left the working tree as it was. */
  checkTree(boundary: Boundary, round?: number): Promise<void>;
};

/** L-930, L-931, P-067: the only place with time limits of calls, in seconds. */
export const timeLimits = {
  sketch: 1200,
  review: 1800,
  debate: 1800,
  judge: 1800,
  vote: 1200,
  author: 1800,
  stage: 3600,
} as const;

export type TimeLimit = keyof typeof timeLimits;

/** L-375: names every attempt that failed with its reason, also when another agent answered in the end. */
export function warnOfFailures(
  council: Council,
  label: string,
  { failures }: Pick<Reply<JudgementName>, 'failures'>,
): void {
  const times = new Map<string, number>();
  for (const { agent, message } of failures) {
    const text = `${label} failed — ${agent}: ${message}`;
    times.set(text, (times.get(text) ?? 0) + 1);
  }
  for (const [text, count] of times) council.warn(count === 1 ? text : `${text} (${count} attempts)`);
}

/** A narrow task of the author (C-31) that the run can do without. */
export async function tryAuthor<Name extends JudgementName>(
  council: Council,
  author: Seat,
  question: Question<Name>,
): Promise<Reply<Name>> {
  const [reply] = await council.ask('author', [[author, question]]);
  if (reply === undefined) throw new Error(`The task ${question.kind} has no reply.`);
  warnOfFailures(council, `${author.label} (${question.kind})`, reply);
  return reply;
}

/** C-31: a task of the author that the run needs; without a usable answer it fails with every attempt named, and can be resumed. */
export async function askAuthor<Name extends JudgementName>(
  council: Council,
  author: Seat,
  question: Question<Name>,
): Promise<Judgement<Name>> {
  const { value, failures } = await tryAuthor(council, author, question);
  if (value !== undefined) return value;
  const tried = failures.map(({ agent, kind, message }) => `${agent}: ${kind} (${message})`).join('; ');
  throw new CharretteError({
    code: 'author-failed',
    message: `No agent could do the task ${question.kind}: ${tried}.`,
    fix: 'Fix the named cause (login, limits, network), then resume the run: finished calls are not repeated.',
    retryable: true,
  });
}

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
