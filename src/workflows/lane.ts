import { createHash } from 'node:crypto';
import path from 'node:path';
import { failurePolicies, retryDelayMs } from '../agents/failure-kinds.ts';
import { openLaneEvents } from '../agents/lane-events.ts';
import type { Access, Agent, AgentTask, JsonSchema, LaneKind, LaneResult } from '../agents/port.ts';
import { endOrphans } from '../agents/process/process-record.ts';
import {
  type JudgementName,
  type JudgementReading,
  judgementJsonSchema,
  readJudgement,
} from '../base/schema/judgements.ts';
import { timeOf } from '../engine/clock.ts';
import type { LedgerEntry } from '../engine/ledger.ts';
import type { WorkflowContext, WorkflowDefinition } from '../engine/workflow.ts';
import { compose } from '../prompts/compose.ts';
import { repairPrompt } from '../prompts/panel/common.ts';
import { seededNonce } from '../prompts/untrusted.ts';
import { moveCheckout } from '../repo/git/checkout.ts';
import { readInWords, unreadable } from './answer-in-words.ts';
import { refusalOf } from './checkout-refusal.ts';
import { checkAnswer, completeAnswer, isStrict } from './lane-checks.ts';
import { beginAttempt, finishAttempt, finishedAttempt, readQuestion, repairOf } from './lane-files.ts';
import { agentOf, callAgent, type RunServices, type ServicesOf } from './services.ts';

/** One seat's turn: which question, who may answer it, in which form. */
export type LaneRequest = {
  lane: string;
  phase: string;
  task: string;
  seat: string;
  /** Agents by id, the first choice first. */
  agents: string[];
  judgement: JudgementName;
  wallMs: number;
  idleMs: number;
  /** False: a finished answer of an earlier run is not taken over. */
  reuse?: boolean;
  /** Digest of the question file. */
  digest: string;
  /** Where else than in the project, and whether files may be changed there. Absent: the project, to read. */
  work?: LaneWork;
};

/** A writer starts from `start`: what an attempt that did not end left in the checkout is put back first. */
export type LaneWork = {
  directory: string;
  access: Access;
  start?: { checkout: string; commit: string };
};

/** What came of it. `value` is there exactly when `kind` is `ok`, and fits its schema. */
export type LaneAnswer = {
  lane: string;
  seat: string;
  kind: LaneKind;
  agent: string;
  family: string;
  value?: unknown;
  message?: string;
  elapsedMs: number;
  exitCode?: number;
  /** What was started, when a process was. */
  argv?: readonly string[];
  /** How often agents were called for it, and the folder of the last call. */
  attempts: number;
  folder: string;
  /** Agents that were tried before the one that answered, with what went wrong. */
  failures: { agent: string; kind: LaneKind; message: string }[];
};

/** A lane: attempts, one repair turn, then the next agent of the chain, each a journaled step. */
export function laneWorkflow(servicesOf: ServicesOf): WorkflowDefinition<LaneRequest, LaneAnswer> {
  return {
    name: 'lane',
    async run(context, request) {
      const services = await servicesOf(context.live);
      const failures: LaneAnswer['failures'] = [];
      const started = context.clock.now();
      let attempt = 0;
      let last: { agent: Agent; result: LaneResult } | undefined;
      for (const id of request.agents) {
        const agent = agentOf(services, id);
        for (let retry = 0; ; retry += 1) {
          attempt += 1;
          const result = await askOnce(context, services, request, agent, attempt);
          last = { agent, result };
          if (result.kind === 'ok') return conclude(context, request, last, failures, started, attempt);
          const message = result.message ?? failurePolicies[result.kind].meaning;
          failures.push({ agent: id, kind: result.kind, message });
          context.emit({
            type: 'lane-retry',
            lane: request.lane,
            agent: id,
            attempt,
            kind: result.kind,
            message,
          });
          const delay = retryDelayMs(result.kind, retry + 1, result.retryAfterMs);
          if (delay === undefined) break;
          await context.sleep(delay);
        }
        if (!failurePolicies[last.result.kind as Exclude<LaneKind, 'ok'>].fallback) break;
      }
      if (last === undefined) throw new Error(`The lane ${request.lane} has no agent.`);
      return conclude(context, request, last, failures, started, attempt);
    },
  };
}

