import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { parseJson } from '../../base/safe-json.ts';
import { loadExactCounter } from '../../base/text/tokens.ts';
import { call, callAll, type Reply, type Seat, type Task, textAnswer } from '../../council/call/call.ts';
import type { CallServices, Place } from '../../council/call/once.ts';
import { relocate } from '../../engine/run-directory.ts';
import type { Outcome, WorkflowContext } from '../../engine/workflow.ts';
import { compose, type PromptDraft, seededNonce } from '../../prompts/part.ts';
import type { FeatureImplementInputs, FeatureInputs, FeaturePhaseInputs } from './inputs.ts';
import type { CallOutcome, RolePort } from './rules/role-call.ts';

/** A call that makes no progress for this long ends before its wall-clock limit. */
const idleMs = 600_000;

export type CallRequest = {
  agent: string;
  /** Names the call in events and on disk; the same in every execution of the run. */
  lane: string;
  task: string;
  prompt: string;
  /** The session to continue. */
  resume?: string | undefined;
  place?: Place | undefined;
};

/** What a step did or saw, and where the project was then. */
type Kept = { schemaVersion: 1; project: string; value?: unknown };

/** What the steps of a feature command share: agents, inputs, events and effects that happen once. */
export class FeatureRun<Inputs extends FeatureInputs = FeatureInputs> {
  readonly context: WorkflowContext;
  readonly services: CallServices;
  readonly inputs: Inputs;
  readonly #used = new Map<string, number>();

  constructor(context: WorkflowContext, services: CallServices, inputs: Inputs) {
    this.context = context;
    this.services = services;
    this.inputs = inputs;
  }

  note(text: string): void {
    this.context.emit({ type: 'note', phase: this.inputs.phase, text });
  }

  warn(text: string): void {
    this.context.emit({ type: 'warning', phase: this.inputs.phase, text });
  }

  /** The last words of the phase. */
  async end(text: string, accepted: boolean, heading = `Phase ${this.inputs.phase}`): Promise<Outcome> {
    await this.context.artifact('phase-outcome.md', `${text}\n`);
    this.context.emit({ type: 'body', heading, text });
    return accepted ? { status: 'done', exit: 0 } : { status: 'not-accepted', exit: 6, message: text };
  }

  /**
   * Does something once in the life of a run. A run resumed after a failure has a new journal, so the result is also kept in the
   * run directory: no document is put back to an earlier state, and finished calls get the same prompt again. Paths in a result
   * follow the project when it moves.
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

  /** A run resumed after its failure does this again. */
  forget(name: string): void {
    rmSync(this.#keptFile(name), { force: true });
  }

  /** The hash keeps names apart; the rest makes them readable. */
  #keptFile(name: string): string {
    const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
    const file = `${name.replace(/[^a-z0-9.]+/gi, '-').slice(0, 80)}-${digest}.json`;
    return path.join(this.context.live.directory.root, 'steps', file);
  }

  /** The current time, the same when the run is replayed. */
  now(name: string): Promise<number> {
    return this.once(`time ${name}`, async () => this.context.clock.now());
  }

  prompt(draft: PromptDraft): string {
    return compose(draft, this.#wording()).text;
  }

  #wording() {
    const { nonceSeed, overrides } = this.services;
    return { nonce: seededNonce(nonceSeed), overrides };
  }

  /** Calls one agent. A failure is part of the outcome. */
  async call(request: CallRequest): Promise<CallOutcome> {
    return outcomeOf(await call(this, ...this.#task(request)));
  }

  /** Calls agents in parallel; T-134: no more of them than the run allows. */
  async callAll(requests: readonly CallRequest[]): Promise<CallOutcome[]> {
    const replies = await callAll(
      this,
      requests.map((request) => this.#task(request)),
    );
    return replies.map(outcomeOf);
  }

  /** How a role reaches an agent in this run. */
  async port(request: Omit<CallRequest, 'prompt' | 'resume'>, now: number): Promise<RolePort> {
    return {
      call: (asked) => this.call({ ...request, ...asked }),
      now,
      count: await loadExactCounter(),
      ...this.#wording(),
    };
  }

  #task({ agent, lane, task, prompt, resume, place }: CallRequest): [Seat, Task<string>] {
    const name = lane.replace(/[^a-z0-9.-]+/gi, '-');
    const count = (this.#used.get(name) ?? 0) + 1;
    this.#used.set(name, count);
    const key = count === 1 ? name : `${name}.${count}`;
    const limits = { wallMs: this.inputs.agentSeconds * 1000, idleMs };
    const { phase } = this.inputs;
    return [
      { id: agent, label: lane, agents: [agent], planned: { agent } },
      { key, kind: task, phase, prompt, answer: textAnswer, limits, place, session: resume },
    ];
  }
}

export type PhaseRun = FeatureRun<FeaturePhaseInputs>;
export type ImplementRun = FeatureRun<FeatureImplementInputs>;

/** An agent without a usable answer is not a verdict: the run stops and can be resumed. */
export function unanswered(agent: string, task: string, problem: string): CharretteError {
  return new CharretteError({
    code: 'author-failed',
    message: `${agent} gave no usable answer to ${task}: ${problem.replace(/\.$/, '')}.`,
    fix: 'Fix the cause (login, limits, network), then run `charrette resume`, or start again with another agent in --agents.',
    retryable: true,
  });
}

function outcomeOf({ kind, text = '', session, message, usage }: Reply<string>): CallOutcome {
  return {
    text,
    session,
    error: kind === 'ok' ? undefined : (message ?? kind),
    totalTokens:
      usage === undefined || usage.basis === 'unknown' ? undefined : usage.inputTokens + usage.outputTokens,
  };
}
