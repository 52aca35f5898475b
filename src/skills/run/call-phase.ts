import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Agent } from '../../agents/port.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import type { WorkflowContext } from '../../engine/workflow.ts';
import { writeJsonAtomic } from '../../files/atomic.ts';
import { containedPath } from '../../files/contained.ts';
import { isRecord, readJson } from '../../safe-json.ts';
import { readOutputSchemas } from './output-schema.ts';
import { phasePrompt, phaseSchema, readPhaseAnswer } from './phase-call.ts';
import { checkOutputs } from './phase-outputs.ts';
import type { RunPhase } from './run-plan.ts';
import type { AttemptResult, RunState } from './run-skill.ts';

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
  /** Name of the journaled step and of its lane. */
  folder: string;
  attempt: number;
  state: RunState;
  problems: readonly string[];
};

/** One attempt at a phase: the document is read now, the request kept, the answer checked and kept. */
export function callPhase(
  context: WorkflowContext,
  { inputs, skill, agentOf }: PhaseCaller,
  { phase, folder, attempt, state, problems }: PhaseAttempt,
): Promise<AttemptResult> {
  const { directory } = context.live;
  return context.step(folder, async (signal) => {
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
    const lane = openLane(path.join(directory.lanes, folder));
    const done = finished(lane, digest);
    if (done !== undefined) return done;
    mkdirSync(lane, { recursive: true });
    writeFileSync(path.join(lane, 'prompt.md'), prompt);
    const agent = await agentOf(context.live, inputs.agent);
    const result = await agent.call(
      {
        task: 'skill-phase',
        run: directory.id,
        seat: `phase-${phase.number}`,
        attempt,
        prompt,
        directory: inputs.project,
        access: inputs.access,
        limits: { wallMs: inputs.wallMs, idleMs: inputs.wallMs },
        schema: phaseSchema(phase, schemas),
        laneDirectory: lane,
      },
      { signal, onEvent: () => {} },
    );
    signal.throwIfAborted();
    writeFileSync(path.join(lane, 'answer.txt'), result.text);
    context.live.ledger.add({
      v: 1,
      id: folder,
      time: new Date(context.clock.now()).toISOString(),
      phase: `phase-${phase.number}`,
      task: 'skill-phase',
      seat: `phase-${phase.number}`,
      agent: agent.id,
      family: agent.family,
      ...(result.model === undefined ? {} : { model: result.model }),
      usage: result.usage,
      durationMs: result.durationMs,
    });
    if (result.kind !== 'ok' && result.kind !== 'bad_output') {
      const outcome: AttemptResult = {
        answer: undefined,
        problems: [`The agent ${agent.id} failed (${result.kind}): ${result.message ?? ''}`],
      };
      await writeJsonAtomic(path.join(lane, rejectedName), { schemaVersion: 1, digest, outcome });
      return outcome;
    }
    const reading = readPhaseAnswer(result.value, phase);
    const written =
      reading.answer === undefined
        ? []
        : await checkOutputs(inputs.project, phase, reading.answer, state.values, schemas);
    const outcome: AttemptResult = { answer: reading.answer, problems: [...reading.problems, ...written] };
    const name = outcome.problems.length === 0 ? 'result.json' : rejectedName;
    await writeJsonAtomic(path.join(lane, name), { schemaVersion: 1, digest, outcome });
    return outcome;
  });
}

const rejectedName = 'rejected.json';

/** A run that failed and goes on asks again; what was rejected stays on record beside the new attempt. */
function openLane(lane: string): string {
  let folder = lane;
  for (let again = 2; existsSync(path.join(folder, rejectedName)); again += 1)
    folder = `${lane}-again-${again}`;
  return folder;
}

/** A finished attempt for exactly this request; resuming after a failure does not call the agent again. */
function finished(lane: string, digest: string): AttemptResult | undefined {
  const file = path.join(lane, 'result.json');
  if (!existsSync(file)) return undefined;
  const reading = readJson(readFileSync(file, 'utf8'));
  if (!reading.ok || !isRecord(reading.value) || reading.value['digest'] !== digest) return undefined;
  return reading.value['outcome'] as unknown as AttemptResult;
}
