import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { retryDelayMs } from '../../agents/failure-kinds.ts';
import { openLaneEvents } from '../../agents/lane-events.ts';
import type { Access, Agent, AgentTask, LaneKind, LaneResult } from '../../agents/port.ts';
import { endOrphans } from '../../agents/process/process-record.ts';
import { CharretteError } from '../../base/errors.ts';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { parseJson } from '../../base/safe-json.ts';
import { timeOf } from '../../engine/clock.ts';
import { relocate } from '../../engine/relocate.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { compose } from '../../prompts/compose.ts';
import type { PromptDraft } from '../../prompts/part.ts';
import { seededNonce } from '../../prompts/untrusted.ts';
import { keepWork, moveCheckout } from '../../repo/git/checkout.ts';
import { refusalOf } from '../checkout-refusal.ts';
import { beginAttempt, finishAttempt, finishedAttempt } from '../lane-files.ts';
import { agentOf, callAgent, type RunServices } from '../services.ts';
import type { FeatureInputs } from './inputs.ts';
import type { CallOutcome } from './rules/review-call.ts';

/** Silence for this long ends a call before its wall-clock limit does. */
const idleMs = 600_000;

/** Where an agent works and what it may do there. Absent: it reads the project. */
export type CallPlace = {
  directory: string;
  access: Access;
  /** A writer starts from this commit of this checkout, whatever an attempt that failed left behind. */
  start?: Start;
};

/** `kept` is the git reference under which finished work waits until it lands. */
export type Start = { checkout: string; commit: string; kept: string };

export type CallRequest = {
  /** Names the call for people and on disk; the same in every execution of the run. */
  lane: string;
  task: string;
  prompt: string;
  resume?: string;
  place?: CallPlace;
};

/** What was done or seen once, and where the project lay then. */
type Kept = { schemaVersion: 1; project: string; value?: unknown };

/** Failures of a continued session that say nothing about the session. */
const passing: readonly LaneKind[] = ['rate_limit', 'server', 'network'];

/** Where a command about a feature works: it calls agents, each call a journaled step, and remembers on disk what it did. */
export class FeatureDesk<Inputs extends FeatureInputs = FeatureInputs> {
  readonly context: WorkflowContext;
  readonly services: RunServices;
  readonly inputs: Inputs;
  readonly #used = new Map<string, number>();

  constructor(context: WorkflowContext, services: RunServices, inputs: Inputs) {
    this.context = context;
    this.services = services;
    this.inputs = inputs;
  }

  get nonce() {
    return seededNonce(this.services.nonceSeed);
  }

  note(text: string): void {
    this.context.emit({ type: 'note', phase: this.inputs.phase, text });
  }

  warn(text: string): void {
    this.context.emit({ type: 'warning', phase: this.inputs.phase, text });
  }

  /**
   * Does something once in the life of a run. The journal is begun anew when a failed run goes on; what this did, and what it
   * saw, is kept in the run directory, so a document is never put back to an earlier state and a finished call is
   * asked for in the same words. Places in it are those of the project as it lies now.
   */
  async once<Result>(name: string, body: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const file = this.#keptFile(name);
    const { project } = this.services;
    const kept = await this.context.step(name, async (signal) => {
      if (existsSync(file)) return parseJson(readFileSync(file, 'utf8'), file) as Kept;
      const made: Kept = { schemaVersion: 1, project, value: await body(signal) };
      await writeJsonAtomic(file, made);
      return made;
    });
    return relocate(kept.value, kept.project, project) as Result;
  }

  /** A run that goes on after its failure does this again. */
  forget(name: string): void {
    rmSync(this.#keptFile(name), { force: true });
  }

  #keptFile(name: string): string {
    return path.join(this.context.live.directory.root, 'steps', `${fileNameOf(name)}.json`);
  }

  /** The time now, the same when the run is replayed. */
  now(name: string): Promise<number> {
    return this.once(`time ${name}`, async () => this.context.clock.now());
  }

