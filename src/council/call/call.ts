import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { failurePolicies, retryDelayMs } from '../../agents/failure-kinds.ts';
import {
  type Agent,
  type JsonSchema,
  type LaneKind,
  type LaneResult,
  type TaskLimits,
  type Usage,
  unknownUsage,
} from '../../agents/port.ts';
import { timeOf } from '../../engine/clock.ts';
import type { EventBody } from '../../engine/event.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { repairPrompt } from '../../prompts/panel/common.ts';
import { addLoss, lossIn } from '../health.ts';
import { type LimitClock, settleLimits } from './limits.ts';
import {
  agentOf,
  attemptIn,
  attemptTime,
  beginAttempt,
  type Caller,
  type CallServices,
  callOnce,
  finishAttempt,
  type Place,
  promptText,
  repairOf,
  writeQuestion,
} from './once.ts';

/** Who answers: agents by id, the first choice first. */
export type Seat = {
  id: string;
  label: string;
  agents: readonly string[];
  /** The agent that was announced for it; `down`: why that agent is unavailable. */
  planned?: { agent: string; down?: string };
  /** Of the agents the author, who takes the seat after any failure but that of a used-up account (Q-023). */
  standIn?: string | undefined;
};

/** What a seat is asked. */
export type Task<T> = {
  /** Names the call on disk and in events; the same in every execution of the run. */
  key: string;
  /** CHARRETTE_TASK of the agent. */
  kind: string;
  phase: string;
  prompt: string;
  /** The question as data, for agents inside this process. */
  facts?: unknown;
  answer: AnswerForm<T>;
  limits: TaskLimits;
  /** Default: the agent reads the project. */
  place?: Place | undefined;
  /** Continues this session of the agent. */
  session?: string | undefined;
  /** False: a finished answer of an earlier run is not reused. A text: that of the call with this name is. */
  reuse?: boolean | string;
};

/** A value of the right shape, with what is wrong about it; without one, why there is none. */
export type Reading<T> = { value?: T; problems: string[] };

/** The form of an answer; without a schema it is free text, which is never repaired. */
export type AnswerForm<T> = {
  schema?: JsonSchema;
  /** Finds the value in an answer, before the answer is saved. */
  find?(agent: Agent, result: LaneResult, prompt: string): LaneResult;
  /** `earlier`: what the answer before the repair turn was. */
  check?(value: unknown, earlier?: T): Reading<T>;
  /** A value with problems is worth nothing, even after the repair turn. */
  strict?: boolean;
};

export const textAnswer: AnswerForm<string> = {};

/** What came of a call. `value` exists exactly when `kind` is `ok`. */
export type Reply<T = unknown> = {
  lane: string;
  seat: string;
  kind: LaneKind;
  agent: string;
  family: string;
  value?: T;
  /** The answer of a task in free text, also of one that failed. */
  text?: string;
  session?: string;
  message?: string;
  usage?: Usage;
  elapsedMs: number;
  exitCode?: number;
  /** What was started, when a process was. */
  argv?: readonly string[];
  /** How often agents were called, and the folder of the last call. */
  attempts: number;
  folder: string;
  /** Agents that failed before one answered, with the reason. */
  failures: { agent: string; kind: LaneKind; message: string }[];
  /** Agents whose accounts are used up, and when they may be called again. */
  usedUp?: { agent: string; until?: number }[];
};

export type CallRun = { context: WorkflowContext; services: CallServices };

/** The only way to an agent from a workflow: one call, one journaled step. */
export async function call<T>(run: CallRun, seat: Seat, task: Task<T>): Promise<Reply<T>> {
  const [reply] = await callAll(run, [[seat, task]]);
  if (reply === undefined) throw new Error(`The call ${task.key} gave no reply.`);
  return reply;
}

/**
 * Calls agents in parallel and waits for all: each call is one journaled step with its attempts, repair turns and fallback. What
 * an attempt gave is in its `result.json` before the next one begins, so a killed run repeats only what was running. Calls on
 * used-up accounts come last: once all others have ended, a rule or you decide about them, and they may be made again.
 */
