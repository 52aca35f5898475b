import type { JsonSchema } from '../../../agents/port.ts';
import type { Complexity, LitePlan, LiteTask } from '../../../base/schema/lite/plan.ts';
import { renderTask } from '../../../plan/tasks/task-text.ts';
import { readOnlyPart } from '../../../prompts/panel/common.ts';
import { data, optionalData, type Part, type PromptDraft, request, words } from '../../../prompts/part.ts';

/** What every prompt of a run contains. */
export type LiteCommission = {
  task: string;
  /** Design documents and project rules (P-021). */
  brief?: string | undefined;
  clarifications?: string | undefined;
};

function commission({ task, brief, clarifications }: LiteCommission): Part[] {
  const details = { heading: 'Clarifications', text: 'Answers already given; they are part of the task.' };
  return [
    ...optionalData('project_brief', brief, { heading: 'Project brief' }),
    ...request('task', task, { heading: 'Task' }),
    // Without a user the answers are recommendations of agents.
    ...(/ \(assumed\)$/m.test(clarifications ?? '')
      ? optionalData('clarifications', clarifications, details)
      : request('clarifications', clarifications, details)),
  ];
}

/** P-045, P-046: one exploration of the repository. */
export function explorePrompt(input: {
  commission: LiteCommission;
  angle: string;
  index: number;
  total: number;
  schema: JsonSchema;
}): PromptDraft {
  return {
    task: 'explore',
    fixed: [
      words(
        'role',
        'You explore this repository before another agent plans a change to it. Others explore it from other angles.',
      ),
      words(
        'content',
        [
          'First the structure: modules, a search for the words of the task, who imports whom. Then read what matters.',
          'Name at least three files where the repository has them, each with its role and a reason that holds for this task only.',
          'Patterns must be such that a writer can follow them. Integration points are given as path:line.',
          'Constraints are those of this project, not general advice.',
          'Ask only what the code cannot answer and what changes the plan; give options and say which you would take.',
        ].join('\n'),
      ),
      readOnlyPart,
    ],
    answer: { kind: 'json', schema: input.schema },
    changing: [
      ...commission(input.commission),
      words('angle', `Your angle: ${input.angle} (${input.index} of ${input.total}).`, 'Angle'),
    ],
  };
}

const detail: Readonly<Record<Complexity, string>> = {
  Low: 'Complexity is Low: the base fields are enough.',
  Medium: 'Complexity is Medium: give each task a rationale and tests, and the plan its design decisions.',
  High: 'Complexity is High: give each task a rationale, tests, risks and a skeleton, and the plan design decisions and data flow.',
};

/** P-065, P-066: the plan. */
export function litePlanPrompt(input: {
  commission: LiteCommission;
  complexity: Complexity;
  explorations: string | undefined;
  handoff: string | undefined;
  change: { previous: string; request: string } | undefined;
  schema: JsonSchema;
}): PromptDraft {
  const { complexity, explorations, handoff, change, schema } = input;
  return {
    task: 'lite-plan',
    fixed: [
      words(
        'role',
        'You plan a change to this repository as tasks that executors complete without asking back.',
      ),
      words(
        'content',
        [
          'A feature is one task, also over three to five files. Group by context; merge small things that do not belong elsewhere; never one task per file.',
          'A task takes fifteen to sixty minutes. It depends on another only when it needs its output; otherwise both run at the same time.',
          'Two tasks that touch the same file belong together or depend on each other.',
          'Criteria can be checked by looking or by running something: what is where, which command gives what. Never "works correctly".',
          'Where a scope was handed over, each of its items is one task.',
        ].join('\n'),
      ),
      readOnlyPart,
    ],
    answer: { kind: 'json', schema },
    changing: [
      ...commission(input.commission),
      words('complexity', detail[complexity], 'Detail'),
      explorations === undefined
        ? words(
            'explorations',
            'There are none: no agent has explored the repository for this task.',
            'Explorations',
          )
        : data('explorations', explorations, { heading: 'Explorations', limit: 60_000 }),
      ...optionalData('handoff', handoff, { heading: 'Handed over' }),
      ...(change === undefined
        ? []
        : [
            data('previous_plan', change.previous, { heading: 'Previous plan', limit: 40_000 }),
            ...request('wanted-change', change.request, { heading: 'Requested change' }),
          ]),
    ],
  };
}

