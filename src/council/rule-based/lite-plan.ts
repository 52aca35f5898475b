import type { LitePlanAnswer } from '../../base/schema/judgements/lite.ts';
import type { Complexity } from '../../base/schema/lite/plan.ts';
import { filesFromDesign } from '../../plan/tasks/design-tasks.ts';
import { stepText } from '../../plan/tasks/task-text.ts';
import { planFor } from './plan.ts';
import type { Study } from './study.ts';

/** The plan by rule, cut into tasks: the files of a folder together, tests last. */
export function litePlanFor(study: Study, complexity: Complexity): LitePlanAnswer {
  const plan = planFor(study, { resolutions: [] });
  const facts = { session: 'static', timestamp: '', complexity, angles: [], baseCommit: undefined };
  const { tasks } = filesFromDesign(plan, facts);
  const added = plan.symbols.filter(({ state }) => state === 'new');
  const symbols = (added.length > 0 ? added : plan.symbols).map(({ name }) => name);
  return {
    summary: plan.summary,
    approach: plan.approach,
    estimated_time: `${tasks.length * 30} minutes (counted, not judged)`,
    tasks: tasks.map((task) => ({
      id: task.id,
      title: task.title.slice(0, 200),
      description: task.description.slice(0, 8000),
      action: task.action ?? 'Update',
      scope: String(task.scope ?? 'the repository').slice(0, 400),
      depends_on: task.depends_on,
      files: (task.files ?? []).map(({ path, action, change }) => ({
        path,
        action: action ?? (study.index.byPath.has(path) ? 'modify' : 'create'),
        change: (change ?? task.title).slice(0, 4000),
      })),
      implementation: (task.implementation ?? []).map((step) => stepText(step).slice(0, 2000)),
      criteria: task.convergence.criteria.map((text) => text.slice(0, 1000)),
      rationale: 'These files match the description; nobody has judged whether they are the right ones.',
      tests: (task.test?.unit ?? ['Run the tests that are there.']).map((text) => text.slice(0, 1000)),
      commands: plan.commands.map(({ command }) => command).slice(0, 10),
      risks: plan.failureModes.slice(0, 3).map(({ failure, mitigation }) => ({
        description: failure.slice(0, 1000),
        probability: 'Medium' as const,
        impact: 'Medium' as const,
        mitigation: mitigation.slice(0, 1000),
      })),
      skeleton: symbols.slice(0, 5),
    })),
    design_decisions: [
      { decision: 'One task per folder', rationale: 'Files of a folder change together.', tradeoff: null },
    ],
    data_flow:
      complexity === 'High'
        ? plan.files
            .map(({ path }) => path)
            .join(' → ')
            .slice(0, 4000)
        : null,
  };
}