function conclude(
  context: WorkflowContext,
  request: LaneRequest,
  { agent, result }: { agent: Agent; result: LaneResult },
  failures: LaneAnswer['failures'],
  started: number,
  attempts: number,
): LaneAnswer {
  const elapsedMs = context.clock.now() - started;
  const { kind, message, usage } = result;
  context.emit({ type: 'lane-end', lane: request.lane, agent: agent.id, kind, message, elapsedMs, usage });
  return {
    lane: request.lane,
    seat: request.seat,
    kind,
    agent: agent.id,
    family: agent.family,
    value: kind === 'ok' ? result.value : undefined,
    message,
    elapsedMs,
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result.argv === undefined ? {} : { argv: result.argv }),
    attempts,
    folder: `${request.lane}-${attempts}`,
    failures,
  };
}

/** One call and, when its form is wrong, one repair turn with the same agent. */
async function askOnce(
  context: WorkflowContext,
  services: RunServices,
  request: LaneRequest,
  agent: Agent,
  attempt: number,
): Promise<LaneResult> {
  context.emit({ type: 'lane-start', lane: request.lane, agent: agent.id, attempt });
  const question = readQuestion(context.live.directory.lanes, request.lane);
  const schema = judgementJsonSchema(request.judgement);
  const first = await call(context, services, request, agent, {
    folder: `${request.lane}-${attempt}`,
    attempt,
    task: request.task,
    prompt: question.prompt,
    asked: question.prompt,
    input: question.input,
    digest: request.digest,
    schema,
  });
  const problems = problemsOf(request, first, question.input);
  if (first.kind !== 'ok' && first.kind !== 'bad_output') return first;
  if (problems.length === 0) return first;
  const said = saidIn(first);
  if (said.trim() === '') return { ...first, kind: 'bad_output', message: problems.join('; ') };
  const reading = readAnswer(request, first);
  const repair = compose(
    repairPrompt({
      task: request.task,
      problems,
      answer: said,
      schema,
      // What is missing from an answer of the right form can only come from what was asked.
      ...(reading.ok ? { question: question.prompt } : {}),
    }),
    { nonce: seededNonce(services.nonceSeed), overrides: services.overrides },
  );
  const second = await call(context, services, request, agent, {
    folder: repairOf(`${request.lane}-${attempt}`),
    attempt,
    task: 'repair',
    prompt: repair.text,
    asked: question.prompt,
    input: question.input,
    digest: createHash('sha256').update(repair.text).digest('hex'),
    schema,
  });
  // A repair that failed does not make a usable first answer worse.
  if (second.kind !== 'ok' && second.kind !== 'bad_output') {
    const message = `${problems.join('; ')}; asked to put that right: ${second.message ?? second.kind}`;
    return accepted(request, first) ?? { ...second, message };
  }
  const earlier = reading.ok ? reading.value : undefined;
  const left = problemsOf(request, second, question.input, earlier);
  if (left.length === 0) return second;
  return (
    accepted(request, second, earlier) ??
    accepted(request, first) ?? { ...second, kind: 'bad_output', message: left.join('; ') }
  );
}

/** What the repair turn is shown; an answer that came as a value alone has no text. */
function saidIn({ text, value }: LaneResult): string {
  return text.trim() !== '' || value === undefined ? text : JSON.stringify(value);
}

/** The judgement that an answer holds, completed by what an earlier turn said. */
function readAnswer(
  { judgement, task }: LaneRequest,
  { value }: LaneResult,
  earlier?: unknown,
): JudgementReading<unknown> {
  try {
    const reading: JudgementReading<unknown> = readJudgement(judgement, value);
    return reading.ok ? { ok: true, value: completeAnswer(task, earlier, reading.value) } : reading;
  } catch (error) {
    return { ok: false, problems: [unreadable(error)] };
  }
}

