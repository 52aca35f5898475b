import type { Complexity, LitePlan } from '../../base/schema/lite/plan.ts';
import { type LiteTask, taskIdPattern } from '../../base/schema/lite/plan.ts';
import { leadsOut, repeated } from '../../base/text/strings.ts';
import { isVague } from '../../base/text/vague.ts';
import { dependencyProblems, describeProblem } from './schedule.ts';

/** P-069: critical problems make a plan useless, minor ones are said. */
export type Quality = {
  result: 'PASS' | 'AUTO_FIX' | 'REGENERATE';
  critical: string[];
  minor: string[];
};

export type Checked = Pick<LiteTask, 'id' | 'title' | 'depends_on' | 'convergence'> &
  Partial<
    Pick<LiteTask, 'implementation' | 'action' | 'rationale' | 'test' | 'risks' | 'code_skeleton' | 'files'>
  >;

/** P-062, P-064, P-068: what is wrong with a plan and its tasks. */
export function checkQuality(
  plan: Pick<LitePlan, 'task_ids' | 'task_count' | 'complexity' | 'design_decisions' | 'data_flow'>,
  tasks: readonly Checked[],
): Quality {
  const ids = tasks.map(({ id }) => id);
  const [known, listed] = [new Set(ids), new Set(plan.task_ids)];
  const critical = [
    ...(tasks.length === 0 ? ['the plan has no task'] : []),
    ...(plan.task_count === plan.task_ids.length
      ? []
      : [`task_count is ${plan.task_count}, task_ids has ${plan.task_ids.length}`]),
    ...repeated(plan.task_ids).map((id) => `${id} is in task_ids twice`),
    ...[...listed].filter((id) => !known.has(id)).map((id) => `${id} has no task file`),
    ...ids.filter((id) => !listed.has(id)).map((id) => `${id} is not in task_ids`),
    ...ids.filter((id) => !taskIdPattern.test(id)).map((id) => `${id} is no task id`),
    ...dependencyProblems(tasks).map(describeProblem),
    ...tasks.flatMap(({ id, convergence }) =>
      convergence.criteria.filter(isVague).map((text) => `${id}: "${text}" cannot be checked`),
    ),
    ...tasks.flatMap(({ id, files = [] }) =>
      files
        .filter(({ path }) => leadsOut(path))
        .map(({ path }) => `${id}: ${path} leads out of the repository`),
    ),
  ];
  const minor = [
    ...tasks.flatMap(({ id, implementation = [] }) =>
      implementation.length >= 2 ? [] : [`${id}: fewer than two steps`],
    ),
    ...detailProblems(plan, tasks),
    ...(tasks.length > 3 && tasks.every(({ files = [] }) => files.length === 1)
      ? ['every task touches one file; tasks are features, not files']
      : []),
  ];
  return {
    result: critical.length > 0 ? 'REGENERATE' : minor.length > 0 ? 'AUTO_FIX' : 'PASS',
    critical,
    minor,
  };
}

/** P-064: detail by complexity. */
function detailProblems(
  plan: Pick<LitePlan, 'complexity' | 'design_decisions' | 'data_flow'>,
  tasks: readonly Checked[],
): string[] {
  const level: Complexity = plan.complexity ?? 'Medium';
  if (level === 'Low') return [];
  const missing = (name: string, has: (task: Checked) => boolean) =>
    tasks.filter((task) => !has(task)).map(({ id }) => `${id}: no ${name}`);
  return [
    ...missing('rationale', ({ rationale }) => rationale !== undefined),
    ...missing('test', ({ test }) => test !== undefined),
    ...((plan.design_decisions ?? []).length === 0 ? ['no design_decisions'] : []),
    ...(level === 'Medium'
      ? []
      : [
          ...missing('risks', ({ risks = [] }) => risks.length > 0),
          ...missing('code_skeleton', ({ code_skeleton }) => code_skeleton !== undefined),
          ...(plan.data_flow === undefined ? ['no data_flow'] : []),
        ]),
  ];
}
