import type { LitePlan, LiteTask, TaskStep } from '../../base/schema/lite/plan.ts';
import { firstLine, type LitePlanFiles } from '../tasks/plan-files.ts';
import { planInvalid } from '../tasks/read-plan.ts';
import { dependencyProblems, describeProblem, isDone, wavesOf } from '../tasks/schedule.ts';
import { stepText } from '../tasks/task-text.ts';

export type OutlineFile = { path: string; action?: 'modify' | 'create' | 'delete'; change?: string };

type TaskFile = NonNullable<LiteTask['files']>[number];

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
  /** Completed already: it is shown and not executed again. */
  done?: boolean;
  /** The task file that this is an outline of, for formats that have a place for it; its id and dependencies are made anew. */
  original?: Partial<LiteTask>;
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
  /** The plan that this is an outline of. */
  original?: OriginalPlan;
};

export type OriginalPlan = {
  overview: Partial<LitePlan>;
  metadata: Partial<LitePlan['_metadata']>;
};

/** What a reader made of files of another tool; `notes` say what was left out or guessed. */
export type OutlineReading = { outline: Outline; notes: string[] };

export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
export const wholeText = (text: string) => text.replace(/\r\n?/g, '\n').trim();

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
  const ordered = wavesOf(tasks).flat();
  const numberOf = new Map(ordered.map(({ id }, index) => [id, index + 1]));
  const { task_ids: _ids, task_count: _count, _metadata, ...overview } = plan;
  const { quality_check: _quality, schema_version: _version, ...metadata } = _metadata;
  return {
    title: oneLine(firstLine(title)),
    summary: wholeText(plan.summary),
    approach: wholeText(plan.approach),
    date: /^\d{4}-\d{2}-\d{2}/.exec(plan._metadata.timestamp)?.[0] ?? '1970-01-01',
    ...planView(plan),
    tasks: ordered.map((task, index) =>
      outlineTask(
        task,
        index + 1,
        task.depends_on.map((each) => numberOf.get(each) ?? 0).toSorted((a, b) => a - b),
      ),
    ),
    original: { overview, metadata },
  };
}

/** The parts of a plan that are lists, as every format says them. */
export function planView(plan: Partial<LitePlan>): Pick<Outline, 'decisions' | 'edgeCases'> {
  const edgeCases = plan['edge_cases'];
  return {
    decisions: (plan.design_decisions ?? []).map(decisionView),
    edgeCases: Array.isArray(edgeCases) ? lines(edgeCases.map(String)) : [],
  };
}

/** A task file as an outline of it. */
export function outlineTask(
  task: Partial<LiteTask> & Pick<LiteTask, 'title' | 'description'>,
  number: number,
  dependsOn: number[],
): OutlineTask {
  const { id: _id, depends_on: _needs, cli_execution: _conversation, ...original } = task;
  const { action, files, implementation, convergence, test, risks, rationale, excludes } = original;
  return {
    number,
    title: oneLine(task.title),
    description: wholeText(task.description),
    dependsOn,
    ...(action === undefined ? {} : { action }),
    files: (files ?? []).map(fileView),
    steps: lines((implementation ?? []).map(stepView)),
    criteria: lines([...(convergence?.criteria ?? []), ...(test?.success_metrics ?? [])]),
    tests: lines([...(test?.unit ?? []), ...(test?.integration ?? [])]),
    commands: lines(test?.commands ?? []),
    risks: (risks ?? []).map(riskView),
    ...(rationale === undefined ? {} : { why: oneLine(rationale.chosen_approach) }),
    excludes: lines(excludes ?? []),
    ...(isDone(task) ? { done: true } : {}),
    original,
  };
}

export function fileView({ path, action, change, changes = [] }: TaskFile): OutlineFile {
  const said = oneLine([change, ...changes].filter(Boolean).join('; '));
  return { path, ...(action === undefined ? {} : { action }), ...(said === '' ? {} : { change: said }) };
}

export const stepView = (step: TaskStep) => oneLine(stepText(step));

export const riskView = ({ description, mitigation }: { description: string; mitigation: string }) => ({
  description: oneLine(description),
  mitigation: oneLine(mitigation),
});

export const decisionView = ({ decision, rationale }: { decision: string; rationale: string }) => ({
  decision: oneLine(decision),
  rationale: oneLine(rationale),
});

export const lines = (texts: readonly string[]) => texts.map(oneLine).filter((text) => text !== '');
