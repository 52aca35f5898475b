import { type CostRow, costsBy } from '../../engine/costs.ts';
import type { LedgerEntry } from '../../engine/ledger.ts';
import type { Price } from '../../engine/prices.ts';
import type { Coverage } from './coverage.ts';
import { type JudgeVerdict, type Preference, type Side, type Standing, standingOf } from './verdicts.ts';

export type ComparedSide = {
  /** The design run; `charrette show` and `charrette report` know it. */
  run: string;
  status: string;
  /** Why there is no plan. */
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
  /** Why there is no verdict. */
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
