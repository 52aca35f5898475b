import type { Complexity } from '../../schema/lite/plan.ts';
import { type LiteTask, type TaskStep, taskActions } from '../../schema/lite/task.ts';
import { dependencyProblems, describeProblem, levelsOf } from '../dependencies.ts';
import { assemble, firstLine, type LitePlanFiles, type PlanFacts } from '../plan-files.ts';
import { planInvalid } from '../read-plan.ts';
import { stepText } from '../task-text.ts';

export type OutlineFile = { path: string; action?: 'modify' | 'create' | 'delete'; change?: string };

/** A task on its way to or from another tool: numbered from 1 in an order in which it can be done. */
export type OutlineTask = {
  number: number;
  title: string;
  description: string;
  dependsOn: number[];
  action?: LiteTask['action'];
  files: OutlineFile[];
  steps: string[];
  criteria: string[];
  tests: string[];
  commands: string[];
  risks: { description: string; mitigation: string }[];
  why?: string;
  excludes: string[];
  /** Everything else a task file says, for formats that have a place for it. */
  rest?: Record<string, unknown>;
};

/** What every format of a plan has in common. */
export type Outline = {
  title: string;
  summary: string;
  approach: string;
  /** YYYY-MM-DD */
  date: string;
  decisions: { decision: string; rationale: string }[];
  edgeCases: string[];
  tasks: OutlineTask[];
};

/** What a reader made of files of another tool; `notes` say what was left out or guessed. */
export type OutlineReading = { outline: Outline; notes: string[] };

export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
const wholeText = (text: string) => text.replace(/\r\n?/g, '\n').trim();

export function emptyTask(number: number, title: string): OutlineTask {
  return {
    number,
    title,
    description: '',
    dependsOn: [],
    files: [],
    steps: [],
    criteria: [],
    tests: [],
    commands: [],
    risks: [],
    excludes: [],
  };
}

/** A plan as an outline; tasks are renumbered so that each comes after what it needs. */
export function outlineOf({ plan, tasks }: LitePlanFiles, title = plan.summary): Outline {
  const problems = dependencyProblems(tasks).map(describeProblem);
  if (problems.length > 0) throw planInvalid(problems);
  const ordered = levelsOf(tasks).flat();
  const numberOf = new Map(ordered.map(({ id }, index) => [id, index + 1]));
  const edgeCases = plan['edge_cases'];
  return {
    title: oneLine(firstLine(title)),
    summary: wholeText(plan.summary),
    approach: wholeText(plan.approach),
    date: /^\d{4}-\d{2}-\d{2}/.exec(plan._metadata.timestamp)?.[0] ?? '1970-01-01',
    decisions: (plan.design_decisions ?? []).map(({ decision, rationale }) => ({
      decision: oneLine(decision),
      rationale: oneLine(rationale),
    })),
    edgeCases: Array.isArray(edgeCases) ? lines(edgeCases.map(String)) : [],
    tasks: ordered.map((task, index) => outlineTask(task, index + 1, numberOf)),
  };
}

function outlineTask(task: LiteTask, number: number, numberOf: ReadonlyMap<string, number>): OutlineTask {
  const { id, title, description, depends_on, action, files, implementation, convergence, ...others } = task;
  const { test, risks, rationale, excludes, cli_execution: _own, ...rest } = others;
  return {
    number,
    title: oneLine(title),
    description: wholeText(description),
    dependsOn: depends_on.map((each) => numberOf.get(each) ?? 0).toSorted((a, b) => a - b),
    ...(action === undefined ? {} : { action }),
    files: (files ?? []).map(({ path, action: kind, change, changes = [] }) => {
      const said = oneLine([change, ...changes].filter(Boolean).join('; '));
      return {
        path,
        ...(kind === undefined ? {} : { action: kind }),
        ...(said === '' ? {} : { change: said }),
      };
    }),
    steps: lines((implementation ?? []).map((step: TaskStep) => stepText(step))),
    criteria: lines([...convergence.criteria, ...(test?.success_metrics ?? [])]),
    tests: lines([...(test?.unit ?? []), ...(test?.integration ?? [])]),
    commands: lines(test?.commands ?? []),
    risks: (risks ?? []).map((risk) => ({
      description: oneLine(risk.description),
      mitigation: oneLine(risk.mitigation),
    })),
    ...(rationale === undefined ? {} : { why: oneLine(rationale.chosen_approach) }),
    excludes: lines(excludes ?? []),
    rest: { id, ...rest },
  };
}

const lines = (texts: readonly string[]) => texts.map(oneLine).filter((text) => text !== '');

/** An outline as the two layers of a plan. What its format could not say is filled in so that the plan can be checked. */
export function filesFromOutline(
  outline: Outline,
  facts: Omit<PlanFacts, 'complexity'>,
  complexity: Complexity,
): LitePlanFiles {
  const { title, summary, approach, decisions, edgeCases } = outline;
  // Two tasks of one number stay two tasks; who depends on that number means the first.
  const idOf = new Map(
    outline.tasks.map(({ number }, index) => [number, taskId(index + 1)] as const).toReversed(),
  );
  return assemble(
    {
      summary: summary || title,
      approach: approach || summary || title,
      title,
      ...(decisions.length === 0 ? {} : { design_decisions: decisions }),
      ...(edgeCases.length === 0 ? {} : { edge_cases: edgeCases }),
    },
    outline.tasks.map((task, index) => liteTask(task, taskId(index + 1), idOf)),
    { ...facts, complexity },
    { source: 'action-planning-agent', planning_mode: 'agent-based' },
  );
}

const taskId = (number: number) => `TASK-${String(number).padStart(3, '0')}`;

function liteTask(task: OutlineTask, id: string, idOf: ReadonlyMap<number, string>): LiteTask {
  const { title, files, steps, criteria, tests, commands, risks, why, excludes, rest = {} } = task;
  const { id: _formerId, ...kept } = rest;
  const known = taskActions.find((action) => title.toLowerCase().startsWith(action.toLowerCase()));
  const action = task.action ?? known;
  return {
    ...kept,
    id,
    title,
    description: task.description || title,
    depends_on: task.dependsOn.map((each) => idOf.get(each) ?? taskId(each)),
    ...(action === undefined ? {} : { action }),
    ...(files.length === 0 ? {} : { files }),
    implementation: steps,
    convergence: {
      criteria: criteria.length === 0 ? [`The diff contains what "${title}" asks for.`] : criteria,
    },
    ...(tests.length + commands.length === 0
      ? {}
      : {
          test: {
            ...(commands.length === 0 ? {} : { commands }),
            ...(tests.length === 0 ? {} : { unit: tests }),
          },
        }),
    ...(risks.length === 0 ? {} : { risks }),
    ...(why === undefined ? {} : { rationale: { chosen_approach: why } }),
    ...(excludes.length === 0 ? {} : { excludes }),
  };
}
