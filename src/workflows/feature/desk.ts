import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Agent, LaneResult } from '../../agents/port.ts';
import { endOrphans } from '../../agents/process/process-record.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { CharretteError } from '../../errors.ts';
import type { CallOutcome } from '../../feature/review-call.ts';
import { readDocument } from '../../prompts/author/document-answer.ts';
import { compose } from '../../prompts/compose.ts';
import type { PromptDraft } from '../../prompts/part.ts';
import { seededNonce } from '../../prompts/untrusted.ts';
import { beginAttempt, finishAttempt, finishedAttempt } from '../lane-files.ts';
import { agentOf, type RunServices } from '../services.ts';
import type { FeaturePhaseInputs } from './inputs.ts';

/** Silence for this long ends a call before its wall-clock limit does. */
const idleMs = 600_000;

/** Where a phase of a feature works: it calls agents one after the other, each call a journaled step. */
export class PhaseDesk {
  readonly context: WorkflowContext;
  readonly services: RunServices;
  readonly inputs: FeaturePhaseInputs;
  #calls = 0;

  constructor(context: WorkflowContext, services: RunServices, inputs: FeaturePhaseInputs) {
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

  /** The time now, the same when the run is replayed. */
  now(name: string): Promise<number> {
    return this.context.step(`time ${name}`, async () => this.context.clock.now());
  }

  /** One agent call. A failure is part of the outcome; whether it matters is for the caller to say. */
  async call(
    agentId: string,
    task: string,
    request: { prompt: string; resume?: string },
  ): Promise<CallOutcome> {
    const agent = agentOf(this.services, agentId);
    this.#calls += 1;
    const lane = `${String(this.#calls).padStart(2, '0')}-${task.replace(/[^a-z0-9-]+/gi, '-')}`;
    const { phase } = this.inputs;
    this.context.emit({ type: 'lane-queue', lane, task, seat: agentId, label: agent.title, phase });
    this.context.emit({ type: 'lane-start', lane, agent: agentId, attempt: 1 });
    const result = await this.context.step(`${task} ${lane}`, (signal) =>
      this.#perform(agent, lane, task, request, signal),
    );
    const { kind, message, usage, durationMs } = result;
    this.context.emit({
      type: 'lane-end',
      lane,
      agent: agentId,
      kind,
      message,
      elapsedMs: durationMs,
      usage,
    });
    return outcomeOf(result);
  }

  async #perform(
    agent: Agent,
    lane: string,
    task: string,
    { prompt, resume }: { prompt: string; resume?: string },
    signal: AbortSignal,
  ): Promise<LaneResult> {
    const place = path.join(this.context.live.directory.lanes, lane);
    const digest = createHash('sha256')
      .update(JSON.stringify([prompt, resume ?? '']))
      .digest('hex');
    // A finished answer on disk wins over calling again.
    const finished = finishedAttempt(place, digest, agent.id);
    if (finished !== undefined) return finished;
    await endOrphans([place]);
    beginAttempt(place, prompt);
    const events = openSync(path.join(place, 'events.jsonl'), 'w');
    try {
      const result = await this.services.slots.run(() =>
        agent.call(
          {
            task,
            run: this.context.live.directory.id,
            seat: agent.id,
            attempt: 1,
            prompt,
            directory: this.services.project,
            access: 'read',
            limits: { wallMs: this.inputs.agentSeconds * 1000, idleMs },
            laneDirectory: place,
            ...(resume === undefined ? {} : { resume: { session: resume, fork: false } }),
          },
          { signal, onEvent: (event) => void writeSync(events, `${JSON.stringify(event)}\n`) },
        ),
      );
      signal.throwIfAborted();
      this.context.live.ledger.add({
        v: 1,
        id: lane,
        time: new Date(this.context.clock.now()).toISOString(),
        phase: this.inputs.phase,
        task,
        seat: agent.id,
        agent: agent.id,
        family: agent.family,
        ...(result.model === undefined ? {} : { model: result.model }),
        usage: result.usage,
        durationMs: result.durationMs,
      });
      finishAttempt(place, { schemaVersion: 1, digest, agent: agent.id, task, result });
      return result;
    } finally {
      closeSync(events);
    }
  }

  /** The author writes a whole document; an answer that is none is asked for once more. */
  async write(draft: PromptDraft): Promise<string> {
    const { overrides } = this.services;
    const prompt = compose(draft, { nonce: this.nonce, overrides }).text;
    let problem = '';
    for (const extra of ['', 'Your last answer could not be used. ']) {
      const again = extra === '' ? prompt : `${prompt}\n${extra}It was: ${problem}.\n`;
      const outcome = await this.call(this.inputs.author, draft.task, { prompt: again });
      const reading =
        outcome.error === undefined
          ? readDocument(outcome.text)
          : { ok: false as const, problem: outcome.error };
      if (reading.ok) return reading.text;
      problem = reading.problem;
    }
    throw new CharretteError({
      code: 'author-failed',
      message: `${this.inputs.author} did not write the document of ${draft.task}: ${problem}.`,
      fix: 'Mend the named cause (login, limits, network), or name another agent with --agents.',
      retryable: true,
    });
  }
}

function outcomeOf({ kind, text, session, message, usage }: LaneResult): CallOutcome {
  const known = usage.basis !== 'unknown';
  return {
    text,
    ...(session === undefined ? {} : { session }),
    ...(kind === 'ok' ? {} : { error: message ?? kind }),
    ...(known ? { totalTokens: usage.inputTokens + usage.cachedInputTokens + usage.outputTokens } : {}),
  };
}
