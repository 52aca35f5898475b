import { appendFileSync } from 'node:fs';
import { test } from 'vitest';

/** Whether every moment is tried. */
export const everyFault = process.env['FAULTS'] === 'all';

export type FaultRow = {
  fault: string;
  moment: string;
  outcome: string;
  seconds: number;
  /** Why it failed. */
  problem?: string;
};

/**
 * A fault at a moment of a run. The body gives the outcome in a few words; with $FAULTS_FILE it is kept as a line of
 * JSON, from which `npm run prove` makes its table.
 * Cases marked as further ones only say the same of another moment and are left to it: $FAULTS is `all` there.
 */
export function faultCase(
  fault: string,
  moment: string,
  body: () => Promise<string>,
  { further = false } = {},
): void {
  if (further && !everyFault) return;
  test.concurrent(`${fault}, ${moment}`, async () => {
    const started = performance.now();
    const keep = (result: Pick<FaultRow, 'outcome' | 'problem'>) => {
      const row: FaultRow = { fault, moment, ...result, seconds: (performance.now() - started) / 1000 };
      const file = process.env['FAULTS_FILE'];
      if (file !== undefined && file !== '') appendFileSync(file, `${JSON.stringify(row)}\n`);
    };
    try {
      keep({ outcome: await body() });
    } catch (error) {
      keep({ outcome: 'FAILED', problem: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  });
}
