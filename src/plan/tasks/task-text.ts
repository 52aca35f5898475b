import type { LiteTask, TaskStep } from '../../base/schema/lite/plan.ts';

/** P-130, P-131: a task as an executor reads it; what is absent leaves no trace. */
export function renderTask(task: LiteTask): string {
  const { files = [], implementation = [], risks = [], rationale, reference, code_skeleton, test } = task;
  return [
    `### ${task.id}: ${task.title}`,
    [task.action, scopeOf(task.scope)].filter(Boolean).join(' in '),
    task.description,
    ...section(
      'Files',
      files.map(
        ({ path, action, target, change, changes = [] }) =>
          `${path}${action === undefined ? '' : ` (${action})`}${target === undefined ? '' : ` ${target}`}${[change, ...changes].filter(Boolean).length === 0 ? '' : `: ${[change, ...changes].filter(Boolean).join('; ')}`}`,
      ),
    ),
    ...section('Leave alone', task.excludes ?? []),
    ...section(
      'Why',
      rationale === undefined ? [] : [rationale.chosen_approach, ...(rationale.decision_factors ?? [])],
    ),
    ...section('How', implementation.map(stepText)),
    ...section('Skeleton', [
      ...(code_skeleton?.interfaces ?? []),
      ...(code_skeleton?.key_functions ?? []),
      ...(code_skeleton?.classes ?? []),
    ]),
    ...section('Reference', [
      ...(reference?.pattern === undefined ? [] : [reference.pattern]),
      ...(reference?.files ?? []),
    ]),
    ...section(
      'Risks',
      risks.map(({ description, mitigation }) => `${description} Remedy: ${mitigation}`),
    ),
    ...section('Tests', [
      ...(test?.unit ?? []),
      ...(test?.integration ?? []),
      ...(test?.commands ?? []).map((each) => `run ${each}`),
    ]),
    ...section(
      'Done when',
      [...task.convergence.criteria, ...(test?.success_metrics ?? [])].map((criterion) => `[ ] ${criterion}`),
    ),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

export function stepText(step: TaskStep): string {
  if (typeof step === 'string') return step;
  const name = step.step === undefined ? '' : `${step.step}: `;
  const phase = step.tdd_phase === undefined ? '' : ` (${step.tdd_phase})`;
  const actions = step.actions ?? [];
  return `${name}${step.description}${phase}${actions.length === 0 ? '' : `: ${actions.join('; ')}`}`;
}

export function scopeOf(scope: LiteTask['scope']): string {
  return scope === undefined ? '' : typeof scope === 'string' ? scope : scope.join(', ');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `- ${line}`)];
}
