import { openSync } from 'node:fs';
import { journalPool } from './sampler.ts';

/** Faults that can be planted to see that a soak finds them: so much stays of every run. */
export const leakNames = ['handle', 'row', 'memory'] as const;

const held: unknown[] = [];

/** What is to be done after every run. */
export function leakOf(name: string): () => Promise<void> | void {
  switch (name) {
    case 'handle':
      return () => void openSync('/dev/null', 'r');
    case 'memory':
      return () => void held.push(Array.from({ length: 2500 }, (_, index) => index / 3));
    case 'row':
      return leaveRow;
    default:
      return () => {};
  }
}

/** As a run leaves it whose end the store never hears of. */
async function leaveRow(): Promise<void> {
  await journalPool().query(
    "INSERT INTO dbos.workflow_status (workflow_uuid, status, name) VALUES (gen_random_uuid()::text, 'CANCELLED', 'left')",
  );
}
