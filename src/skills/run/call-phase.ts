import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type LaneKind, type LaneResult, type Usage, unknownUsage } from '../../agents/port.ts';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { containedPath } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { agentOf, type CallServices, callOnce } from '../../council/call/once.ts';
import type { EventBody } from '../../engine/event.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { checkOutputs, type OutputSchemas, readOutputSchemas } from './outputs.ts';
import { phasePrompt, phaseSchema, readPhaseAnswer } from './phase-call.ts';
import type { RunPhase } from './run-plan.ts';
import { type AttemptResult, type PhaseAttempt, type RunState, strikes } from './run-skill.ts';

/** What a skill run keeps in run.json. */
export type SkillRunInputs = {
  package: string;
  task: string;
  mode?: string;
  auto: boolean;
  project: string;
  agent: string;
  access: 'read' | 'write';
  wallMs: number;
};

/** What came of an attempt, for the workflow and for the events of its lane. */
type Kept = { outcome: AttemptResult; end: { kind: LaneKind; message?: string; usage: Usage } };

const resultName = 'result.json';
const rejectedName = 'rejected.json';

/**
 * Calls an agent for the phases of a skill. An attempt is one journaled step: it reads the phase document, asks, checks the outputs
 * and saves the result.
 */
export class PhaseCaller {
  readonly #context: WorkflowContext;
  readonly #services: CallServices;
  readonly #inputs: SkillRunInputs;
  readonly #skill: string;
  /** When the first attempt of a lane began in this execution. */
  readonly #since = new Map<string, number>();

  constructor(context: WorkflowContext, services: CallServices, inputs: SkillRunInputs, skill: string) {
    this.#context = context;
    this.#services = services;
    this.#inputs = inputs;
    this.#skill = skill;
  }

