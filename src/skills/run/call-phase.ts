import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openLaneEvents } from '../../agents/lane-events.ts';
import { type Agent, type AgentTask, type LaneResult, unknownUsage } from '../../agents/port.ts';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { containedPath } from '../../base/files/contained.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { timeOf } from '../../engine/clock.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { readOutputSchemas } from './output-schema.ts';
import { phasePrompt, phaseSchema, readPhaseAnswer } from './phase-call.ts';
import type { AttemptEnd, PhaseLane } from './phase-lane.ts';
import { checkOutputs } from './phase-outputs.ts';
import type { RunPhase } from './run-plan.ts';
import { type AttemptResult, type RunState, strikes } from './run-skill.ts';

/** Who carries phases out, and where. */
export type PhaseCaller = {
  inputs: {
    package: string;
    project: string;
    agent: string;
    access: 'read' | 'write';
    wallMs: number;
  };
  skill: string;
  agentOf: (live: LiveRun, id: string) => Promise<Agent>;
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
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'prompt.md'), prompt);
    const result = await ask(context, caller, { phase, attempt: number, folder, prompt, schemas, signal });
    const kept = await judge(result, { caller, phase, state, schemas });
    const name = kept.outcome.problems.length === 0 ? resultName : rejectedName;
    await writeJsonAtomic(path.join(folder, name), { schemaVersion: 1, digest, ...kept });
    const last = attempt === strikes || kept.outcome.answer?.status === 'FAILED';
    lane.end(number, kept.end, last);
    return kept.outcome;
  });
}

type Schemas = Awaited<ReturnType<typeof readOutputSchemas>>;

/** The call itself; what it used is on the ledger before its answer counts. */
async function ask(
  context: WorkflowContext,
  { inputs, agentOf }: PhaseCaller,
  {
    phase,
    attempt,
    folder,
    prompt,
    schemas,
    signal,
  }: {
    phase: RunPhase;
    attempt: number;
    folder: string;
    prompt: string;
    schemas: Schemas;
    signal: AbortSignal;
  },
): Promise<LaneResult> {
  const agent = await agentOf(context.live, inputs.agent);
  const seat = `phase-${phase.number}`;
  const task = 'skill-phase';
  const events = openLaneEvents(folder);
  const request: AgentTask = {
    task,
    run: context.live.directory.id,
    seat,
    attempt,
    prompt,
    directory: inputs.project,
    access: inputs.access,
    limits: { wallMs: inputs.wallMs, idleMs: inputs.wallMs },
    schema: phaseSchema(phase, schemas),
    laneDirectory: folder,
  };
  const result = await agent.call(request, { signal, onEvent: events.note }).finally(events.close);
  signal.throwIfAborted();
  writeFileSync(path.join(folder, 'answer.txt'), result.text);
  context.live.ledger.add({
    v: 1,
    id: path.basename(folder),
    time: timeOf(context.clock),
    phase: seat,
    task,
    seat,
    agent: agent.id,
    family: agent.family,
    ...(result.model === undefined ? {} : { model: result.model }),
    usage: result.usage,
    durationMs: result.durationMs,
  });
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
