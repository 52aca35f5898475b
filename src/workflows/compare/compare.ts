import path from 'node:path';
import { type Usage, unknownUsage } from '../../agents/port.ts';
import { CharretteError } from '../../base/errors.ts';
import { counted } from '../../base/text/strings.ts';
import type { WorkflowStart } from '../../council/call/once.ts';
import { addLoss, noteFamilies } from '../../council/health.ts';
import type { RunEvent } from '../../engine/event.ts';
import { type LedgerEntry, readLedger } from '../../engine/ledger.ts';
import { homeOf, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import type { Outcome } from '../../engine/workflow.ts';
import { createNamedRun } from '../create-run.ts';
import { describeEstimate } from '../design/depth.ts';
import { declaredPlaces } from '../design/step-0-setup.ts';
import { guardTree } from '../design/tree.ts';
import { forwardEvents } from '../forward-events.ts';
import { askBudget, askConsent, type TotalUsage, totalUsage } from '../permission.ts';
import { type ComparedTask, compared, comparisonText, costOfCalls } from './comparison.ts';
import { CompareDesk } from './desk.ts';
import {
  benchFor,
  blindPlan,
  coverageOf,
  coveredCriteria,
  type JudgeSheet,
  taskVerdict,
  verdictOf,
} from './judging.ts';
import type { CompareInputs } from './prepare.ts';
import { type DesignResult, readDesign } from './read-design.ts';

type Task = CompareInputs['tasks'][number];
const sides = ['solo', 'panel'] as const;

/** `charrette compare`: every feature designed by one agent and by the panel, then judged blind, in both orders. */
export async function compare(...run: WorkflowStart<CompareInputs>): Promise<Outcome> {
  const desk = new CompareDesk(...run);
  const { inputs } = desk;
  await confirm(desk);
  const tasks: ComparedTask[] = [];
  for (const [index, task] of inputs.tasks.entries()) {
    const number = index + 1;
    await checkBudget(desk, number);
    desk.begin(`task-${number}`, `task ${number} of ${inputs.tasks.length}: ${task.feature}`);
    const results = await design(desk, task, number);
    await guardTree(desk, inputs.project, inputs.tree, `task-${number}`, [
      results.solo.run,
      results.panel.run,
    ]);
    const done = await judge(desk, task, number, results);
    tasks.push(done);
    desk.end(`task ${number}: ${done.verdict ?? `no verdict — ${done.problem}`}`);
  }
  return conclude(desk, tasks);
}

/** Consent once per project; the cost of a comparison is asked about every time. */
async function confirm(desk: CompareDesk): Promise<void> {
  const { inputs, services, context } = desk;
  desk.begin('setup', `${counted(inputs.tasks.length, 'task')}, each designed alone and by the panel`);
  const cost = describeEstimate(inputs.estimate);
  desk.note(cost);
  await askConsent(context, services.agents.values(), {
    consented: inputs.consented,
    detail: [cost, ...declaredPlaces(inputs.roster)].join('\n'),
  });
  if (inputs.confirmed) return;
  const answers = await context.ask([
    {
      id: 'compare-cost',
      text: `Design ${counted(inputs.tasks.length, 'task')} twice and have ${inputs.tasks.length === 1 ? 'it' : 'them'} judged?`,
      detail: cost,
      options: [
        { value: 'yes', label: 'Yes' },
        { value: 'no', label: 'No' },
      ],
      recommended: 'yes',
    },
  ]);
  if (answers.get('compare-cost')?.value === 'yes') return;
  throw new CharretteError({
    code: 'consent-refused',
    message: 'Comparison cancelled; no agents were called.',
    fix: 'Use fewer tasks, `--depth quick` or cheaper agents.',
  });
}

/** Runs both designs in parallel; each is a separate run that can be shown, reported and resumed. */
async function design(
  desk: CompareDesk,
  task: Task,
  number: number,
): Promise<Record<'solo' | 'panel', DesignResult>> {
  const { context, inputs } = desk;
  const home = homeOf(inputs.project);
  const ids = sides.map((side) => `${context.live.directory.id}-${number}-${side}`);
  await context.step(`make the runs of task ${number}`, async () => {
    for (const [index, side] of sides.entries())
      await createNamedRun(
        home,
        ids[index] ?? '',
        {
          workflow: 'design',
          title: `${task.feature} (${side})`,
          inputs: task[side],
          baseCommit: inputs.baseCommit,
        },
        context.clock,
      );
  });
  for (const side of sides) desk.beginDesign(number, side, task[side]);
  const relayed = sides.map((side, index) => {
    const directory = runDirectoryOf(home, ids[index] ?? '');
    return { directory, tell: (event: RunEvent) => desk.tellDesign(number, side, event) };
  });
  const endings = await forwardEvents(context.live, relayed, () => context.runs(ids));
  const results = await context.step(`read the plans of task ${number}`, () =>
    Promise.all(endings.map((ending) => readDesign(runDirectoryOf(home, ending.run), ending, inputs.prices))),
  );
  const usages = await context.step(`usage of task ${number}`, async () =>
    ids.map((id) => usageOfAll(readLedger(runDirectoryOf(home, id).ledger))),
  );
  for (const [index, { degraded = [], oneSided = [] }] of endings.entries()) {
    const where = `task ${number} ${sides[index]}`;
    for (const loss of degraded) addLoss(context.degraded, { ...loss, seat: `${where}: ${loss.seat}` });
    context.degraded.oneSided.push(...oneSided.map((text) => `${where}: ${text}`));
  }
  const [solo, panel] = results;
  if (solo === undefined || panel === undefined) throw new Error('A design of the task is missing.');
  for (const [index, side] of sides.entries())
    desk.endDesign(number, side, side === 'solo' ? solo : panel, usages[index] ?? unknownUsage);
  return { solo, panel };
}

/** All calls of a design as one; as trustworthy as the least of them, and unknown when none is known. */
function usageOfAll(entries: readonly LedgerEntry[]): Usage {
  const known = entries.map(({ usage }) => usage).filter(({ basis }) => basis !== 'unknown');
  if (known.length === 0) return unknownUsage;
  const sum = (key: 'inputTokens' | 'cachedInputTokens' | 'outputTokens') =>
    known.reduce((total, usage) => total + usage[key], 0);
  const measured = known.length === entries.length && known.every(({ basis }) => basis === 'measured');
  return {
    basis: measured ? 'measured' : 'estimated',
    inputTokens: sum('inputTokens'),
    cachedInputTokens: sum('cachedInputTokens'),
    outputTokens: sum('outputTokens'),
  };
}

async function judge(
  desk: CompareDesk,
  task: Task,
  number: number,
  { solo, panel }: Record<'solo' | 'panel', DesignResult>,
): Promise<ComparedTask> {
  const bench = benchFor(
    [...desk.services.agents.values()].map(({ id, family }) => ({ id, family })),
    [...solo.authorFamilies, ...panel.authorFamilies],
  );
  const both = solo.plan !== undefined && panel.plan !== undefined;
  const sheets = both ? await collect(desk, task, number, { solo, panel }, bench.judges) : [];
  const verdicts = sheets.map(verdictOf);
  if (both)
    noteFamilies(desk.context.degraded, 'judged', {
      announced: bench.judges.map(({ family }) => family),
      answered: verdicts.flatMap(({ family, verdict }) => (verdict === undefined ? [] : [family])),
    });
  const verdict = taskVerdict(verdicts);
  const problem = !both
    ? 'one of the designs has no plan'
    : bench.judges.length === 0
      ? 'no agent has a model, and rules do not judge'
      : 'no judge answered in both orders';
  return {
    number,
    feature: task.feature,
    solo: sideOf(solo, task, coveredCriteria(sheets, 'solo', task.criteria.length).length),
    panel: sideOf(panel, task, coveredCriteria(sheets, 'panel', task.criteria.length).length),
    judges: verdicts,
    independent: bench.independent,
    ...(verdict === undefined ? { problem } : { verdict }),
  };
}

/** Every judge sees the plans in both orders, at the same time and without knowing of the other order. */
async function collect(
  desk: CompareDesk,
  { feature, criteria }: Task,
  number: number,
  { solo, panel }: Record<'solo' | 'panel', DesignResult>,
  judges: readonly { id: string; family: string }[],
): Promise<JudgeSheet[]> {
  if (solo.plan === undefined || panel.plan === undefined) return [];
  const rules = { feature, seats: [...solo.seats, ...panel.seats] };
  const [alone, together] = [blindPlan(solo.plan, rules), blindPlan(panel.plan, rules)];
  const replies = await desk.judge(
    judges.flatMap(({ id }) => [
      { key: `compare-${number}-${id}`, agent: id, feature, criteria, planA: alone, planB: together },
      {
        key: `compare-${number}-${id}-swapped`,
        agent: id,
        feature,
        criteria,
        planA: together,
        planB: alone,
      },
    ]),
  );
  for (const { kind, lane, message } of replies)
    if (kind !== 'ok') desk.warn(`${lane} gave no verdict — ${message ?? kind}.`);
  return judges.map(({ id, family }, index) => {
    const [forward, backward] = [replies[2 * index]?.value, replies[2 * index + 1]?.value];
    return {
      judge: id,
      family,
      ...(forward === undefined ? {} : { forward }),
      ...(backward === undefined ? {} : { backward }),
    };
  });
}

function sideOf(result: DesignResult, task: Task, met: number): ComparedTask['solo'] {
  const { plan, report, review, seats: _, ...side } = result;
  if (plan === undefined || report === undefined) return side;
  return { ...side, coverage: coverageOf(plan, report, review, { ...task, met }) };
}

async function conclude(desk: CompareDesk, tasks: ComparedTask[]): Promise<Outcome> {
  const { context, inputs, services } = desk;
  const { directory } = context.live;
  desk.begin('report', 'comparison');
  const judgeCost = await context.step('cost of judging', async () =>
    costOfCalls(readLedger(directory.ledger), inputs.prices),
  );
  const comparison = compared(
    {
      run: directory.id,
      baseCommit: inputs.baseCommit,
      agents: [...services.agents.values()].map(({ id, family }) => ({ id, family })),
      depth: inputs.depth,
      tasks,
    },
    judgeCost,
  );
  const text = comparisonText(comparison);
  await context.artifact('comparison.json', `${JSON.stringify(comparison, null, 2)}\n`);
  await context.artifact('comparison.md', text);
  context.emit({ type: 'body', heading: 'Comparison', text: text.replace(/^# .*\n+/, '') });
  desk.end(`comparison: ${path.relative(inputs.project, path.join(directory.artifacts, 'comparison.md'))}`);
  return tasks.some(({ solo, panel }) => solo.coverage !== undefined && panel.coverage !== undefined)
    ? { status: 'done', exit: 0 }
    : { status: 'not-accepted', exit: 6, message: 'no task has two plans to compare' };
}

/** A limit on tokens or money holds for all runs of the comparison together; it pauses between two tasks. */
async function checkBudget(desk: CompareDesk, number: number): Promise<void> {
  const { inputs } = desk;
  const isOver = await askBudget(desk, {
    step: `budget before task ${number}`,
    id: `budget-task-${number}`,
    spent: () => spentOnTasks(desk, number),
    where: ` before task ${number} of ${inputs.tasks.length}`,
  });
  if (!isOver) return;
  throw new CharretteError({
    code: 'budget-used-up',
    message: `Stopped before task ${number}: the budget is used up.`,
    fix: 'Compare the remaining tasks with `charrette compare` and a higher `--max-tokens` or `--max-usd`.',
  });
}

function spentOnTasks(desk: CompareDesk, number: number): TotalUsage {
  const { directory } = desk.context.live;
  const home = homeOf(desk.inputs.project);
  const runs = Array.from({ length: number - 1 }, (_, index) => index + 1).flatMap((task) =>
    sides.map((side): RunDirectory => runDirectoryOf(home, `${directory.id}-${task}-${side}`)),
  );
  return totalUsage(
    [directory, ...runs].map(({ lanes, ledger }) => ({ lanes, entries: readLedger(ledger) })),
    desk.inputs,
  );
}
