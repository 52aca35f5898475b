import type { Agent } from '../../agents/port.ts';
import type { LiteTask } from '../../base/schema/lite/plan.ts';
import { priceOf } from '../../engine/ledger.ts';
import type { Question } from '../../engine/question.ts';
import { isCodexCallable, resolveExecutor } from '../../plan/tasks/executor.ts';
import type { LitePlanFiles } from '../../plan/tasks/plan-files.ts';
import { isDone, openTasks, type Round, scheduleTasks } from '../../plan/tasks/schedule.ts';
import { renderTask, scopeOf } from '../../plan/tasks/task-text.ts';
import { describeEstimate } from '../design/depth.ts';
import type { LiteDesk } from './desk.ts';
import type { LiteInputs, Selection } from './inputs.ts';
import { explicitAssignments } from './rules/executor-requests.ts';
import { autoSelection } from './rules/preferences.ts';

export type Decision = { confirm: string; selection: Selection };

/** LP-4: what will be done by whom, and whether it may (P-080…P-085). Requests are your remarks on the plan, in order. */
export async function confirmStage(
  desk: LiteDesk,
  files: LitePlanFiles,
  { version, auto, requests }: { version: number; auto: boolean; requests: readonly string[] },
): Promise<Decision> {
  desk.begin('LP-4', 'confirm');
  const { executor, review } = desk.inputs;
  const assignments = {
    ...desk.inputs.assignments,
    ...explicitAssignments([desk.inputs.task, ...requests], files.tasks, desk.writers),
  };
  const rounds = roundsOf(desk, files, { execution: executor ?? autoSelection.execution, assignments });
  const plan = describePlan(files, rounds, desk.inputs, desk);
  for (const line of plan.split('\n').filter((each) => each !== '')) desk.note(line);
  for (const { id, dependency } of desk.inputs.droppedDependencies ?? [])
    desk.warn(`${id} no longer waits for ${dependency}: they go in a circle.`);
  const suffix = version === 1 ? '' : `-${version}`;
  const asked = confirmQuestions(desk, suffix, plan, isFallback(desk, files)).filter(
    ({ id }) =>
      !(id.startsWith('execution') && executor !== undefined) &&
      !(id.startsWith('review') && review !== undefined),
  );
  // P-013: auto mode runs no review that was not requested.
  const answers = await desk.choose(asked, auto, { [`review${suffix}`]: autoSelection.review });
  const decision: Decision = {
    confirm: answers.get(`confirm${suffix}`) ?? autoSelection.confirm,
    selection: {
      execution: executor ?? answers.get(`execution${suffix}`) ?? autoSelection.execution,
      review: review ?? answers.get(`review${suffix}`) ?? autoSelection.review,
      assignments,
    },
  };
  await desk.json('selection.json', { schemaVersion: 1, ...decision });
  desk.end(
    `${decision.confirm}; execution ${decision.selection.execution}, review ${decision.selection.review}`,
  );
  return decision;
}

/** The question repeats the plan: the live view, the page and hosts may show the question alone. */
function confirmQuestions(desk: LiteDesk, suffix: string, plan: string, fallback: boolean): Question[] {
  const agentsOf = (ids: readonly string[]) => ids.flatMap((id) => desk.services.agents.get(id) ?? []);
  const [writers, reviewers] = [agentsOf(desk.writers), agentsOf(desk.reviewers)];
  const warning = fallback ? 'No agent wrote this plan: it is a fallback made by rules.\n\n' : '';
  return [
    {
      id: `confirm${suffix}`,
      text: fallback ? 'Execute this fallback plan?' : 'Execute this plan?',
      detail: `${warning}${plan}\n\nNothing changes before you allow it. The work is done on a separate branch${desk.inputs.merge ? ', and your branch moves forward to it if the result is accepted' : ''}.`,
      options: [
        { value: 'allow', label: 'Allow' },
        { value: 'modify', label: 'Modify: describe the changes' },
        { value: 'cancel', label: 'Cancel: keep the plan, change nothing' },
      ],
      recommended: fallback ? 'cancel' : autoSelection.confirm,
    },
    {
      id: `execution${suffix}`,
      text: 'Which agent should execute the plan?',
      options: [
        { value: 'auto', label: 'Auto' },
        { value: 'agent', label: `Agent: ${nameOf(writers[0])}` },
        ...writers.map((agent) => ({ value: agent.id, label: nameOf(agent) })),
      ],
      recommended: autoSelection.execution,
    },
    {
      id: `review${suffix}`,
      text: 'Who reviews the result?',
      options: [
        { value: 'skip', label: 'Skip: the result stays unverified' },
        ...(reviewers.length > 0 ? [{ value: 'agent', label: `Agent: ${nameOf(reviewers[0])}` }] : []),
        ...(reviewers.length > 1
          ? [{ value: 'panel', label: `Panel: ${reviewers.map(nameOf).join(', ')}` }]
          : []),
        ...reviewers.map((agent) => ({ value: agent.id, label: nameOf(agent) })),
      ],
      recommended: reviewers.length > 0 ? 'agent' : 'skip',
    },
  ];
}

