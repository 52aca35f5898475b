import { existsSync } from 'node:fs';
import { CharretteError, isCharretteError } from '../../base/errors.ts';
import { containedPath } from '../../base/files/bounded.ts';
import { isRecord, type JsonValue } from '../../base/safe-json.ts';
import { todoProblems } from '../compaction/compaction.ts';
import { checkOutputs, type OutputSchemas } from './outputs.ts';
import { readPhaseAnswer } from './phase-call.ts';
import type { RunPlan } from './run-plan.ts';
import { runSkill } from './run-skill.ts';

/** A scripted run of a package: what agents answer for each phase, and what must come of it. */
export type Scenario = {
  name: string;
  task: string;
  mode?: string | undefined;
  answers: Record<string, string>;
  /** Outputs by phase number; a list is one entry an attempt or round. */
  phases: Record<string, unknown>;
  expect: {
    reached?: number[];
    skipped?: number[];
    questions?: string[];
    values?: Record<string, unknown>;
    /** Files that must exist in the end, by path; then all declared files of reached phases are checked too. */
    artifacts?: string[];
    fails?: string;
  };
};

/** Where files of a scripted run are written, and what outputs must look like. */
export type ScenarioPlace = { directory: string; schemas: OutputSchemas };

export type ScenarioResult = {
  name: string;
  problems: string[];
  reached: number[];
  skipped: number[];
  questions: string[];
};

export function readScenario(value: JsonValue, source: string): Scenario {
  if (!isRecord(value) || !isRecord(value['phases'])) {
    throw new CharretteError({
      code: 'json-invalid',
      message: `${source} is not a scenario: it needs "phases" with the outputs of each phase.`,
    });
  }
  const answers = isRecord(value['answers'])
    ? Object.fromEntries(Object.entries(value['answers']).map(([key, answer]) => [key, String(answer)]))
    : {};
  return {
    name: String(value['name'] ?? source),
    task: String(value['task'] ?? 'a task'),
    mode: typeof value['mode'] === 'string' ? value['mode'] : undefined,
    answers,
    phases: value['phases'],
    expect: (isRecord(value['expect']) ? value['expect'] : {}) as Scenario['expect'],
  };
}

/** Runs a package against a script, with the same code as a real run, and compares phases, questions and values. */
export async function simulate(
  plan: RunPlan,
  scenario: Scenario,
  place?: ScenarioPlace,
): Promise<ScenarioResult> {
  const result: ScenarioResult = {
    name: scenario.name,
    problems: [],
    reached: [],
    skipped: [],
    questions: [],
  };
  const calls = new Map<number, number>();
  let failure: string | undefined;
  let values: Record<string, unknown> = {};
  try {
    const state = await runSkill(
      plan,
      {
        session: 'test',
        task: scenario.task,
        mode: scenario.mode,
        auto: false,
        now: '1970-01-01T00:00:00.000Z',
      },
      {
        ask: async (questions) => {
          result.questions.push(...questions.map(({ key }) => key));
          return Object.fromEntries(
            questions.map(({ key, recommended }) => [key, scenario.answers[key] ?? recommended]),
          );
        },
        attempt: async ({ phase, state }) => {
          const count = calls.get(phase.number) ?? 0;
          calls.set(phase.number, count + 1);
          const script = scenario.phases[String(phase.number)];
          const outputs = Array.isArray(script) ? script[Math.min(count, script.length - 1)] : script;
          const value =
            isRecord(outputs) && isRecord(outputs['outputs'])
              ? { status: 'DONE', ...outputs }
              : { status: 'DONE', summary: 'scripted', outputs: outputs ?? {} };
          const reading = readPhaseAnswer(value, phase);
          if (reading.answer === undefined || place === undefined) return reading;
          const checked = scenario.expect.artifacts === undefined ? { ...phase, files: [] } : phase;
          const { directory, schemas } = place;
          const more = await checkOutputs(directory, checked, reading.answer, state.values, schemas);
          return { answer: reading.answer, problems: [...reading.problems, ...more] };
        },
        todo: async (list, { phase, status }) => {
          if (status === 'in_progress') result.reached.push(phase.number);
          if (status === 'skipped') result.skipped.push(phase.number);
          result.problems.push(...todoProblems(list));
        },
      },
    );
    values = state.values;
    failure = state.unmet;
  } catch (error) {
    if (!isCharretteError(error)) throw error;
    failure = error.message;
  }
  result.problems.push(...differences(scenario, result, values, failure));
  for (const artifact of scenario.expect.artifacts ?? []) {
    const exists = place !== undefined && existsSync(await containedPath(place.directory, artifact));
    if (!exists) result.problems.push(`artifact ${artifact}: it was not made.`);
  }
  return result;
}

function differences(
  { expect }: Scenario,
  { reached, skipped, questions }: ScenarioResult,
  values: Readonly<Record<string, unknown>>,
  failure: string | undefined,
): string[] {
  const problems: string[] = [];
  const same = (what: string, wanted: unknown, got: unknown) => {
    if (wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(got))
      problems.push(`${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}.`);
  };
  if (expect.fails === undefined && failure !== undefined) problems.push(failure);
  if (expect.fails !== undefined && failure?.includes(expect.fails) !== true)
    problems.push(
      `It should fail with "${expect.fails}"${failure === undefined ? ' but did not.' : `, not "${failure}".`}`,
    );
  same('phases reached', expect.reached, reached);
  same('phases skipped', expect.skipped, skipped);
  same('questions', expect.questions, questions);
  for (const [name, value] of Object.entries(expect.values ?? {})) same(`value ${name}`, value, values[name]);
  return problems;
}
