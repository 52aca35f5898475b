import { appendFileSync } from 'node:fs';
import { test } from 'vitest';
import { type FaultRow, notTried } from './fault-rows.ts';

/** Whether every moment is tried. */
export const everyFault = process.env['FAULTS'] === 'all';

function keepRow(row: FaultRow): void {
  const file = process.env['FAULTS_FILE'];
  if (file !== undefined && file !== '') appendFileSync(file, `${JSON.stringify(row)}\n`);
}

/**
 * A fault at a moment of a run. The body gives the outcome in a few words; with $FAULTS_FILE it is kept as a line of
 * JSON, from which `npm run faults` makes its table. Until then the line says that it was not tried, so that a case that is
 * skipped is seen.
 * Cases marked as further ones only say the same of another moment and are left to it: $FAULTS is `all` there.
 */
export function faultCase(
  fault: string,
  moment: string,
  body: () => Promise<string>,
  { further = false } = {},
): void {
  if (further && !everyFault) return;
  keepRow({ fault, moment, outcome: notTried, seconds: 0 });
  test.concurrent(`${fault}, ${moment}`, async () => {
    const started = performance.now();
    const keep = (result: Pick<FaultRow, 'outcome' | 'problem'>) =>
      keepRow({ fault, moment, ...result, seconds: (performance.now() - started) / 1000 });
    try {
      keep({ outcome: await body() });
    } catch (error) {
      keep({ outcome: 'FAILED', problem: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  });
}
