import { counted, formatElapsed } from '../../base/text/strings.ts';
import {
  type CostRow,
  costsBy,
  describeMoney,
  describeTokens,
  type LedgerEntry,
  type Price,
} from '../../engine/ledger.ts';
import {
  type Coverage,
  type JudgeVerdict,
  type Preference,
  type Side,
  type Standing,
  standingOf,
} from './judging.ts';

export type ComparedSide = {
  /** The design run; `charrette show` and `charrette report` know it. */
  run: string;
  status: string;
  /** Why the plan is missing. */
  problem?: string;
  cost: CostRow;
  elapsedMs: number;
  coverage?: Coverage;
  authorFamilies: string[];
  /** Everybody who was called for it. */
  agents: string[];
};

export type ComparedTask = {
  number: number;
  feature: string;
  solo: ComparedSide;
  panel: ComparedSide;
  verdict?: Preference;
  judges: JudgeVerdict[];
  /** The judges are of neither author's family. */
  independent: boolean;
  /** Why the verdict is missing. */
  problem?: string;
};

/** comparison.json */
export type ComparisonFile = {
  schemaVersion: 1;
  run: string;
  baseCommit: string;
  agents: { id: string; family: string }[];
  depth: string;
  tasks: ComparedTask[];
  standing: Standing;
  totals: Record<Side, CostRow> & { judges: CostRow };
};

export function compared(
  facts: Omit<ComparisonFile, 'schemaVersion' | 'standing' | 'totals'>,
  judgeCost: CostRow,
): ComparisonFile {
  const sum = (side: Side) => addRows(facts.tasks.map((task) => task[side].cost));
  return {
    schemaVersion: 1,
    ...facts,
    standing: standingOf(facts.tasks.map(({ verdict }) => verdict)),
    totals: { solo: sum('solo'), panel: sum('panel'), judges: judgeCost },
  };
}

/** What a list of calls cost, as one row; no calls are a row of zeros. */
export function costOfCalls(
  entries: readonly LedgerEntry[],
  prices?: Readonly<Record<string, Price>>,
): CostRow {
  return addRows(costsBy(entries, () => 'all calls', prices));
}

function addRows(rows: readonly CostRow[]): CostRow {
  const sum = (key: Exclude<keyof CostRow, 'name'>) => rows.reduce((total, row) => total + row[key], 0);
  return {
    name: 'all calls',
    calls: sum('calls'),
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    callsWithoutTokens: sum('callsWithoutTokens'),
    usdMeasured: sum('usdMeasured'),
    usdEstimated: sum('usdEstimated'),
    callsWithoutPrice: sum('callsWithoutPrice'),
  };
}

/** comparison.md: the standing, what it is worth, what both sides cost, then every task. */
export function comparisonText({
  tasks,
  standing,
  totals,
  agents,
  depth,
  baseCommit,
}: ComparisonFile): string {
  return [
    '# Solo against panel',
    '',
    `${counted(tasks.length, 'task')} at ${baseCommit.slice(0, 12)}; agents: ${agents.map(({ id, family }) => `${id} (${family})`).join(', ')}; panel: ${depth}.`,
    '',
    `**${headline(standing)}**`,
    '',
    ...worth(standing),
    ...dependent(tasks),
    '',
    '| | Calls | Tokens | Money |',
    '|---|---|---|---|',
    costLine('Solo', totals.solo),
    costLine('Panel', totals.panel),
    costLine('Judges', totals.judges),
    ...ratio(totals.solo, totals.panel),
    '',
    '| Task | Verdict | | Claims hold | Errors | Files | Tests | Task files | Criteria | Findings | Calls | Time |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...tasks.flatMap((task) => [
      row(task, 'solo', `${task.number}. ${cell(task.feature)}`, task.verdict ?? 'none'),
      row(task, 'panel', '', ''),
    ]),
    ...tasks.flatMap(details),
    '',
  ].join('\n');
}

