import { counted } from '../../base/text/counted.ts';
import { formatElapsed } from '../../base/text/elapsed.ts';
import { type CostRow, describeMoney, describeTokens } from '../../engine/costs.ts';
import type { ComparedSide, ComparedTask, ComparisonFile } from './comparison.ts';
import type { Standing } from './verdicts.ts';

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
        `The judge is of an author's family in ${some.length === 1 ? 'task' : 'tasks'} ${some.map(({ number }) => number).join(', ')}: there is no model of another family among the agents. Read those verdicts with care.`,
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
