import { expect, test } from 'vitest';
import { unknownUsage } from '../../agents/port.ts';
import type { LedgerEntry } from '../../engine/ledger.ts';
import { compared, comparisonText, costOfCalls } from './comparison.ts';

const call: LedgerEntry = {
  v: 1,
  id: 'sketch-1',
  time: '2026-01-01T00:00:00.000Z',
  phase: '2a',
  task: 'sketch',
  seat: 'a',
  agent: 'mine',
  family: 'mine',
  usage: unknownUsage,
  durationMs: 1,
};
const measured = { ...call, usage: { ...unknownUsage, basis: 'measured' as const, inputTokens: 10 } };

/** A comparison of one task whose sides made these calls. */
function textOf(solo: readonly LedgerEntry[], panel: readonly LedgerEntry[]): string {
  const side = (calls: readonly LedgerEntry[]) => ({
    run: 'r',
    status: 'done',
    cost: costOfCalls(calls),
    elapsedMs: 0,
    authorFamilies: [],
    agents: [],
  });
  const task = {
    number: 1,
    feature: 'x',
    solo: side(solo),
    panel: side(panel),
    judges: [],
    independent: true,
  };
  const facts = { run: 'r', baseCommit: 'abc', agents: [], depth: 'quick', tasks: [task] };
  return comparisonText(compared(facts, costOfCalls([])));
}

test('shows unknown tokens as a question mark and gives no ratio', () => {
  const text = textOf([measured], [call, call]);
  expect(text).toContain('| Solo | 1 | 10 | 1 unknown |');
  expect(text).toContain('| Panel | 2 | ? | 2 unknown |');
  expect(text).toContain('| Judges | 0 | 0 | $0 |');
  expect(text).toContain('The panel made 2.0 times the calls of solo.');
  expect(textOf([measured], [call, measured])).toContain('| Panel | 2 | 10+? | 2 unknown |');
  expect(textOf([measured], [measured, measured])).toContain('The panel used 2.0 times the tokens of solo.');
});
