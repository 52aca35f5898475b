import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Agent } from '../../agents/port.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import type { WorkflowContext, WorkflowDefinition } from '../../engine/workflow.ts';
import { writeFileAtomic, writeJsonAtomic } from '../../files/atomic.ts';
import { containedPath } from '../../files/contained.ts';
import { isRecord, readJson } from '../../safe-json.ts';
import { buildPackage } from '../model/package.ts';
import { readPackageFiles } from '../read-package.ts';
import { expandPath, phasePrompt, phaseSchema, readPhaseAnswer } from './phase-call.ts';
import { type RunPhase, runPlan } from './run-plan.ts';
import { type AttemptResult, closingStatus, type RunState, runSkill } from './run-skill.ts';

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

type Outcome = { status: 'done' | 'not-accepted'; exit: number; message?: string };

/** The story of `skill run`: every phase attempt is a journaled step, every question asked once. */
export function skillRunWorkflow(
  agentOf: (live: LiveRun, id: string) => Promise<Agent>,
): WorkflowDefinition<SkillRunInputs, Outcome> {
  return {
    name: 'skill-run',
    async run(context, inputs) {
      const plan = await context.step('read package', async () =>
        runPlan(buildPackage(readPackageFiles(inputs.package))),
      );
      const started = context.clock.now();
      const state = await runSkill(
        plan,
        {
          session: context.live.directory.id,
          task: inputs.task,
          mode: inputs.mode,
          auto: inputs.auto,
          now: new Date(started).toISOString(),
        },
        {
          ask: async (questions) => {
            const asked = questions.map(({ key, text, options, recommended }) => ({
              id: `preference-${key}`,
              text,
              options: options.map((label) => ({ value: label, label })),
              recommended,
            }));
            if (inputs.auto) {
              for (const question of asked) await context.decide(question, question.recommended);
              return Object.fromEntries(questions.map(({ key, recommended }) => [key, recommended]));
            }
            const answers = await context.ask(asked);
            return Object.fromEntries(
              questions.map(({ key }) => [key, answers.get(`preference-${key}`)?.value ?? '']),
            );
          },
          attempt: (phase, round, attempt, current, problems) =>
            callPhase(
              context,
              inputs,
              plan.skill,
              agentOf,
              phase,
              `phase-${phase.number}-${round}-${attempt}`,
              attempt,
              current,
              problems,
            ),
          todo: async (list, { phase, status, reason }) => {
            await context.artifact('todo.json', `${JSON.stringify(list, null, 2)}\n`);
            const name = `phase-${phase.number}`;
            const elapsedMs = context.clock.now() - started;
            if (status === 'in_progress')
              context.emit({
                type: 'phase-start',
                phase: name,
                line: `Phase ${phase.number}: ${phase.name}`,
              });
            else if (status === 'completed')
              context.emit({
                type: 'phase-end',
                phase: name,
                line: `✓ Phase ${phase.number}: ${phase.name}`,
                elapsedMs,
              });
            else if (status === 'skipped')
              context.emit({
                type: 'phase-skip',
                phase: name,
                line: `- Phase ${phase.number}: ${phase.name} skipped: ${reason ?? ''}`,
                elapsedMs,
              });
            else if (status === 'failed')
              context.emit({ type: 'warning', phase: name, text: reason ?? 'the phase failed' });
          },
        },
      );
      await context.artifact('outputs.json', `${JSON.stringify(state.values, null, 2)}\n`);
      await context.artifact('summary.md', renderSummary(plan.skill, state));
      return { status: 'done', exit: 0, message: closingStatus(state) };
    },
  };
}

function callPhase(
  context: WorkflowContext,
  inputs: SkillRunInputs,
  skill: string,
  agentOf: (live: LiveRun, id: string) => Promise<Agent>,
  phase: RunPhase,
  folder: string,
  attempt: number,
  state: RunState,
  problems: readonly string[],
): Promise<AttemptResult> {
  const { directory } = context.live;
  return context.step(folder, async (signal) => {
    // The phase document is loaded now, when its phase runs.
    const document = readFileSync(await containedPath(inputs.package, phase.file), 'utf8');
    const prompt = phasePrompt({
      skill,
      phase,
      document,
      task: state.task,
      preferences: state.preferences,
      values: state.values,
      problems,
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
        schema: phaseSchema(phase),
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
        : await writeAndCheckFiles(inputs.project, phase, reading.answer, {
            ...state.values,
            ...reading.answer.outputs,
          });
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

/** Writes declared files that came with the answer, inside the project only, and names those that are missing or empty. */
async function writeAndCheckFiles(
  project: string,
  { files }: RunPhase,
  { files: given }: { files: Record<string, string> },
  values: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const problems: string[] = [];
  for (const file of files) {
    const expanded = expandPath(file, values);
    if (expanded === undefined || expanded.endsWith('/')) continue;
    const target = await containedPath(project, expanded);
    const content = given[expanded] ?? given[file];
    if (content !== undefined) await writeFileAtomic(target, content);
    const found = statSync(target, { throwIfNoEntry: false });
    if (found === undefined) problems.push(`The output file ${expanded} is missing.`);
    else if (found.isFile() && found.size === 0) problems.push(`The output file ${expanded} is empty.`);
  }
  return problems;
}

function renderSummary(skill: string, state: RunState): string {
  const rows = state.summaries.map(
    ({ phase, name, status, summary }) => `- Phase ${phase} ${name}: ${status}. ${summary}`,
  );
  return [`# ${skill}`, '', ...rows, '', closingStatus(state), ''].join('\n');
}