export type ExecuteInput = {
  commission: LiteCommission;
  plan: LitePlan;
  tasks: readonly LiteTask[];
  previous: string | undefined;
  conflict: string | undefined;
  schema: JsonSchema;
};

/** P-130: what an executor gets; the same for all. */
export function executePrompt(input: ExecuteInput): PromptDraft {
  const { plan, tasks, previous, conflict, schema } = input;
  return {
    task: 'execute',
    fixed: [
      words(
        'role',
        'You execute tasks of a plan in this checkout. It is yours alone; others work in separate checkouts.',
      ),
      words(
        'content',
        [
          'Do exactly the tasks below, each until every line of its "Done when" holds. Change no other behaviour.',
          'Do not commit, do not switch branches, do not touch files outside this directory.',
          'What you could not finish you name with its task id and the reason.',
        ].join('\n'),
      ),
    ],
    answer: { kind: 'json', schema },
    changing: [
      ...commission(input.commission),
      data('plan', `${plan.summary}\n\n${plan.approach}`, { heading: 'Goal', limit: 20_000 }),
      ...optionalData('data_flow', plan.data_flow?.diagram, { heading: 'Data flow' }),
      ...optionalData('previous_work', previous, { heading: 'Done before you', limit: 20_000 }),
      data('tasks', tasks.map(renderTask).join('\n\n'), { heading: 'Tasks' }),
      ...optionalData('conflict', conflict, {
        heading: 'Conflict',
        text: 'Your first attempt could not be merged with the work of others. This checkout has their work; do the tasks again on top of it.',
        limit: 40_000,
      }),
    ],
  };
}

/** P-155: one round of repairs. */
export function fixPrompt(input: {
  commission: LiteCommission;
  problems: readonly string[];
  round: number;
  schema: JsonSchema;
}): PromptDraft {
  return {
    task: 'fix',
    fixed: [
      words('role', 'You repair a change to this repository after tests or a review found problems.'),
      words(
        'content',
        'Find the cause, repair it in the code and not in the test unless the test is wrong, and run the tests if you can. Do not commit.',
      ),
    ],
    answer: { kind: 'json', schema: input.schema },
    changing: [
      ...commission(input.commission),
      words('round', `Round ${input.round} of at most 3.`),
      data('problems', input.problems.join('\n\n'), { heading: 'Problems', limit: 40_000 }),
    ],
  };
}

/** P-150: review of the changes, criterion by criterion. */
export function codeReviewPrompt(input: {
  commission: LiteCommission;
  plan: LitePlan;
  tasks: readonly LiteTask[];
  diff: string;
  tests: string;
  schema: JsonSchema;
}): PromptDraft {
  return {
    task: 'code-review',
    fixed: [
      words('role', 'You review a change to this repository against the plan it was made from.'),
      words(
        'content',
        [
          'Go through every criterion of every task, by task id and number, and give the evidence: path:line, or a result.',
          'A criterion without evidence is not met. Then quality, alignment with the plan, and whether its risks were dealt with.',
          'Critical and High are for what must not be merged.',
        ].join('\n'),
      ),
      readOnlyPart,
    ],
    answer: { kind: 'json', schema: input.schema },
    changing: [
      ...commission(input.commission),
      data('plan', `${input.plan.summary}\n\n${input.plan.approach}`, { heading: 'Plan', limit: 20_000 }),
      data(
        'criteria',
        input.tasks
          .flatMap(({ id, title, convergence }) => [
            `${id} ${title}`,
            ...convergence.criteria.map((criterion, index) => `  ${index + 1}. ${criterion}`),
          ])
          .join('\n'),
        { heading: 'Criteria' },
      ),
      data('tests', input.tests, { heading: 'Tests' }),
      data('diff', input.diff, { heading: 'Change', limit: 120_000 }),
    ],
  };
}
