import type { Exploration } from '../schema/judgements/exploration.ts';
import type { LitePlanAnswer, PlannedTask } from '../schema/judgements/lite-plan.ts';
import type { Plan } from '../schema/judgements/plan.ts';
import type { Complexity, LitePlan } from '../schema/lite/plan.ts';
import type { LiteTask } from '../schema/lite/task.ts';
import { cliExecution, recommendedExecution } from './executor.ts';
import { checkQuality } from './quality.ts';

/** P-061: the two layers of a plan. */
export type LitePlanFiles = { plan: LitePlan; tasks: LiteTask[] };

export type PlanFacts = {
  session: string;
  timestamp: string;
  complexity: Complexity;
  angles: readonly string[];
  baseCommit: string | undefined;
};

/** A planner's answer as files. */
export function filesFromAnswer(answer: LitePlanAnswer, facts: PlanFacts): LitePlanFiles {
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
    { source: 'cli-lite-planning-agent', planning_mode: 'agent-based' },
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

/** The plan of a design run as tasks: the files of one folder together, tests after what they test. */
export function filesFromDesign(design: Plan, facts: PlanFacts): LitePlanFiles {
  const testPaths = new Set(design.tests.map(({ path }) => path));
  const sources = design.files.filter(({ path }) => !testPaths.has(path));
  const groups = [
    ...Map.groupBy(sources.length === 0 ? design.files : sources, ({ path }) => folderOf(path)),
  ];
  const commands = design.commands.map(({ command }) => command);
  const edgeCases = design.edgeCases.slice(0, 6);
  const tasks = groups.map(
    ([folder, files], index): LiteTask => ({
      id: idOf(index),
      title: `${design.title}: ${folder}`,
      description: `${design.summary}\n\n${design.approach}`,
      action: files.every(({ action }) => action === 'new') ? 'Create' : 'Update',
      scope: folder,
      depends_on: [],
      files: files.map(({ path, action, description }) => ({
        path,
        action: action === 'new' ? ('create' as const) : action,
        change: description,
      })),
      implementation: [
        ...files.map(({ path, description }) => `${path}: ${description}`),
        'Leave everything else as it is.',
      ],
      convergence: { criteria: files.map(({ path, description }) => `${path}: ${firstLine(description)}`) },
      rationale: { chosen_approach: firstLine(design.approach) },
      test: { commands },
      risks: design.failureModes.map(({ failure, mitigation }) => ({ description: failure, mitigation })),
    }),
  );
  const testing: LiteTask[] =
    sources.length === 0 || design.tests.length === 0
      ? []
      : [
          {
            id: idOf(tasks.length),
            title: `${design.title}: tests`,
            description: design.testing,
            action: 'Test',
            scope: 'tests',
            depends_on: tasks.map(({ id }) => id),
            files: design.tests.map(({ path, description }) => ({ path, change: description })),
            implementation: [
              ...design.tests.map(({ path, description }) => `${path}: ${description}`),
              `Cover: ${edgeCases.length === 0 ? 'the changed behaviour' : edgeCases.join('; ')}`,
            ],
            convergence: {
              criteria: design.tests.map(({ path, description }) => `${path}: ${firstLine(description)}`),
            },
            test: { commands, unit: design.tests.map(({ description }) => description) },
          },
        ];
  return assemble(
    {
      title: design.title,
      summary: design.summary,
      approach: design.approach,
      ...(design.decisions.length === 0
        ? {}
        : {
            design_decisions: design.decisions.map(({ id, honoured }) => ({
              decision: id,
              rationale: honoured,
            })),
          }),
      ...(design.edgeCases.length === 0 ? {} : { edge_cases: design.edgeCases }),
    },
    [...tasks, ...testing],
    facts,
    { source: 'action-planning-agent', planning_mode: 'agent-based' },
  );
}

/** Numbers conversations, counts, and checks: what every way of making a plan ends with. */
export function assemble(
  overview: Pick<LitePlan, 'summary' | 'approach'> & Partial<LitePlan>,
  tasks: readonly LiteTask[],
  { session, timestamp, complexity, angles, baseCommit }: PlanFacts,
  metadata: { source: string; planning_mode: 'direct' | 'agent-based'; degraded?: boolean },
): LitePlanFiles {
  const numbered = tasks.map((task) => ({ ...task, cli_execution: cliExecution(session, task, tasks) }));
  const plan: LitePlan = {
    ...overview,
    task_ids: tasks.map(({ id }) => id),
    task_count: tasks.length,
    complexity,
    recommended_execution: recommendedExecution(complexity),
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

const idOf = (index: number) => `TASK-${String(index + 1).padStart(3, '0')}`;

function folderOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at < 0 ? 'top folder' : path.slice(0, at);
}

export function firstLine(text: string): string {
  const line = text
    .split('\n')
    .map((each) => each.replace(/^#+\s*/, '').trim())
    .find((each) => each !== '');
  return (line ?? 'The task').slice(0, 160);
}
