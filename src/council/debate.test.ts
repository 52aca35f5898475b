import { expect, test } from 'vitest';
import { bucketsOf, decisions } from '../../test/dialectic-fixtures.ts';
import { planDebates } from './debate.ts';

test('L-477 L-479 panel/C-23 five at most; odd ones to the first bucket, even ones to the second, both sides alike', () => {
  const plan = planDebates(decisions(7), { buckets: bucketsOf('cursor', 'codex') });
  expect(plan.queued.map(({ thesis, antithesis }) => [thesis, antithesis])).toEqual([
    ['cursor', 'cursor'],
    ['codex', 'codex'],
    ['cursor', 'cursor'],
    ['codex', 'codex'],
    ['cursor', 'cursor'],
  ]);
  expect(plan.overCap.map(({ number }) => number)).toEqual([6, 7]);
});

test('L-024 L-478 L-480 panel/C-24 an absent bucket is skipped with one warning, never reassigned', () => {
  const plan = planDebates(decisions(5), { buckets: bucketsOf('codex', 'claude') });
  expect(plan.queued.map(({ decision }) => decision.number)).toEqual([2, 4]);
  expect(plan.warnings).toEqual([
    '**⚠ Cursor unavailable — dialectic skipped for bucket Cursor decisions (indices: 1, 3, 5). Step 2a.4 synthesis decisions stand.**',
  ]);
});

test('panel/C-22 diagonal layout puts the sides on different agents; one alone takes both', () => {
  const both = planDebates(decisions(2), { buckets: bucketsOf('cursor', 'codex'), layout: 'diagonal' });
  expect(both.queued.map(({ thesis, antithesis }) => [thesis, antithesis])).toEqual([
    ['cursor', 'codex'],
    ['codex', 'cursor'],
  ]);
  const alone = planDebates(decisions(1), { buckets: bucketsOf('codex'), layout: 'diagonal' });
  expect(alone.queued[0]).toMatchObject({ thesis: 'codex', antithesis: 'codex' });
});
