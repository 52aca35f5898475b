import type { CostList, CostListRow } from './cost-list.ts';
import { textTable } from './text-table.ts';

/** Costs as a table. What was measured, what was estimated and what nobody knows stand in columns of their own. */
export function renderCosts({ by, rows, total }: CostList): string {
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
  const line = (row: CostListRow) => [
    row.name,
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
  return `${[...table, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n')}\n`;
}

function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ' ');
}

function money(usd: number): string {
  return usd === 0 ? '-' : usd.toFixed(usd < 1 ? 4 : 2);
}