export async function callAll<T>(
  run: CallRun,
  calls: readonly (readonly [Seat, Task<T>])[],
  queued: () => void = () => {},
): Promise<Reply<T>[]> {
  const { context, services } = run;
  const { live } = context;
  const { lanes } = live.directory;
  const asked = calls.map(([seat, task]) => {
    const { key, kind, phase, prompt, facts, session } = task;
    const question = { prompt, input: facts, session };
    const digest = writeQuestion({ lanes, project: services.project }, key, question);
    const { id, label, planned } = seat;
    const announced = planned === undefined ? {} : { planned: planned.agent };
    context.emit({ type: 'lane-queue', lane: key, task: kind, seat: id, label, phase, ...announced });
    return { seat, task, digest };
  });
  queued();
  const replies = await performAll(run, asked, 0);
  const clock: LimitClock = {};
  const met = asked.map(() => new Set<string>());
  for (let round = 1; ; round += 1) {
    const lost = asked.flatMap(({ seat, task }, index) => {
      const { value, usedUp = [] } = replies[index] ?? {};
      const [first] = usedUp;
      if (value !== undefined || first === undefined) return [];
      for (const { agent } of usedUp) met[index]?.add(agent);
      const mayStayEmpty = asked.length > 1;
      return [
        {
          index,
          key: task.key,
          label: seat.label,
          ...first,
          usedUp: [...(met[index] ?? [])],
          standIn: seat.standIn,
          ...(separate.includes(task.kind) ? { barred: othersIn(asked, seat) } : {}),
          mayStayEmpty,
        },
      ];
    });
    const decisions = await settleLimits(run, lost, round, clock);
    const again = lost.flatMap(({ index }, at) => {
      const [each, decision] = [asked[index], decisions[at]];
      if (each === undefined || decision?.kind !== 'again') return [];
      const { agents = each.seat.agents } = decision;
      return [{ ...each, index, seat: { ...each.seat, agents }, after: replies[index] }];
    });
    if (again.length === 0) break;
    const next = await performAll(run, again, round);
    for (const [at, { index, after }] of again.entries()) {
      const reply = next[at];
      if (reply === undefined) continue;
      const failures = [...(after?.failures ?? []), ...reply.failures];
      replies[index] = { ...reply, failures, attempts: (after?.attempts ?? 0) + reply.attempts };
    }
  }
  for (const [index, { seat, task }] of asked.entries()) {
    const reply = replies[index];
    if (reply !== undefined) addLoss(context.degraded, lossIn(task.kind, seat, reply));
  }
  return replies;
}

/** Tasks whose answers are counted: nobody gives two of them. */
const separate = ['vote', 'judge'];

function othersIn(asked: readonly { seat: Seat }[], own: Seat): string[] {
  return asked.flatMap(({ seat }) => (seat.id === own.id ? [] : seat.agents));
}

type Asked<T> = { seat: Seat; task: Task<T>; digest: string; after?: Reply<T> | undefined };

/** One journaled step for each call. `round`: how often calls of this group were made before. */
async function performAll<T>(
  { context, services }: CallRun,
  asked: readonly Asked<T>[],
  round: number,
): Promise<Reply<T>[]> {
  const { live } = context;
  const steps = asked.map(({ seat, task, digest, after }) =>
    context.step(`call ${task.key}${round === 0 ? '' : ` again ${round}`}`, (signal) =>
      new SeatCall<T>({ live, services, signal }, seat, task, digest, { round, after }).reply(),
    ),
  );
  // One that throws ends the run, and nothing of the run may be running then.
  await Promise.allSettled(steps);
  const replies = await Promise.all(steps);
  // The step of a finished call does not run again, so its events have to be told from its reply.
  if (live.eventsLost) for (const reply of replies) rebuildEvents(live, reply, round);
  return replies;
}

/** Ids and order are those of `SeatCall.reply`: an event that is in the log is not written again. */
function rebuildEvents(live: LiveRun, reply: Reply, round: number): void {
  const { lane, agent, kind, message, elapsedMs, usage = unknownUsage, failures } = reply;
  const events = new CallEvents(live, lane, live.events.start, round);
  for (const [index, failure] of failures.entries()) {
    const attempt = index + 1;
    events.emit({ type: 'lane-start', agent: failure.agent, attempt });
    events.emit({ type: 'lane-retry', attempt, ...failure });
  }
  if (kind === 'ok') events.emit({ type: 'lane-start', agent, attempt: failures.length + 1 });
  events.emit({ type: 'lane-end', agent, kind, message, elapsedMs, usage });
}

/** Failures of a continued session that say nothing about the session. */
const passing: readonly LaneKind[] = ['rate_limit', 'server', 'network'];

