import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { containedPath, readTextFile } from '../../base/files/bounded.ts';
import type { Exploration, LitePlanAnswer, PlannedTask } from '../../base/schema/judgements/lite.ts';
import type { Complexity, LitePlan, LiteTask } from '../../base/schema/lite/plan.ts';
import { childCounts, cliExecution, recommendedExecution } from './executor.ts';
import { checkQuality, type Quality, readPlanFiles } from './read-plan.ts';
import { renderTask } from './task-text.ts';

/** Reads a lite plan: plan.json and its `.task` folder. */
export async function readLiteFolder(
  folder: string,
  planText: string,
): Promise<{ files: LitePlanFiles; quality: Quality }> {
  return readPlanFiles(planText, await readTaskTexts(folder));
}

/** The task files of a plan.json, by name. */
export async function readTaskTexts(folder: string): Promise<{ file: string; text: string }[]> {
  const tasks = path.join(folder, '.task');
  const names = (await readdir(tasks).catch(() => []))
    .filter((name) => /^(?:TASK|FIX)-\d{3}\.json$/.test(name))
    .sort();
  return Promise.all(
    names.map(async (name) => ({
      file: name,
      text: (await readTextFile(await containedPath(folder, path.join('.task', name)), 1_000_000)) ?? '',
    })),
  );
}

/** The plan as a document: summary, approach and every task with its dependencies; `shape` sets the text of a task. */
export function planText({ plan, tasks }: LitePlanFiles, shape = (task: string) => task): string {
  return [
    plan.summary,
    '',
    plan.approach,
    '',
    ...tasks.flatMap((task) => [shape(`${renderTask(task)}${afterOf(task)}`), '']),
  ].join('\n');
}

const afterOf = ({ depends_on }: LiteTask) =>
  depends_on.length === 0 ? '' : `\nAfter:\n${depends_on.map((id) => `- ${id}`).join('\n')}`;

/** P-061: the two layers of a plan. */
export type LitePlanFiles = { plan: LitePlan; tasks: LiteTask[] };

export type PlanFacts = {
  session: string;
  timestamp: string;
  complexity: Complexity;
  angles: readonly string[];
  baseCommit: string | undefined;
  /** False: codex cannot be called here, so it is not recommended. */
  codex?: boolean;
};

/** A planner's answer as files; `degraded` when rules wrote it and no model did. */
export function filesFromAnswer(answer: LitePlanAnswer, facts: PlanFacts, degraded = false): LitePlanFiles {
  const tasks = answer.tasks.map((task) => taskFromAnswer(task));
  return assemble(
    {
      summary: answer.summary,
      approach: answer.approach,
      estimated_time: answer.estimated_time,
      ...(answer.design_decisions.length === 0
        ? {}
        : {
            design_decisions: answer.design_decisions.map(({ decision, rationale, tradeoff }) => ({
              decision,
              rationale,
              ...(tradeoff === null ? {} : { tradeoff }),
            })),
          }),
      ...(answer.data_flow === null ? {} : { data_flow: { diagram: answer.data_flow } }),
    },
    tasks,
    facts,
    { source: 'cli-lite-planning-agent', planning_mode: 'agent-based', ...(degraded ? { degraded } : {}) },
  );
}

function taskFromAnswer(task: PlannedTask): LiteTask {
  const { id, title, description, action, scope, depends_on, files, implementation, criteria } = task;
  return {
    id,
    title,
    description,
    action,
    scope,
    depends_on,
    files,
    implementation,
    convergence: { criteria },
    ...(task.rationale === null ? {} : { rationale: { chosen_approach: task.rationale } }),
    ...(task.tests.length === 0 && task.commands.length === 0
      ? {}
      : { test: { commands: task.commands, unit: task.tests } }),
    ...(task.risks.length === 0 ? {} : { risks: task.risks }),
    ...(task.skeleton.length === 0 ? {} : { code_skeleton: { key_functions: task.skeleton } }),
  };
}

/** P-044, P-073: a plan of one task without an agent; `degraded` when an agent should have written it. */
export function directPlan(
  task: string,
  explorations: readonly Pick<Exploration, 'relevant_files'>[],
  facts: PlanFacts,
  degraded = false,
): LitePlanFiles {
  const targets = explorations
    .flatMap(({ relevant_files }) => relevant_files)
    .filter(({ role }) => role === 'modify_target');
  const paths = [...new Set(targets.map(({ path }) => path))].slice(0, 5);
  const title = firstLine(task);
  const place = paths.length === 0 ? 'the repository' : paths.join(', ');
  return assemble(
    { summary: title, approach: `One task, done in ${place}.`, estimated_time: '15 to 60 minutes' },
    [
      {
        id: 'TASK-001',
        title,
        description: task,
        action: 'Implement',
        depends_on: [],
        ...(paths.length === 0
          ? {}
          : { files: paths.map((path) => ({ path, action: 'modify' as const, change: title })) }),
        implementation: [
          `Read ${place} and find what "${title}" concerns.`,
          'Change it, and test the change.',
        ],
        convergence: {
          criteria: [
            `The diff contains the change that "${title}" asks for.`,
            'The test command of the project exits with 0.',
          ],
        },
      },
    ],
    facts,
    { source: 'direct-planning', planning_mode: 'direct', ...(degraded ? { degraded } : {}) },
  );
}

/** Numbers conversations, counts, and checks: what every way of making a plan ends with. */
export function assemble(
  overview: Pick<LitePlan, 'summary' | 'approach'> & Partial<LitePlan>,
  tasks: readonly LiteTask[],
  { session, timestamp, complexity, angles, baseCommit, codex }: PlanFacts,
  metadata: Partial<LitePlan['_metadata']> & { source: string },
): LitePlanFiles {
  const children = childCounts(tasks);
  const numbered = tasks.map((task) => ({ ...task, cli_execution: cliExecution(session, task, children) }));
  const plan: LitePlan = {
    ...overview,
    task_ids: tasks.map(({ id }) => id),
    task_count: tasks.length,
    complexity,
    recommended_execution: overview.recommended_execution ?? recommendedExecution(complexity, codex),
    _metadata: {
      timestamp,
      plan_type: 'feature',
      schema_version: '2.0',
      ...metadata,
      ...(angles.length === 0 ? {} : { exploration_angles: [...angles] }),
      ...(baseCommit === undefined ? {} : { base_commit: baseCommit }),
    },
  };
  const quality_check = checkQuality(plan, numbered);
  return { plan: { ...plan, _metadata: { ...plan._metadata, quality_check } }, tasks: numbered };
}

export function firstLine(text: string): string {
  const line = text
    .split('\n')
    .map((each) => each.replace(/^#+\s*/, '').trim())
    .find((each) => each !== '');
  return (line ?? 'The task').slice(0, 160);
}
