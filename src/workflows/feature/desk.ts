import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { parseJson } from '../../base/safe-json.ts';
import { call, callAll, type Reply, type Seat, type Task, textAnswer } from '../../council/call/call.ts';
import type { Place } from '../../council/call/once.ts';
import type { CallServices } from '../../council/call/services.ts';
import { relocate } from '../../engine/relocate.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { compose } from '../../prompts/compose.ts';
import type { PromptDraft } from '../../prompts/part.ts';
import { seededNonce } from '../../prompts/untrusted.ts';
import type { FeatureInputs } from './inputs.ts';
import type { CallOutcome } from './rules/review-call.ts';

/** Silence for this long ends a call before its wall-clock limit does. */
const idleMs = 600_000;

export type CallRequest = {
  /** Names the call for people and on disk; the same in every execution of the run. */
  lane: string;
  task: string;
  prompt: string;
  resume?: string;
  place?: Place;
};

/** What was done or seen once, and where the project lay then. */
type Kept = { schemaVersion: 1; project: string; value?: unknown };

/** Where a command about a feature works: it calls agents, each call a journaled step, and remembers on disk what it did. */
export class FeatureDesk<Inputs extends FeatureInputs = FeatureInputs> {
  readonly context: WorkflowContext;
  readonly services: CallServices;
  readonly inputs: Inputs;
  readonly #used = new Map<string, number>();

  constructor(context: WorkflowContext, services: CallServices, inputs: Inputs) {
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

  /** Calls one agent. A failure is part of the outcome; whether it matters is for the caller to say. */
  async call(agent: string, request: CallRequest): Promise<CallOutcome> {
    return outcomeOf(await call(this, ...this.#task(agent, request)));
  }

  /** Calls agents in parallel; T-134: no more at a time than the run allows. */
  async callAll(calls: readonly { agent: string; request: CallRequest }[]): Promise<CallOutcome[]> {
    const replies = await callAll(
      this,
      calls.map(({ agent, request }) => this.#task(agent, request)),
    );
    return replies.map(outcomeOf);
  }

  #task(agent: string, { lane, task, prompt, resume, place }: CallRequest): [Seat, Task<string>] {
    const name = lane.replace(/[^a-z0-9.-]+/gi, '-');
    const count = (this.#used.get(name) ?? 0) + 1;
    this.#used.set(name, count);
    const key = count === 1 ? name : `${name}.${count}`;
    const limits = { wallMs: this.inputs.agentSeconds * 1000, idleMs };
    const { phase } = this.inputs;
    return [
      { id: agent, label: lane, agents: [agent] },
      { key, kind: task, phase, prompt, answer: textAnswer, limits, place, session: resume },
    ];
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

/** Names are ours, but role and task numbers in them come from files: the hash keeps them apart, the rest is for people. */
function fileNameOf(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.replace(/[^a-z0-9.]+/gi, '-').slice(0, 80)}-${digest}`;
}

function outcomeOf({ kind, text = '', session, message, usage }: Reply<string>): CallOutcome {
  return {
    text,
    ...(session === undefined ? {} : { session }),
    ...(kind === 'ok' ? {} : { error: message ?? kind }),
    ...(usage === undefined || usage.basis === 'unknown'
      ? {}
      : { totalTokens: usage.inputTokens + usage.outputTokens }),
  };
}