  /** One agent call with the retries its failure allows. A failure is part of the outcome; whether it matters is for the caller to say. */
  async call(agentId: string, request: CallRequest): Promise<CallOutcome> {
    const agent = agentOf(this.services, agentId);
    const lane = this.#open(agent, request);
    for (let retry = 1; ; retry += 1) {
      const result = await this.#attempt(agent, lane, request, retry);
      const outcome = this.#close(agent, lane, result);
      const again = request.resume === undefined || passing.includes(result.kind);
      const delay = again ? retryDelayMs(result.kind, retry, result.retryAfterMs) : undefined;
      if (result.kind === 'ok' || delay === undefined) return outcome;
      await this.context.sleep(delay);
    }
  }

  /** Calls side by side, once each; T-134: no more at a time than the run allows. */
  async callAll(calls: readonly { agent: string; request: CallRequest }[]): Promise<CallOutcome[]> {
    const opened = calls.map(({ agent: id, request }) => {
      const agent = agentOf(this.services, id);
      return { agent, request, lane: this.#open(agent, request) };
    });
    const results = await Promise.all(
      opened.map(({ agent, lane, request }) => this.#attempt(agent, lane, request, 1)),
    );
    return opened.map(({ agent, lane }, index) => {
      const result = results[index];
      if (result === undefined) throw new Error(`The call ${lane} gave no result.`);
      return this.#close(agent, lane, result);
    });
  }

  #open(agent: Agent, { lane: wanted, task }: CallRequest): string {
    const name = wanted.replace(/[^a-z0-9.-]+/gi, '-');
    const count = (this.#used.get(name) ?? 0) + 1;
    this.#used.set(name, count);
    const lane = count === 1 ? name : `${name}.${count}`;
    const { phase } = this.inputs;
    this.#event(`${lane}:queue`, {
      type: 'lane-queue',
      lane,
      task,
      seat: agent.id,
      label: wanted,
      phase,
    });
    return lane;
  }

