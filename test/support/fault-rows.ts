/** A fault at a moment, and what came of it. */
export type FaultRow = {
  fault: string;
  moment: string;
  outcome: string;
  seconds: number;
  /** Why it failed. */
  problem?: string;
};

/** How the outcome of a case begins that was left out. */
export const notTried = 'not tried';

/** Whether a case was left out, because of what the machine lacks or because the suite was stopped. */
export function isLeftOut({ outcome }: Pick<FaultRow, 'outcome'>): boolean {
  return outcome.startsWith(notTried);
}

/** The cases of a file that `faultCase` wrote: of two lines about one case the later counts. */
export function readFaultRows(text: string): FaultRow[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const rows = lines.map((line): FaultRow => JSON.parse(line));
  const order = (row: FaultRow) => `${row.fault} ${row.moment}`;
  const last = new Map(rows.map((row) => [order(row), row]));
  return [...last.values()].sort((one, two) => order(one).localeCompare(order(two), 'en', { numeric: true }));
}