function headline({ panel, solo, ties, undecided }: Standing): string {
  const none = undecided === 0 ? '' : `, ${undecided} without a verdict`;
  return `Panel better: ${panel}. Solo better: ${solo}. Ties: ${ties}${none}.`;
}

function worth({ anecdotal, p }: Standing): string[] {
  if (anecdotal)
    return ['Anecdotal: fewer than 10 judged tasks say nothing about tasks that are not among them.'];
  const chance = p === undefined ? '' : `Sign test over the decided tasks: p = ${p.toFixed(3)}. `;
  const shown = p !== undefined && p < 0.05 ? 'A difference is shown.' : 'No difference is shown.';
  return [`${chance}${shown}`];
}

function dependent(tasks: readonly ComparedTask[]): string[] {
  const some = tasks.filter(({ independent, judges }) => !independent && judges.length > 0);
  return some.length === 0
    ? []
    : [
        '',
        `The judge is of an author's family in ${some.length === 1 ? 'task' : 'tasks'} ${some.map(({ number }) => number).join(', ')}: no agent has a model of another family. Read those verdicts with care.`,
      ];
}

function costLine(name: string, row: CostRow): string {
  return `| ${name} | ${row.calls} | ${describeTokens(tokensOf(row), row)} | ${describeMoney(row)} |`;
}

function tokensOf({ inputTokens, outputTokens }: CostRow): number {
  return inputTokens + outputTokens;
}

function ratio(solo: CostRow, panel: CostRow): string[] {
  const [few, many] = [tokensOf(solo), tokensOf(panel)];
  const known = solo.callsWithoutTokens + panel.callsWithoutTokens === 0;
  if (known && few > 0 && many > 0)
    return ['', `The panel used ${(many / few).toFixed(1)} times the tokens of solo.`];
  return solo.calls > 0
    ? ['', `The panel made ${(panel.calls / solo.calls).toFixed(1)} times the calls of solo.`]
    : [];
}

function row(task: ComparedTask, side: 'solo' | 'panel', name: string, verdict: string): string {
  const { coverage, cost, elapsedMs, status } = task[side];
  const counted =
    coverage === undefined
      ? [`no plan (${status})`, '', '', '', '', '', '']
      : [
          share(coverage.grounded),
          String(coverage.errors),
          String(coverage.files),
          String(coverage.tests),
          share(coverage.expectedFiles),
          share(coverage.criteria),
          share(coverage.findings),
        ];
  const cells = [name, verdict, side, ...counted, String(cost.calls), formatElapsed(elapsedMs)];
  return `| ${cells.join(' | ')} |`;
}

function share([part, whole]: readonly [number, number]): string {
  return whole === 0 ? '–' : `${part}/${whole}`;
}

function details(task: ComparedTask): string[] {
  const { number, feature, judges, problem, solo, panel } = task;
  return [
    '',
    `## Task ${number}: ${cell(feature)}`,
    '',
    `- Runs: solo \`${solo.run}\`, panel \`${panel.run}\``,
    ...missing('Solo', solo),
    ...missing('Panel', panel),
    ...(problem === undefined ? [] : [`- No verdict: ${problem}`]),
    ...judges.map(({ judge, family, verdict, consistent, reasons }) => {
      const said =
        verdict === undefined
          ? 'no verdict in both orders'
          : `${verdict}${consistent === false ? ' (changed its mind with the order)' : ''}`;
      const sat = panel.agents.includes(judge) ? ', also on the panel' : '';
      return `- ${judge} (${family}${sat}): ${said}${reasons.map((reason) => `\n  - ${cell(reason)}`).join('')}`;
    }),
  ];
}

function missing(name: string, { problem }: ComparedSide): string[] {
  return problem === undefined ? [] : [`- ${name} has no plan: ${cell(problem)}`];
}

/** Text by others on one line of a table or list. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 300);
}