type Attempt = { agent: Agent; number: number; digest: string };

/** The body of the step: attempts with one repair turn each, then the next agent of the seat. */
export class SeatCall<T> {
  readonly #caller: Caller;
  readonly #seat: Seat;
  readonly #task: Task<T>;
  readonly #digest: string;
  /** The start of the run that has the answer; else the current one. */
  readonly #start: number;
  readonly #events: CallEvents;
  /** Attempts of earlier rounds. */
  readonly #made: number;

  /** `after`: what an earlier round of the same call came to. */
  constructor(
    caller: Caller,
    seat: Seat,
    task: Task<T>,
    digest: string,
    { round = 0, after }: { round?: number; after?: Reply<T> | undefined } = {},
  ) {
    this.#made = after === undefined ? 0 : Number(after.folder.slice(task.key.length + 1));
    this.#caller = caller;
    this.#seat = seat;
    this.#task = task;
    this.#digest = digest;
    this.#start = this.#answeredStart() ?? caller.live.events.start;
    this.#events = new CallEvents(caller.live, task.key, this.#start, round);
  }

  async reply(): Promise<Reply<T>> {
    const { live, services } = this.#caller;
    const failures: Reply['failures'] = [];
    const since = live.clock.now();
    let number = this.#made;
    let last: { agent: Agent; result: LaneResult } | undefined;
    const usedUp: NonNullable<Reply['usedUp']> = [];
    const mayFallBack = (services.limitRule?.onLimit ?? 'fallback') === 'fallback';
    for (const id of this.#seat.agents) {
      if (usedUp.length > 0 && id === this.#seat.standIn) continue;
      const agent = agentOf(services, id);
      for (let retry = 1; ; retry += 1) {
        number = this.#numberAfter(number);
        if (last !== undefined) await live.checkpoint();
        this.#events.emit({ type: 'lane-start', agent: id, attempt: number });
        const { result, isRepaired } = await this.#attempt({ agent, number, digest: this.#digest });
        last = { agent, result };
        if (result.kind === 'ok') return this.#conclude(last, failures, since, number);
        if (result.kind === 'quota') usedUp.push({ agent: id, ...untilOf(result) });
        const { kind, message = failurePolicies[result.kind].meaning } = result;
        failures.push({ agent: id, kind, message });
        this.#events.emit({ type: 'lane-retry', agent: id, attempt: number, kind, message });
        const delayMs = this.#retryDelay(result, retry);
        // An agent that was asked to repair its answer had its second chance.
        if (delayMs === undefined || (isRepaired && result.kind === 'bad_output')) break;
        await this.#wait(number, delayMs);
      }
      if (last.result.kind === 'ok' || !failurePolicies[last.result.kind].fallback) break;
      if (last.result.kind === 'quota' && !mayFallBack) break;
    }
    if (last === undefined) throw new Error(`The lane ${this.#task.key} has no agent.`);
    const reply = this.#conclude(last, failures, since, number);
    return usedUp.length === 0 ? reply : { ...reply, usedUp };
  }

  #folder(number: number): string {
    return path.join(this.#caller.live.directory.lanes, `${this.#task.key}-${number}`);
  }

  /** Attempts of other starts stay as they are. */
  #numberAfter(number: number): number {
    const start = attemptIn(this.#folder(number + 1))?.start ?? this.#start;
    return start === this.#start ? number + 1 : this.#numberAfter(number + 1);
  }

  /** The start whose answer to this very question is on disk and of use. */
  #answeredStart(): number | undefined {
    for (let number = 1; existsSync(this.#folder(number)); number += 1) {
      const first = attemptIn(this.#folder(number));
      if (first?.digest !== this.#digest || !this.#seat.agents.includes(first.agent)) continue;
      const judged = this.#judge(first.result);
      const second = judged.repair === undefined ? undefined : attemptIn(repairOf(this.#folder(number)));
      const result = second === undefined ? judged.result : this.#judgeRepair(judged, second.result);
      if (result.kind === 'ok' && (judged.repair === undefined || second !== undefined))
        return first.start ?? 1;
    }
    return undefined;
  }

  /** One call and, when its form is wrong, one repair turn with the same agent. */
  async #attempt(attempt: Attempt): Promise<{ result: LaneResult; isRepaired: boolean }> {
    const { key, kind, prompt, place } = this.#task;
    const folder = `${key}-${attempt.number}`;
    const first = await this.#obtain(attempt, { folder, kind, prompt, place });
    const judged = this.#judge(first.result);
    const { repair } = judged;
    if (repair === undefined) return { result: judged.result, isRepaired: false };
    const draft = repairPrompt({
      task: kind,
      problems: repair.problems,
      answer: repair.text,
      schema: this.#task.answer.schema ?? {},
      // An answer of the right form can only lack what the question required.
      ...(repair.value === undefined ? {} : { question: prompt }),
    });
    const text = promptText(this.#caller.services, draft);
    const digest = createHash('sha256').update(text).digest('hex');
    await this.#caller.live.checkpoint();
    const second = await this.#obtain(
      { ...attempt, digest },
      {
        folder: repairOf(folder),
        kind: 'repair',
        prompt: text,
        // A repair only rewords the answer; the work itself is done.
        place: place === undefined ? undefined : { directory: place.directory, access: 'read' },
        from: first.from === undefined ? undefined : repairOf(first.from),
      },
    );
    return { result: this.#judgeRepair(judged, second.result), isRepaired: true };
  }

  /** The first answer: of use, a failure, or worth a repair turn. */
  #judge(first: LaneResult): Judged<T> {
    const { check, schema } = this.#task.answer;
    if (check === undefined || schema === undefined) {
      return { result: first.kind === 'ok' ? { ...first, value: first.text } : first };
    }
    if (first.kind !== 'ok' && first.kind !== 'bad_output') return { result: first };
    const { value, problems } = check(first.value);
    if (problems.length === 0) return { result: { ...first, kind: 'ok', value } };
    const failed: LaneResult = { ...first, kind: 'bad_output', message: problems.join('; ') };
    // An answer that came as a value alone has no text.
    const said = first.text.trim() !== '' || first.value === undefined;
    const text = said ? first.text : JSON.stringify(first.value);
    if (text.trim() === '') return { result: failed };
    return { result: failed, repair: { first, problems, text, ...(value === undefined ? {} : { value }) } };
  }

  #judgeRepair({ result, repair }: Judged<T>, second: LaneResult): LaneResult {
    const { check } = this.#task.answer;
    if (repair === undefined || check === undefined) return result;
    const usable = this.#accept(repair.first, repair.value);
    // A repair that failed does not make a usable first answer worse.
    if (second.kind !== 'ok' && second.kind !== 'bad_output') {
      const message = `${repair.problems.join('; ')}; asked to put that right: ${second.message ?? second.kind}`;
      return usable ?? { ...second, message };
    }
    const { value, problems } = check(second.value, repair.value);
    if (problems.length === 0) return { ...second, kind: 'ok', value };
    return (
      this.#accept(second, value) ?? usable ?? { ...second, kind: 'bad_output', message: problems.join('; ') }
    );
  }

  /** After the repair turn a value of the right shape counts with what is wrong about it, unless its form is strict. */
  #accept(result: LaneResult, value: T | undefined): LaneResult | undefined {
    if (value === undefined || this.#task.answer.strict === true) return undefined;
    return { ...result, kind: 'ok', value, message: 'taken with problems that the repair turn left' };
  }

  /** What an attempt or a repair turn gave: from disk, from an earlier run, or now. */
  async #obtain(
    { agent, number, digest }: Attempt,
    {
      folder,
      kind,
      prompt,
      place,
      from,
    }: { folder: string; kind: string; prompt: string; place: Place | undefined; from?: string | undefined },
  ): Promise<{ result: LaneResult; from?: string }> {
    const { live } = this.#caller;
    const { phase, facts, answer, limits, session } = this.#task;
    const target = path.join(live.directory.lanes, folder);
    const own = attemptIn(target);
    if (own?.digest === digest && own.agent === agent.id) return { result: own.result };
    const save = (result: LaneResult) => {
      const when = { start: this.#start, time: timeOf(live.clock) };
      finishAttempt(target, { schemaVersion: 1, digest, agent: agent.id, task: kind, ...when, result });
    };
    const earlier = from ?? (kind === 'repair' ? undefined : this.#earlierFolder(agent.id, digest));
    const reused = earlier === undefined ? undefined : attemptIn(earlier);
    if (reused?.digest === digest && reused.agent === agent.id && earlier !== undefined) {
      beginAttempt(target, prompt);
      save(reused.result);
      return { result: reused.result, from: earlier };
    }
    const called = await callOnce(this.#caller, agent, {
      ...{ folder: target, attempt: number, seat: this.#seat.id, phase, kind, prompt, limits, place },
      ...(facts === undefined ? {} : { facts }),
      ...(answer.schema === undefined ? {} : { schema: answer.schema }),
      ...(kind === 'repair' ? {} : { session }),
    });
    if (called.unsaved) return { result: called.result };
    const result = answer.find?.(agent, called.result, this.#task.prompt) ?? called.result;
    save(result);
    return { result };
  }

  /** Where an earlier run has a finished answer of this agent: a good one, or one whose repair turn ended well. */
  #earlierFolder(agent: string, digest: string): string | undefined {
    const { reuse = true, key } = this.#task;
    const lanes = reuse === false ? [] : (this.#caller.services.earlierLanes ?? []);
    for (const each of lanes) {
      for (let number = 1; ; number += 1) {
        const folder = path.join(each, `${reuse === true ? key : reuse}-${number}`);
        if (!existsSync(folder)) break;
        const found = attemptIn(folder);
        if (found?.digest !== digest || found.agent !== agent) continue;
        const isRepaired = () => attemptIn(repairOf(folder))?.result.kind === 'ok';
        const { kind } = found.result;
        if (kind === 'ok' || (kind === 'bad_output' && isRepaired())) return folder;
      }
    }
    return undefined;
  }

  #retryDelay({ kind, retryAfterMs }: LaneResult, retry: number): number | undefined {
    if (this.#task.session !== undefined && !passing.includes(kind)) return undefined;
    return retryDelayMs(kind, retry, retryAfterMs);
  }

  /** A resumed call waits only for the rest, and never longer than the delay, whatever the clock does. */
  async #wait(number: number, delayMs: number): Promise<void> {
    if (attemptIn(this.#folder(this.#numberAfter(number))) !== undefined) return;
    const { live, signal } = this.#caller;
    const now = live.clock.now();
    const restMs = Math.min(delayMs, (attemptTime(this.#folder(number)) ?? now) + delayMs - now);
    if (restMs > 0) await sleep(restMs, undefined, { signal });
  }

  #conclude(
    { agent, result }: { agent: Agent; result: LaneResult },
    failures: Reply['failures'],
    since: number,
    number: number,
  ): Reply<T> {
    const { key, answer } = this.#task;
    const elapsedMs = this.#caller.live.clock.now() - since;
    const { kind, message, usage, text, session, exitCode, argv } = result;
    this.#events.emit({ type: 'lane-end', agent: agent.id, kind, message, elapsedMs, usage });
    return {
      ...{ lane: key, seat: this.#seat.id, kind, agent: agent.id, family: agent.family, elapsedMs, usage },
      ...(kind === 'ok' ? { value: result.value as T } : {}),
      ...(answer.schema === undefined ? { text } : {}),
      ...(session === undefined ? {} : { session }),
      ...(message === undefined ? {} : { message }),
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(argv === undefined ? {} : { argv }),
      ...{ attempts: failures.length + (kind === 'ok' ? 1 : 0), folder: `${key}-${number}`, failures },
    };
  }
}

/** When a used-up account may be called again, if known. */
function untilOf({ limit }: LaneResult): { until?: number } {
  const until = limit?.openUntil ?? limit?.resetsAt;
  return until === undefined ? {} : { until };
}

/** `repair`: what the repair turn is about; without it the result is final. */
type Judged<T> = {
  result: LaneResult;
  repair?: { first: LaneResult; problems: string[]; text: string; value?: T };
};

type CallEvent = Extract<EventBody, { lane: string }>;
type WithoutLane<Event> = Event extends unknown ? Omit<Event, 'lane'> : never;

/** Events of one call, numbered apart from those of the workflow and per start of the run: a repeated call repeats their ids. */
class CallEvents {
  readonly #live: LiveRun;
  readonly #lane: string;
  readonly #space: string;
  #emitted = 0;

  constructor(live: LiveRun, lane: string, start: number, round: number) {
    this.#live = live;
    this.#lane = lane;
    this.#space = `${start === 1 ? lane : `${lane}~${start}`}${round === 0 ? '' : `+${round}`}`;
  }

  emit(body: WithoutLane<CallEvent>): void {
    this.#emitted += 1;
    this.#live.events.emit(`${this.#space}:${this.#emitted}`, { ...body, lane: this.#lane } as CallEvent);
  }
}