/** A plan that no model wrote, where an agent could execute it. */
export function isFallback({ writers }: Pick<LiteDesk, 'writers'>, { plan }: LitePlanFiles): boolean {
  return plan._metadata.degraded === true && writers.length > 0;
}

/** Two programs of a person's own have the same title, so the name in the configuration goes with it. */
function nameOf(agent: Pick<Agent, 'id' | 'title'> | undefined): string {
  return agent === undefined ? 'none is here' : `${agent.title} (${agent.id})`;
}

/** The schedule under a method; assignments in the task text come first. */
export function roundsOf(
  desk: LiteDesk,
  { plan, tasks }: LitePlanFiles,
  { execution: method, assignments }: Pick<Selection, 'execution' | 'assignments'>,
): Round<LiteTask>[] {
  const { cap, tasksPerBatch } = desk.inputs;
  const { writers, unwell } = desk;
  const { complexity } = plan;
  return scheduleTasks(openTasks(tasks), {
    cap,
    tasksPerBatch,
    executorOf: (id) => resolveExecutor(id, { assignments, method, complexity, writers, unwell }),
  });
}

/** What a machine without a coding agent says instead of who should do it. */
export const nobodyWrites =
  'No agent here can change files, so none can execute the plan. Run `charrette doctor` for the agents that were looked for.';

/** P-080: the plan as people read it before they allow it. */
export function describePlan(
  { plan, tasks }: LitePlanFiles,
  rounds: readonly Round<LiteTask>[],
  inputs: Pick<LiteInputs, 'roster' | 'prices'>,
  desk: Pick<LiteDesk, 'writers' | 'unwell'>,
): string {
  const facts = `Complexity ${plan.complexity ?? 'unknown'}; time ${plan.estimated_time ?? 'unknown'}`;
  return [
    plan.summary,
    `Approach: ${shortened(plan.approach)}`,
    '',
    'Tasks',
    ...tasks.map((task, index) => {
      const place = scopeOf(task.scope) || (task.files?.[0]?.path ?? '');
      const after = task.depends_on.length === 0 ? '' : `, after ${task.depends_on.join(', ')}`;
      const done = isDone(task) ? ', completed' : '';
      return `${index + 1}. ${task.id} ${task.title}${place === '' ? '' : ` (${place})`}${after}${done}`;
    }),
    '',
    'Waves',
    ...rounds.flatMap(({ wave, batches }) =>
      batches.map(({ id, executor, tasks: own, contested }) => {
        const shared = contested.length === 0 ? '' : `; shares ${contested.join(', ')}, so it takes turns`;
        return `wave ${wave} ${batches.length > 1 ? '⚡' : '→'} [${id}] ${executor}: ${own.map((task) => task.id).join(', ')}${shared}`;
      }),
    ),
    '',
    ...(desk.writers.length > 0
      ? [`${facts}; recommended: ${recommendedBy(plan, desk)}.`, executionEstimate(rounds, inputs)]
      : [`${facts}.`, nobodyWrites]),
  ].join('\n');
}

/** An earlier plan, or one of another machine, may recommend a codex that cannot be called here. */
function recommendedBy(
  { recommended_execution: recommended = 'Agent' }: LitePlanFiles['plan'],
  desk: Pick<LiteDesk, 'writers' | 'unwell'>,
): string {
  return recommended === 'Codex' && !isCodexCallable(desk) ? 'Agent' : recommended;
}

const longestApproach = 600;

/** Its first paragraph; the plan has the rest. */
function shortened(approach: string): string {
  const [first = ''] = approach.split('\n');
  const cut = first.length > longestApproach ? `${first.slice(0, longestApproach)}…` : first;
  return cut === approach ? cut : `${cut} (more in plan.json)`;
}

/** Tokens of a writing call in addition to its tasks, and the turns that read them; rough, and shown as an estimate. */
const perCall = 30_000;
const turns = 8;
const answerShare = 0.1;

/** One line: calls, tokens and money of executing a plan, and what is unknown. */
export function executionEstimate(
  rounds: readonly Round<LiteTask>[],
  { roster, prices }: Pick<LiteInputs, 'roster' | 'prices'>,
): string {
  const batches = rounds.flatMap((round) => round.batches);
  const costs = batches.map(({ executor, tasks }) => {
    const tokens = perCall + (turns * tasks.map(renderTask).join('\n\n').length) / 4;
    const model = roster.find(({ id }) => id === executor)?.model;
    const price = priceOf(model, prices);
    const usd =
      price && (tokens / 1_000_000) * (price.input * (1 - answerShare) + price.output * answerShare);
    return { executor, tokens, usd };
  });
  const known = costs.flatMap(({ usd }) => usd ?? []);
  const unpriced = [...new Set(costs.filter(({ usd }) => usd === undefined).map(({ executor }) => executor))];
  return describeEstimate({
    calls: batches.length,
    tokens: Math.round(costs.reduce((sum, { tokens }) => sum + tokens, 0) / 1000) * 1000,
    ...(known.length === 0 ? {} : { usd: known.reduce((sum, usd) => sum + usd, 0) }),
    ...(unpriced.length === 0 ? {} : { unpriced }),
  });
}
