import type { CostList, CostListRow } from './cost-list.ts';
import type { Fitting } from './fitting.ts';
import { wrapLine } from './help.ts';
import { shortIds } from './run-list.ts';
import { textTable } from './text-table.ts';

/** On a narrow terminal these go first: how many calls each kind of figure stands for, then calls, then tokens; money stays. */
const spare = [2, 3, 4, 9, 1, 6, 5];
const longestName = 20;

/** Costs as a table. What was measured, what was estimated and what nobody knows stand in columns of their own. */
export function renderCosts({ by, rows, total }: CostList, fitting?: Fitting): string {
  if (rows.length === 0) return 'No agent was called yet.\n';
  const head = [
    '',
    'calls',
    'measured',
    'estimated',
    'unknown',
    'tokens in',
    'tokens out',
    '$ measured',
    '$ estimated',
    'no price',
  ];
  const ids = by === 'run' && fitting !== undefined ? shortIds(rows.map(({ name }) => name)) : undefined;
  const nameOf = (name: string) => ids?.get(name) ?? fitting?.cut(name, longestName) ?? name;
  const line = (row: CostListRow) => [
    nameOf(row.name),
    String(row.calls),
    String(row.basis.measured),
    String(row.basis.estimated),
    String(row.basis.unknown),
    grouped(row.inputTokens),
    grouped(row.outputTokens),
    money(row.usdMeasured),
    money(row.usdEstimated),
    String(row.callsWithoutPrice),
  ];
  const table = textTable([[by, ...head.slice(1)], ...rows.map(line), line(total)], {
    right: head.map((_, index) => index > 0),
    ...(fitting === undefined ? {} : { width: fitting.width, spare }),
  });
  const notes = [
    ...(total.basis.unknown > 0
      ? [
          `${total.basis.unknown} of ${total.calls} calls did not say what they used; they are not in the sums.`,
        ]
      : []),
    ...(total.usdEstimated > 0
      ? ['Estimated money comes from list prices; set your own under `prices`.']
      : []),
  ];
  const wrapped = notes.flatMap((note) => (fitting === undefined ? [note] : wrapLine(note, fitting.width)));
  return `${[...table, ...(notes.length === 0 ? [] : ['', ...wrapped])].join('\n')}\n`;
}

function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ' ');
}

function money(usd: number): string {
  return usd === 0 ? '-' : usd.toFixed(usd < 1 ? 4 : 2);
}