  attempt(call: PhaseAttempt): Promise<AttemptResult> {
    const { phase, round, attempt, state, problems } = call;
    const { directory } = this.#context.live;
    const lane = `phase-${phase.number}-${round}`;
    this.#emit(lane, {
      type: 'lane-queue',
      lane,
      task: 'skill-phase',
      seat: `phase-${phase.number}`,
      label: round === 1 ? phase.name : `${phase.name}, round ${round}`,
      phase: `phase-${phase.number}`,
    });
    return this.#context.step(`${lane}-${attempt}`, async (signal) => {
      // The phase document is read when its phase runs.
      const document = readFileSync(await containedPath(this.#inputs.package, phase.file), 'utf8');
      const schemas = await readOutputSchemas(this.#inputs.package);
      const prompt = phasePrompt({
        ...{ skill: this.#skill, phase, document, problems, schemas, seed: directory.id },
        ...{ task: state.task, preferences: state.preferences, values: state.values },
      });
      const digest = createHash('sha256').update(prompt).digest('hex');
      const number = this.#unusedNumber(lane, attempt);
      const folder = path.join(directory.lanes, `${lane}-${number}`);
      this.#begin(lane, number);
      const done = finished(folder, digest);
      if (done !== undefined) {
        this.#end(lane, number, done, true);
        return done.outcome;
      }
      const result = await this.#ask({ phase, attempt: number, folder, prompt, schemas }, signal);
      const kept = await this.#judge(result, phase, state, schemas);
      const name = kept.outcome.problems.length === 0 ? resultName : rejectedName;
      await writeJsonAtomic(path.join(folder, name), { schemaVersion: 1, digest, ...kept });
      this.#end(lane, number, kept, attempt === strikes || kept.outcome.answer?.status === 'FAILED');
      return kept.outcome;
    });
  }

  /** Calls the agent, and saves its answer as text before it is judged. */
  async #ask(
    call: { phase: RunPhase; attempt: number; folder: string; prompt: string; schemas: OutputSchemas },
    signal: AbortSignal,
  ): Promise<LaneResult> {
    const { phase, attempt, folder, prompt, schemas } = call;
    const { agent, wallMs, project, access } = this.#inputs;
    const services = this.#services;
    const seat = `phase-${phase.number}`;
    const { result } = await callOnce(
      { live: this.#context.live, services, signal },
      agentOf(services, agent),
      {
        ...{ folder, attempt, seat, phase: seat, kind: 'skill-phase', prompt },
        schema: phaseSchema(phase, schemas),
        limits: { wallMs, idleMs: wallMs },
        place: { directory: project, access },
      },
    );
    writeFileSync(path.join(folder, 'answer.txt'), result.text);
    return result;
  }

  /** Accepts an answer whose declared outputs exist and fit; otherwise names the problems. */
  async #judge(
    { kind, message, usage, value }: LaneResult,
    phase: RunPhase,
    state: RunState,
    schemas: OutputSchemas,
  ): Promise<Kept> {
    const { agent, project } = this.#inputs;
    if (kind !== 'ok' && kind !== 'bad_output') {
      const problems = [`The agent ${agent} failed (${kind}): ${message ?? ''}`];
      return { outcome: { answer: undefined, problems }, end: { kind, message: message ?? kind, usage } };
    }
    const { answer, problems: read } = readPhaseAnswer(value, phase);
    const isDone = answer?.status === 'DONE' || answer?.status === 'DONE_WITH_CONCERNS';
    const written = isDone ? await checkOutputs(project, phase, answer, state.values, schemas) : [];
    const problems = [...read, ...written];
    const isAccepted = problems.length === 0;
    return {
      outcome: { answer, problems },
      end: isAccepted ? { kind: 'ok', usage } : { kind: 'bad_output', message: problems.join(' '), usage },
    };
  }

  /** A resumed run counts on after its rejected attempts, which stay recorded. */
  #unusedNumber(lane: string, attempt: number): number {
    const { lanes } = this.#context.live.directory;
    let number = attempt;
    while (existsSync(path.join(lanes, `${lane}-${number}`, rejectedName))) number += strikes;
    return number;
  }

  #begin(lane: string, attempt: number): void {
    const { time } = this.#emit(`${lane}-${attempt}`, {
      type: 'lane-start',
      lane,
      agent: this.#inputs.agent,
      attempt,
    });
    if (!this.#since.has(lane)) this.#since.set(lane, Date.parse(time));
  }

  /** An accepted attempt or the last one ends the lane. */
  #end(lane: string, attempt: number, { end: { kind, message, usage } }: Kept, isLast: boolean): void {
    const { agent } = this.#inputs;
    const folder = `${lane}-${attempt}`;
    const now = this.#context.clock.now();
    if (kind !== 'ok')
      this.#emit(folder, { type: 'lane-retry', lane, agent, attempt, kind, message: message ?? '' });
    if (kind !== 'ok' && !isLast) return;
    const elapsedMs = now - (this.#since.get(lane) ?? now);
    this.#emit(folder, { type: 'lane-end', lane, agent, kind, message, elapsedMs, usage });
  }

  /** Ids come from folders, so a replay writes no event twice and a resumed run writes those of its new attempts. */
  #emit(space: string, body: LaneEvent) {
    return this.#context.live.events.emit(`${space}:${body.type.replace('lane-', '')}`, body);
  }
}

type LaneEvent = Extract<EventBody, { lane: string }>;

/** A finished attempt for exactly this prompt; a run resumed after a failure does not repeat it. */
function finished(folder: string, digest: string): Kept | undefined {
  const file = path.join(folder, resultName);
  if (!existsSync(file)) return undefined;
  const reading = readJson(readFileSync(file, 'utf8'));
  if (!reading.ok || !isRecord(reading.value) || reading.value['digest'] !== digest) return undefined;
  const { outcome, end } = reading.value as unknown as Partial<Kept>;
  return outcome === undefined ? undefined : { outcome, end: end ?? { kind: 'ok', usage: unknownUsage } };
}