  #attempt(agent: Agent, lane: string, request: CallRequest, retry: number): Promise<LaneResult> {
    return this.context.step(`${request.task} ${lane}${retry === 1 ? '' : ` ${retry}`}`, (signal) =>
      this.#perform(agent, lane, request, signal),
    );
  }

  #close(agent: Agent, lane: string, result: LaneResult): CallOutcome {
    const { kind, message, usage, durationMs } = result;
    const attempt = attemptsOf(this.context.live.directory.lanes, lane);
    this.#event(`${lane}:${attempt}:end`, {
      type: 'lane-end',
      lane,
      agent: agent.id,
      kind,
      message,
      elapsedMs: durationMs,
      usage,
    });
    return outcomeOf(result);
  }

  /** Named after the attempt, so that the events of a call that is made again stand beside those of the one that failed. */
  #event(id: string, body: Parameters<WorkflowContext['emit']>[0]): void {
    this.context.live.events.emit(`call:${id}`, body);
  }

  async #perform(
    agent: Agent,
    lane: string,
    { task, prompt, resume, place }: CallRequest,
    signal: AbortSignal,
  ): Promise<LaneResult> {
    const { lanes, id: run } = this.context.live.directory;
    // Wherever the project lies: a finished answer counts in a copy of it too.
    const words = relocate(prompt, this.services.project, '.');
    const digest = createHash('sha256')
      .update(JSON.stringify([words, resume ?? '']))
      .digest('hex');
    for (let attempt = 1; ; attempt += 1) {
      const folder = path.join(lanes, `${lane}-${attempt}`);
      // A finished answer on disk wins over calling again; one that failed stays on record and is not taken for an answer.
      const finished = finishedAttempt(folder, digest, agent.id);
      if (finished !== undefined) return finished;
      if (existsSync(path.join(folder, 'result.json'))) continue;
      await endOrphans([folder]);
      const agentTask: AgentTask = {
        task,
        run,
        seat: agent.id,
        attempt,
        prompt,
        directory: place?.directory ?? this.services.project,
        access: place?.access ?? 'read',
        limits: { wallMs: this.inputs.agentSeconds * 1000, idleMs },
        laneDirectory: folder,
        ...(resume === undefined ? {} : { resume: { session: resume, fork: false } }),
      };
      // Work that was finished stands in the checkout, even when this process died before it noted the answer.
      const { project } = this.services;
      const start = place?.start;
      if (start !== undefined && (await agent.answered?.(agentTask)) !== true) {
        const refusal = await refusalOf(() => moveCheckout(project, start.checkout, start.commit));
        if (refusal !== undefined) return refusal;
      }
      beginAttempt(folder, prompt);
      this.#event(`${lane}:${attempt}:start`, { type: 'lane-start', lane, agent: agent.id, attempt });
      const events = openLaneEvents(folder);
      const answer = await callAgent(this.services, agent, agentTask, {
        signal,
        onEvent: events.note,
        live: this.context.live,
        phase: this.inputs.phase,
      }).finally(events.close);
      signal.throwIfAborted();
      this.context.live.ledger.add({
        v: 1,
        id: `${lane}-${attempt}`,
        time: timeOf(this.context.clock),
        phase: this.inputs.phase,
        task,
        seat: agent.id,
        agent: agent.id,
        family: agent.family,
        ...(answer.model === undefined ? {} : { model: answer.model }),
        usage: answer.usage,
        durationMs: answer.durationMs,
      });
      // Before the answer counts: an answer without its work would be worth nothing.
      const refusal =
        answer.kind === 'ok' && start !== undefined
          ? await refusalOf(() => keepWork(project, start.checkout, start.commit, start.kept))
          : undefined;
      const { kind, message } = refusal ?? answer;
      const result = refusal === undefined ? answer : { ...answer, kind, message };
      finishAttempt(folder, { schemaVersion: 1, digest, agent: agent.id, task, result });
      return result;
    }
  }

  /** Asks until the answer can be read, twice at most; then the run stops and can go on when the cause is mended. */
  async author<Result>(
    draft: PromptDraft,
    lane: string,
    read: (text: string) => { ok: true; value: Result } | { ok: false; problem: string },
  ): Promise<Result> {
    const { overrides } = this.services;
    const prompt = compose(draft, { nonce: this.nonce, overrides }).text;
    let problem = '';
    for (const again of [false, true]) {
      const words = again ? `${prompt}\nYour last answer could not be used: ${problem}.\n` : prompt;
      const outcome = await this.call(this.inputs.author, {
        lane: again ? `${lane}-again` : lane,
        task: draft.task,
        prompt: words,
      });
      if (outcome.error !== undefined) throw unanswered(this.inputs.author, draft.task, outcome.error);
      const reading = read(outcome.text);
      if (reading.ok) return reading.value;
      problem = reading.problem;
    }
    throw unanswered(this.inputs.author, draft.task, problem);
  }
}

/** An agent that could not be reached, or said nothing of use, is no verdict: the run stops and can go on. */
export function unanswered(agent: string, task: string, problem: string): CharretteError {
  return new CharretteError({
    code: 'author-failed',
    message: `${agent} gave no usable answer to ${task}: ${problem.replace(/\.$/, '')}.`,
    fix: 'Mend the named cause (login, limits, network) and go on with `charrette resume`, or start again with another agent in --agents.',
    retryable: true,
  });
}

function attemptsOf(lanes: string, lane: string): number {
  let attempt = 1;
  while (existsSync(path.join(lanes, `${lane}-${attempt + 1}`))) attempt += 1;
  return attempt;
}

/** Names are ours, but role and task numbers in them come from files: the hash keeps them apart, the rest is for people. */
function fileNameOf(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.replace(/[^a-z0-9.]+/gi, '-').slice(0, 80)}-${digest}`;
}

function outcomeOf({ kind, text, session, message, usage }: LaneResult): CallOutcome {
  return {
    text,
    ...(session === undefined ? {} : { session }),
    ...(kind === 'ok' ? {} : { error: message ?? kind }),
    ...(usage.basis === 'unknown' ? {} : { totalTokens: usage.inputTokens + usage.outputTokens }),
  };
}
