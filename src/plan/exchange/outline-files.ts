import { isDeepStrictEqual } from 'node:util';
import { type Complexity, type LitePlan, type LiteTask, taskActions } from '../../base/schema/lite/plan.ts';
import { assemble, type LitePlanFiles, type PlanFacts } from '../tasks/plan-files.ts';
import { isDone } from '../tasks/schedule.ts';
import {
  decisionView,
  fileView,
  lines,
  type Outline,
  type OutlineTask,
  oneLine,
  outlineTask,
  planView,
  riskView,
  stepView,
  wholeText,
} from './outline.ts';

/** A file of another tool, by its path below the project. */
export type ExchangeFile = { path: string; text: string };

/**
 * An outline as the two layers of a plan. What its format could not say is filled in so that the plan can be checked; where an outline
 * carries the plan it was made of, whatever was not changed since comes back as it was.
 */
export function filesFromOutline(
  outline: Outline,
  facts: Omit<PlanFacts, 'complexity'>,
  complexity: Complexity,
): LitePlanFiles {
  const { overview, metadata } = outline.original ?? { overview: {}, metadata: {} };
  // Two tasks of one number stay two tasks; who depends on that number means the first.
  const idOf = new Map(
    outline.tasks.map(({ number }, index) => [number, taskId(index + 1)] as const).toReversed(),
  );
  return assemble(
    planOf(outline, overview),
    outline.tasks.map((task, index) => liteTask(task, taskId(index + 1), idOf)),
    {
      ...facts,
      complexity: overview.complexity ?? complexity,
      baseCommit: metadata.base_commit ?? facts.baseCommit,
    },
    { source: 'action-planning-agent', planning_mode: 'agent-based', ...metadata },
  );
}

const taskId = (number: number) => `TASK-${String(number).padStart(3, '0')}`;

function planOf(
  { title, summary, approach, decisions, edgeCases }: Outline,
  original: Partial<LitePlan>,
): Partial<LitePlan> & Pick<LitePlan, 'summary' | 'approach'> {
  const before = planView(original);
  return {
    ...original,
    summary: asBefore(summary, original.summary, wholeText) || title,
    approach: asBefore(approach, original.approach, wholeText) || summary || title,
    title,
    design_decisions: unlessEmpty(restored(decisions, original.design_decisions, decisionView)),
    edge_cases: isDeepStrictEqual(before.edgeCases, edgeCases)
      ? original['edge_cases']
      : unlessEmpty(edgeCases),
  };
}

function liteTask(task: OutlineTask, id: string, idOf: ReadonlyMap<number, string>): LiteTask {
  const { title, steps, risks, why, original = {} } = task;
  const { id: _id, title: _title, description: _description, depends_on: _needs, ...others } = original;
  const known = taskActions.find((action) => title.toLowerCase().startsWith(action.toLowerCase()));
  return {
    id,
    title: asBefore(title, original.title, oneLine),
    description: asBefore(task.description, original.description, wholeText) || title,
    depends_on: task.dependsOn.map((each) => idOf.get(each) ?? taskId(each)),
    ...others,
    action: task.action ?? known,
    files: unlessEmpty(filesOf(task, original)),
    implementation: restored(steps, original.implementation, stepView),
    ...provesOf(task, original),
    risks: unlessEmpty(restored(risks, original.risks, riskView)),
    rationale: why === undefined ? undefined : { ...original.rationale, chosen_approach: why },
    excludes: unlessEmpty(task.excludes),
    status: task.done === true ? 'completed' : isDone(original) ? undefined : original.status,
  };
}

/** A file whose description was changed elsewhere is still the same place. */
function filesOf({ files }: OutlineTask, original: Partial<LiteTask>): LiteTask['files'] {
  const byPath = new Map(original.files?.toReversed().map((file) => [file.path, file]));
  return restored(files, original.files, fileView).map((file) => {
    const before = byPath.get(file.path);
    return before === undefined || before === file
      ? file
      : { target: before.target, conflict_risk: before.conflict_risk, ...file };
  });
}

/** What proves that a task is done: criteria, tests, commands. */
function provesOf(
  { title, criteria, tests, commands }: OutlineTask,
  original: Partial<LiteTask>,
): Pick<LiteTask, 'convergence' | 'test'> {
  const before = outlineTask({ title: '', description: '', ...original }, 0, []);
  const { convergence, test } = original;
  const integration = new Set(lines(test?.integration ?? []));
  const fallback = [`The diff contains what "${title}" asks for.`];
  const sameCriteria = isDeepStrictEqual(before.criteria, criteria);
  const now: LiteTask['test'] = {
    ...test,
    ...(isDeepStrictEqual(before.commands, commands) ? {} : { commands: unlessEmpty(commands) }),
    ...(isDeepStrictEqual(before.tests, tests)
      ? {}
      : {
          unit: unlessEmpty(tests.filter((each) => !integration.has(each))),
          integration: unlessEmpty(tests.filter((each) => integration.has(each))),
        }),
    // What was a metric and was changed is a criterion like the others.
    ...(sameCriteria ? {} : { success_metrics: undefined }),
  };
  const kept = sameCriteria && convergence !== undefined ? convergence.criteria : criteria;
  return {
    convergence: { ...convergence, criteria: kept.length === 0 ? fallback : kept },
    test: test === undefined && tests.length + commands.length === 0 ? undefined : now,
  };
}

/** A text as it was, when it still says the same. */
function asBefore(now: string, before: string | undefined, viewOf: (text: string) => string): string {
  return before !== undefined && viewOf(before) === now ? before : now;
}

/** The items as they were, where they still say the same. */
function restored<Item, View extends string | object>(
  views: readonly View[],
  items: readonly Item[] | undefined,
  viewOf: (item: Item) => View,
): (Item | View)[] {
  // The first of several that say the same is the last to be put in.
  const byKey = new Map(items?.toReversed().map((item) => [keyOf(viewOf(item)), item]));
  return views.map((view) => byKey.get(keyOf(view)) ?? view);
}

/** The same for two views that say the same, in whatever order their parts are. */
const keyOf = (view: string | object) =>
  typeof view === 'string' ? view : JSON.stringify(Object.entries(view).toSorted());

const unlessEmpty = <Item>(items: Item[] | undefined) =>
  items === undefined || items.length === 0 ? undefined : items;
