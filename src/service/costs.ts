import {
  type CostRow,
  costsBy,
  emptyRow,
  type LedgerEntry,
  type LedgerTotals,
  type Price,
  readLedger,
  totalsOf,
} from '../engine/ledger.ts';
import { listRunIds, type RunDirectory, runDirectoryOf } from '../engine/run-directory.ts';
import { readRunRecordSync } from '../engine/run-record.ts';
import { type Project, settingsOf } from './project.ts';

/** A call in the ledger of a run, with the run it belongs to. */
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

/** Calls grouped and added up, in the order of their names; the total is separate. */
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

/** What runs cost: by day, agent, model, command, phase or run, in a range of days (UTC), or of one run. */
export async function costs(
  project: Project,
  {
    by = 'day',
    since,
    until,
    run,
  }: { by?: Grouping; since?: string | undefined; until?: string | undefined; run?: string } = {},
): Promise<CostList> {
  const { prices } = await settingsOf(project);
  const runs = run === undefined ? await listRunIds(project) : [run];
  const spent: Spent[] = [];
  for (const id of runs) {
    const directory = runDirectoryOf(project, id);
    // Half of the reading in a long history; only one grouping needs it.
    const command = by === 'command' ? workflowOf(directory) : '';
    for (const entry of readLedger(directory.ledger)) {
      const day = entry.time.slice(0, 10);
      if ((since === undefined || day >= since) && (until === undefined || day <= until))
        spent.push({ ...entry, run: id, command });
    }
  }
  return costList(spent, by, prices);
}

/** A run whose record cannot be read has cost something anyway. */
function workflowOf(directory: RunDirectory): string {
  try {
    return readRunRecordSync(directory).workflow;
  } catch {
    return 'unreadable';
  }
}
