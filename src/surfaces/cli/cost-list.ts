import { type CostRow, costsBy, emptyRow } from '../../engine/costs.ts';
import { type LedgerEntry, type LedgerTotals, totalsOf } from '../../engine/ledger.ts';
import type { Price } from '../../engine/prices.ts';

/** A call on the ledger of a run, with the run it belongs to. */
export type Spent = LedgerEntry & { run: string; command: string };

/** Costs of a group of calls; `basis` counts the calls behind each kind of token figure. */
export type CostListRow = CostRow & { basis: LedgerTotals['basis'] };

export const groupings = {
  day: ({ time }: Spent) => time.slice(0, 10),
  month: ({ time }: Spent) => time.slice(0, 7),
  agent: ({ agent }: Spent) => agent,
  model: ({ model }: Spent) => model ?? 'not reported',
  command: ({ command }: Spent) => command,
  phase: ({ phase }: Spent) => phase,
  run: ({ run }: Spent) => run,
} as const;

export type Grouping = keyof typeof groupings;

export type CostList = { by: Grouping; rows: CostListRow[]; total: CostListRow };

/** Calls grouped and added up, in the order of their names; the total stands apart. */
export function costList(
  spent: readonly Spent[],
  by: Grouping,
  prices?: Readonly<Record<string, Price>>,
): CostList {
  const groups = Map.groupBy(spent, groupings[by]);
  const rows = [...groups]
    .sort(([first], [second]) => (first < second ? -1 : 1))
    .map(([name, entries]) => rowOf(name, entries, prices));
  return { by, rows, total: rowOf('total', spent, prices) };
}

function rowOf(
  name: string,
  entries: readonly Spent[],
  prices: Readonly<Record<string, Price>> | undefined,
): CostListRow {
  const [row = emptyRow(name)] = costsBy(entries, () => name, prices);
  return { ...row, basis: totalsOf(entries).basis };
}
