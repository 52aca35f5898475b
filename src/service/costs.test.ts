import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderCosts } from '../surfaces/cli/tables.ts';
import { costList, type Grouping, groupings, type Spent } from './costs.ts';

const base: Spent = {
  v: 1,
  id: '1',
  time: '2026-11-01T10:00:00.000Z',
  phase: '2a',
  task: 'sketch',
  seat: 's',
  agent: 'one',
  family: 'one',
  run: 'r1',
  command: 'design',
  durationMs: 1,
  usage: { basis: 'measured', inputTokens: 1000, cachedInputTokens: 0, outputTokens: 200, usd: 0.5 },
};
const unknown: Spent['usage'] = { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
const estimated: Spent['usage'] = {
  basis: 'estimated',
  inputTokens: 1_000_000,
  cachedInputTokens: 0,
  outputTokens: 0,
};

test('separates measured, estimated and unknown figures, per agent and in total', () => {
  const list = costList(
    [
      base,
      { ...base, agent: 'two', usage: unknown },
      { ...base, agent: 'two', model: 'gpt-5', usage: estimated },
    ],
    'agent',
  );
  expect(list.rows).toMatchObject([
    { name: 'one', calls: 1, usdMeasured: 0.5, usdEstimated: 0, callsWithoutPrice: 0 },
    { name: 'two', calls: 2, usdEstimated: 1.25, callsWithoutPrice: 1, basis: { estimated: 1, unknown: 1 } },
  ]);
  expect(list.total).toMatchObject({ calls: 3, usdMeasured: 0.5, usdEstimated: 1.25, callsWithoutPrice: 1 });
  const lines = renderCosts(list).split('\n');
  expect(lines[0]).toMatch(/^agent +calls +measured +estimated +unknown +tokens in +tokens out +\$ measured/);
  expect(lines[2]).toMatch(/^two +2 +0 +1 +1 +1 000 000 +0 +- +1\.25 +1$/);
  expect(lines).toContain('1 of 3 calls did not say what they used; they are not in the sums.');
});

test('days and commands are lines in their order', () => {
  const spent = ['2026-11-03', '2026-11-01', '2026-11-03'].map((date) => ({
    ...base,
    time: `${date}T00:00:00.000Z`,
  }));
  expect(costList(spent, 'day').rows.map(({ name, calls }) => [name, calls])).toEqual([
    ['2026-11-01', 1],
    ['2026-11-03', 2],
  ]);
  expect(renderCosts(costList([], 'day'))).toBe('No agent calls yet.\n');
});

test('lines of any grouping add up to the total', () => {
  const call = fc.record({
    agent: fc.constantFrom('one', 'two'),
    command: fc.constantFrom('design', 'lite-plan'),
    model: fc.constantFrom('gpt-5', 'unknown-model'),
    time: fc.constantFrom('2026-11-01T10:00:00.000Z', '2026-12-01T10:00:00.000Z'),
    usage: fc.constantFrom(base.usage, unknown, estimated),
  });
  fc.assert(
    fc.property(fc.array(call), fc.constantFrom(...(Object.keys(groupings) as Grouping[])), (calls, by) => {
      const { rows, total } = costList(
        calls.map((each) => ({ ...base, ...each })),
        by,
      );
      for (const key of [
        'calls',
        'inputTokens',
        'outputTokens',
        'callsWithoutPrice',
        'usdEstimated',
      ] as const)
        expect(rows.reduce((sum, row) => sum + row[key], 0)).toBeCloseTo(total[key]);
      expect(total.basis.measured + total.basis.estimated + total.basis.unknown).toBe(calls.length);
    }),
  );
});
