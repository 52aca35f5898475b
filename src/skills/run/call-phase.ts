import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type LaneKind, type LaneResult, type Usage, unknownUsage } from '../../agents/port.ts';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { containedPath } from '../../base/files/contained.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { callOnce } from '../../council/call/once.ts';
import { agentOf, type CallServices } from '../../council/call/services.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { readOutputSchemas } from './output-schema.ts';
import { phasePrompt, phaseSchema, readPhaseAnswer } from './phase-call.ts';
import { checkOutputs } from './phase-outputs.ts';
import type { RunPhase } from './run-plan.ts';
import { type AttemptResult, type RunState, strikes } from './run-skill.ts';

/** Which package runs, and with which agent. */
export type PhaseCaller = {
  inputs: {
    package: string;
    project: string;
    agent: string;
    access: 'read' | 'write';
    wallMs: number;
  };
  skill: string;
  services: CallServices;
};

type PhaseAttempt = {
  phase: RunPhase;
  lane: PhaseLane;
  attempt: number;
  state: RunState;
  problems: readonly string[];
};

/** What is kept of an attempt: what came of it, and what its lane says about it. */
type Kept = { outcome: AttemptResult; end: AttemptEnd };

/** One attempt at a phase: the document is read now, the request kept, the answer checked and kept. */
export function callPhase(
  context: WorkflowContext,
  caller: PhaseCaller,
  { phase, lane, attempt, state, problems }: PhaseAttempt,
): Promise<AttemptResult> {
  const { inputs, skill } = caller;
  const { directory } = context.live;
  return context.step(lane.folderOf(attempt), async (signal) => {
    // The phase document is loaded now, when its phase runs.
    const document = readFileSync(await containedPath(inputs.package, phase.file), 'utf8');
    const schemas = await readOutputSchemas(inputs.package);
    const prompt = phasePrompt({
      skill,
      phase,
      document,
      task: state.task,
      preferences: state.preferences,
      values: state.values,
      problems,
      schemas,
      seed: directory.id,
    });
    const digest = createHash('sha256').update(prompt).digest('hex');
    const number = openAttempt(directory.lanes, lane, attempt);
    const folder = path.join(directory.lanes, lane.folderOf(number));
    lane.begin(number);
    const done = finished(folder, digest);
    if (done !== undefined) {
      lane.end(number, done.end, true);
      return done.outcome;
    }
    const result = await ask(context, caller, { phase, attempt: number, folder, prompt, schemas }, signal);
    const kept = await judge(result, { caller, phase, state, schemas });
    const name = kept.outcome.problems.length === 0 ? resultName : rejectedName;
    await writeJsonAtomic(path.join(folder, name), { schemaVersion: 1, digest, ...kept });
    const last = attempt === strikes || kept.outcome.answer?.status === 'FAILED';
    lane.end(number, kept.end, last);
    return kept.outcome;
  });
}

type Schemas = Awaited<ReturnType<typeof readOutputSchemas>>;

/** The call itself, saved as text before it is judged. */
async function ask(
  { live }: WorkflowContext,
  { inputs, services }: PhaseCaller,
  call: { phase: RunPhase; attempt: number; folder: string; prompt: string; schemas: Schemas },
  signal: AbortSignal,
): Promise<LaneResult> {
  const { phase, attempt, folder, prompt, schemas } = call;
  const seat = `phase-${phase.number}`;
  const { result } = await callOnce({ live, services, signal }, agentOf(services, inputs.agent), {
    ...{ folder, attempt, seat, phase: seat, kind: 'skill-phase', prompt },
    schema: phaseSchema(phase, schemas),
    limits: { wallMs: inputs.wallMs, idleMs: inputs.wallMs },
    place: { directory: inputs.project, access: inputs.access },
  });
  writeFileSync(path.join(folder, 'answer.txt'), result.text);
  return result;
}

