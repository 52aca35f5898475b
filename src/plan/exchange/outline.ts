import type { Complexity, LitePlan, LiteTask } from '../../base/schema/lite/plan.ts';
import { taskActions } from '../../base/schema/lite/plan.ts';
import { assemble, firstLine, type LitePlanFiles, type PlanFacts } from '../tasks/plan-files.ts';
import { planInvalid } from '../tasks/read-plan.ts';
import { dependencyProblems, describeProblem, isDone, wavesOf } from '../tasks/schedule.ts';
import { stepText } from '../tasks/task-text.ts';

export type OutlineFile = { path: string; action?: 'modify' | 'create' | 'delete'; change?: string };

/** A task on its way to or from another tool, numbered from 1 in a possible order of work. */
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
  /** Completed already: shown, not executed again. */
  done?: boolean;
};

/** What the text formats have in common. */
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

/** A file of another tool, by its path below the project. */
export type ExchangeFile = { path: string; text: string };

/** What a reader made of the files of another tool; `notes` name what it omitted or guessed. */
export type OutlineReading = { outline: Outline; notes: string[] };

/** An imported plan before it gets its session, counts and checks. */
export type PlanDraft = {
  overview: Partial<LitePlan> & Pick<LitePlan, 'summary' | 'approach'>;
  tasks: LiteTask[];
  metadata: Partial<LitePlan['_metadata']>;
};

export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
export const wholeText = (text: string) => text.replace(/\r\n?/g, '\n').trim();
export const lines = (texts: readonly string[]) => texts.map(oneLine).filter((text) => text !== '');
export const taskId = (number: number) => `TASK-${String(number).padStart(3, '0')}`;

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

/** A plan as an outline; renumbers tasks so that each comes after its dependencies. */
export function outlineOf({ plan, tasks }: LitePlanFiles, title = plan.summary): Outline {
  const problems = dependencyProblems(tasks).map(describeProblem);
  if (problems.length > 0) throw planInvalid(problems);
  const ordered = wavesOf(tasks).flat();
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
  const { action, files = [], implementation = [], convergence, test, risks = [], rationale } = task;
  return {
    number,
    title: oneLine(task.title),
    description: wholeText(task.description),
    dependsOn: task.depends_on.map((each) => numberOf.get(each) ?? 0).toSorted((a, b) => a - b),
    ...(action === undefined ? {} : { action }),
    files: files.map(({ path, action: fileAction, change, changes = [] }) => {
      const text = oneLine([change, ...changes].filter(Boolean).join('; '));
      return {
        path,
        ...(fileAction === undefined ? {} : { action: fileAction }),
        ...(text === '' ? {} : { change: text }),
      };
    }),
    steps: lines(implementation.map(stepText)),
    criteria: lines([...convergence.criteria, ...(test?.success_metrics ?? [])]),
    tests: lines([...(test?.unit ?? []), ...(test?.integration ?? [])]),
    commands: lines(test?.commands ?? []),
    risks: risks.map(({ description, mitigation }) => ({
      description: oneLine(description),
      mitigation: oneLine(mitigation),
    })),
    ...(rationale === undefined ? {} : { why: oneLine(rationale.chosen_approach) }),
    excludes: lines(task.excludes ?? []),
    ...(isDone(task) ? { done: true } : {}),
  };
}

/** An outline as the parts of a plan; what its format lacks is filled in so that the plan can be checked. */
export function draftOf({ title, summary, approach, decisions, edgeCases, tasks }: Outline): PlanDraft {
  // Of two tasks with one number, dependants mean the first.
  const idOf = new Map(tasks.map(({ number }, index) => [number, taskId(index + 1)] as const).toReversed());
  return {
    overview: {
      summary: summary || title,
      approach: approach || summary || title,
      title,
      design_decisions: unlessEmpty(decisions),
      edge_cases: unlessEmpty(edgeCases),
    },
    tasks: tasks.map((task, index) => liteTask(task, taskId(index + 1), idOf)),
    metadata: {},
  };
}

function liteTask(task: OutlineTask, id: string, idOf: ReadonlyMap<number, string>): LiteTask {
  const { title, criteria, tests, commands } = task;
  return {
    id,
    title,
    description: task.description || title,
    depends_on: task.dependsOn.map((each) => idOf.get(each) ?? taskId(each)),
    action: task.action ?? actionOf(title),
    files: unlessEmpty(task.files),
    implementation: task.steps,
    convergence: { criteria: criteria.length === 0 ? fallbackCriteria(title) : criteria },
    test:
      tests.length + commands.length === 0
        ? undefined
        : { commands: unlessEmpty(commands), unit: unlessEmpty(tests) },
    risks: unlessEmpty(task.risks),
    rationale: task.why === undefined ? undefined : { chosen_approach: task.why },
    excludes: unlessEmpty(task.excludes),
    status: task.done === true ? 'completed' : undefined,
  };
}

/** The action that a title begins with. */
export const actionOf = (title: string) =>
  taskActions.find((action) => title.toLowerCase().startsWith(action.toLowerCase()));

export const fallbackCriteria = (title: string) => [`The diff contains what "${title}" asks for.`];

export function filesFromDraft(
  { overview, tasks, metadata }: PlanDraft,
  facts: Omit<PlanFacts, 'complexity'>,
  complexity: Complexity,
): LitePlanFiles {
  return assemble(
    overview,
    tasks,
    {
      ...facts,
      complexity: overview.complexity ?? complexity,
      baseCommit: metadata.base_commit ?? facts.baseCommit,
    },
    { source: 'action-planning-agent', planning_mode: 'agent-based', ...metadata },
  );
}

const unlessEmpty = <Item>(items: Item[]) => (items.length === 0 ? undefined : items);