/** Checks the form; on success the value of the result becomes the tidied judgement. */
function problemsOf(request: LaneRequest, result: LaneResult, input: unknown, earlier?: unknown): string[] {
  if (result.kind !== 'ok' && result.kind !== 'bad_output') return [];
  const reading = readAnswer(request, result, earlier);
  if (!reading.ok) return reading.problems;
  const problems = checked(request.task, reading.value, input);
  if (problems.length > 0) return problems;
  result.kind = 'ok';
  result.value = reading.value;
  return [];
}

function checked(...answer: Parameters<typeof checkAnswer>): string[] {
  try {
    return checkAnswer(...answer);
  } catch (error) {
    return [unreadable(error)];
  }
}

/** After the repair turn a value of the right shape is taken with what is wrong about it said, unless its task is strict. */
function accepted(request: LaneRequest, result: LaneResult, earlier?: unknown): LaneResult | undefined {
  const reading = readAnswer(request, result, earlier);
  if (!reading.ok || isStrict(request.task)) return undefined;
  return {
    ...result,
    kind: 'ok',
    value: reading.value,
    message: 'taken with problems that the repair turn left',
  };
}

type Call = {
  folder: string;
  attempt: number;
  task: string;
  prompt: string;
  /** What the lane was asked first: whatever stands there is by others. */
  asked: string;
  input: unknown;
  digest: string;
  schema: JsonSchema;
};

/** The journaled agent call. A finished answer on disk wins over calling again. */
function call(
  context: WorkflowContext,
  services: RunServices,
  request: LaneRequest,
  agent: Agent,
  { folder, attempt, task, prompt, asked, input, digest, schema }: Call,
): Promise<LaneResult> {
  const { directory } = context.live;
  return context.step(`${task} ${agent.id} ${folder}`, async (signal) => {
    const place = path.join(directory.lanes, folder);
    const own = finishedAttempt(place, digest, agent.id);
    if (own !== undefined) return own;
    const earlier = (request.reuse === false ? [] : (services.earlierLanes ?? []))
      .map((lanes) => finishedAttempt(path.join(lanes, folder), digest, agent.id))
      .find((answer) => answer !== undefined);
    if (earlier !== undefined) {
      beginAttempt(place, prompt);
      finishAttempt(place, { schemaVersion: 1, digest, agent: agent.id, task, result: earlier });
      return earlier;
    }
    await endOrphans([place]);
    // A repair only rewords the answer; the work itself is done.
    const access = task === 'repair' ? 'read' : (request.work?.access ?? 'read');
    const agentTask: AgentTask = {
      task,
      run: directory.id,
      seat: request.seat,
      attempt,
      prompt,
      input,
      directory: request.work?.directory ?? services.project,
      access,
      limits: { wallMs: request.wallMs, idleMs: request.idleMs },
      schema,
      laneDirectory: place,
    };
    // Work that was finished stands in the checkout, even when this process died before it noted the answer.
    if (access === 'write' && (await agent.answered?.(agentTask)) !== true) {
      const start = request.work?.start;
      const refusal =
        start && (await refusalOf(() => moveCheckout(services.project, start.checkout, start.commit)));
      if (refusal !== undefined) return refusal;
    }
    beginAttempt(place, prompt);
    const events = openLaneEvents(place);
    const called = await callAgent(services, agent, agentTask, {
      signal,
      onEvent: events.note,
      live: context.live,
      phase: request.phase,
    }).finally(events.close);
    const entry: LedgerEntry = {
      v: 1,
      id: folder,
      time: timeOf(context.clock),
      phase: request.phase,
      task,
      seat: request.seat,
      agent: agent.id,
      family: agent.family,
      ...(called.model === undefined ? {} : { model: called.model }),
      usage: called.usage,
      durationMs: called.durationMs,
    };
    // A good answer is kept by its agent and counted by whoever goes on; anything else will be paid for again.
    if (signal.aborted && called.kind !== 'ok') context.live.ledger.addStopped(entry);
    signal.throwIfAborted();
    // Before the answer counts as complete: a call that is never made again must not be missing here.
    context.live.ledger.add(entry);
    const { judgement } = request;
    const result = readInWords(agent, called, { judgement, prompt: asked, input, schema });
    finishAttempt(place, { schemaVersion: 1, digest, agent: agent.id, task, result });
    return result;
  });
}