/** What the answer is worth: the outputs that the phase declares are there and fit, or it is named what is wrong. */
async function judge(
  { kind, message, usage, value }: LaneResult,
  {
    caller: { inputs },
    phase,
    state,
    schemas,
  }: { caller: PhaseCaller; phase: RunPhase; state: RunState; schemas: Schemas },
): Promise<Kept> {
  if (kind !== 'ok' && kind !== 'bad_output') {
    const problem = `The agent ${inputs.agent} failed (${kind}): ${message ?? ''}`;
    return {
      outcome: { answer: undefined, problems: [problem] },
      end: { kind, message: message ?? kind, usage },
    };
  }
  const { answer, problems: read } = readPhaseAnswer(value, phase);
  const isDone = answer?.status === 'DONE' || answer?.status === 'DONE_WITH_CONCERNS';
  const written = isDone ? await checkOutputs(inputs.project, phase, answer, state.values, schemas) : [];
  const problems = [...read, ...written];
  return {
    outcome: { answer, problems },
    end:
      problems.length === 0
        ? { kind: 'ok', usage }
        : { kind: 'bad_output', message: problems.join(' '), usage },
  };
}

const resultName = 'result.json';
const rejectedName = 'rejected.json';

/** A run that failed and goes on asks again and counts on; what was rejected stays on record beside the new attempt. */
function openAttempt(lanes: string, lane: PhaseLane, attempt: number): number {
  let number = attempt;
  while (existsSync(path.join(lanes, lane.folderOf(number), rejectedName))) number += strikes;
  return number;
}

/** A finished attempt for exactly this request; resuming after a failure does not call the agent again. */
function finished(folder: string, digest: string): Kept | undefined {
  const file = path.join(folder, resultName);
  if (!existsSync(file)) return undefined;
  const reading = readJson(readFileSync(file, 'utf8'));
  if (!reading.ok || !isRecord(reading.value) || reading.value['digest'] !== digest) return undefined;
  const { outcome, end } = reading.value as unknown as Partial<Kept>;
  return outcome === undefined ? undefined : { outcome, end: end ?? { kind: 'ok', usage: unknownUsage } };
}

/** How one attempt at a phase came out, as its lane tells it. */
type AttemptEnd = { kind: LaneKind; message?: string; usage: Usage };

/**
 * The attempts at a phase in one round, told as those of any other lane. Ids come from the folders of the attempts, so a
 * replay tells nothing twice, and a run that goes on after a failure tells of its new attempts.
 */
export class PhaseLane {
  readonly name: string;
  readonly #live: LiveRun;
  readonly #agent: string;
  /** When the first attempt of this execution began. */
  #since: number | undefined;

  constructor(live: LiveRun, phase: RunPhase, round: number, agent: string) {
    this.name = `phase-${phase.number}-${round}`;
    this.#live = live;
    this.#agent = agent;
    live.events.emit(`${this.name}:queue`, {
      type: 'lane-queue',
      lane: this.name,
      task: 'skill-phase',
      seat: `phase-${phase.number}`,
      label: round === 1 ? phase.name : `${phase.name}, round ${round}`,
      phase: `phase-${phase.number}`,
    });
  }

  folderOf(attempt: number): string {
    return `${this.name}-${attempt}`;
  }

  begin(attempt: number): void {
    const { time } = this.#emit(attempt, 'start', { type: 'lane-start', attempt });
    this.#since ??= Date.parse(time);
  }

  /** Nothing more comes after an attempt that was accepted or was the last one. */
  end(attempt: number, { kind, message, usage }: AttemptEnd, isLast: boolean): void {
    if (kind !== 'ok')
      this.#emit(attempt, 'retry', { type: 'lane-retry', attempt, kind, message: message ?? '' });
    if (kind !== 'ok' && !isLast) return;
    const elapsedMs = this.#live.clock.now() - (this.#since ?? this.#live.clock.now());
    this.#emit(attempt, 'end', {
      type: 'lane-end',
      kind,
      ...(message === undefined ? {} : { message }),
      elapsedMs,
      usage,
    });
  }

  #emit(attempt: number, what: string, body: LaneBody) {
    return this.#live.events.emit(`${this.folderOf(attempt)}:${what}`, {
      ...body,
      lane: this.name,
      agent: this.#agent,
    });
  }
}

type LaneBody =
  | { type: 'lane-start'; attempt: number }
  | { type: 'lane-retry'; attempt: number; kind: LaneKind; message: string }
  | { type: 'lane-end'; kind: LaneKind; message?: string; elapsedMs: number; usage: Usage };
