import { expect, test } from 'vitest';
import { Verdicts } from '../../bench/goals.ts';
import { growthOf, isAbove } from '../../bench/growth/dimension.ts';
import { spread } from '../../bench/growth/sizes.ts';
import { timeSteps } from '../../bench/load/step-times.ts';
import { claimMs, type RunCost, type Setting, simulate } from '../../bench/scale/simulate.ts';
import { judge, type Measure, settled } from '../../bench/soak/measures.ts';
import type { WorkflowContext } from '../../src/engine/workflow.ts';

test('a ratio, a share or a count that misses its goal fails a bench and is named; a time does not', () => {
  const verdicts = new Verdicts();
  expect(verdicts.judge('start', 1.5, { most: 1.5, unit: '×' })).toEqual(['≤ 1.5×', 'holds']);
  expect(verdicts.judge('step', 9, { most: 8, unit: 'ms' })).toEqual(['≤ 8 ms', 'missed here']);
  expect(verdicts.judge('shown', 9, undefined)).toEqual(['', '']);
  expect(verdicts.missed).toEqual([]);
  expect(verdicts.judge('start', 1.51, { most: 1.5, unit: '×' })).toEqual(['≤ 1.5×', 'MISSED']);
  verdicts.judge('again', 1, { most: 0, unit: 'calls' });
  verdicts.judge('claims', 51, { most: 50, unit: '%' });
  // What was not measured holds nothing.
  verdicts.judge('lost', Number.NaN, { most: 1, unit: '×' });
  expect(verdicts.missed).toEqual([
    'missed: start: 1.51×, ≤ 1.5×',
    'missed: again: 1, ≤ 0',
    'missed: claims: 51 %, ≤ 50 %',
    'missed: lost: NaN×, ≤ 1×',
  ]);
});

test('growth: the upper half has five sizes at least, and a power above the limit is distinguished from noise', () => {
  const grown = (power: (size: number) => number) =>
    growthOf(
      'w',
      'x',
      spread(10, 1000).map((size) => ({ size, milliseconds: power(size) })),
    );
  expect(spread(10, 1000)).toHaveLength(10);
  const linear = grown((size) => 2 * size);
  expect(linear.upper).toBeCloseTo(1);
  expect(isAbove(linear, 1.15)).toBe(false);
  // Dear at every size and quadratic underneath: only the upper half shows it.
  const hidden = grown((size) => 3000 + size ** 2 / 10);
  expect(hidden.exponent).toBeLessThan(1.15);
  expect(isAbove(hidden, 1.15)).toBe(true);
  const noisy = grown((size) => size * (Math.round(Math.log(size)) % 2 === 0 ? 3 : 1));
  expect(isAbove(noisy, 1.15)).toBe(false);
  // Of six points the last five count, not three.
  const six = [1, 1, 2, 4, 4, 4].map((milliseconds, index) => ({ size: 2 ** index, milliseconds }));
  expect(growthOf('w', 'x', six).upper).toBeCloseTo(0.5);
});

type Sample = { runs: number; handles: number };
const handles: Measure<Sample> = {
  title: 'handles',
  of: ({ handles: value }) => value,
  unit: '',
  perRun: 0.3,
  warmUp: 8,
};
const rounds = (value: (runs: number) => number): Sample[] =>
  Array.from({ length: 9 }, (_, index) => ({ runs: 10 * (index + 1), handles: value(10 * (index + 1)) }));

test('soak: a leak per run counts as growth; one-time allocations do not', () => {
  const verdict = (value: (runs: number) => number) => judge(handles, settled(rounds(value)));
  expect(verdict((runs) => 30 + runs)).toMatchObject({ perRun: 1, grows: true });
  expect(verdict((runs) => 30 + (runs % 20 === 0 ? 3 : 0))).toMatchObject({ grows: false });
  expect(verdict((runs) => 30 + 24 * Math.log(runs))).toMatchObject({ grows: false });
  expect(verdict((runs) => (runs < 30 ? 10 * runs : 300))).toMatchObject({ grows: false });
  // A measure without data does not count as steady.
  expect(verdict(() => Number.NaN)).toMatchObject({ grows: true });
  expect(judge(handles, rounds((runs) => runs).slice(0, 4))).toBeUndefined();
  expect(
    judge(
      { title: 't', of: handles.of, unit: '', warmUp: 0 },
      rounds((runs) => runs),
    ),
  ).toMatchObject({
    limit: undefined,
    grows: false,
  });
});

const cost = (milliseconds: number): RunCost => ({
  phases: [1, 4, 1],
  workerMsPerCall: 1,
  serverMsPerCall: 1,
  claims: [{ waiting: 10, milliseconds }],
});
const setting: Setting = {
  runsPerDay: 2000,
  peak: 2,
  workers: 8,
  runsPerWorker: 8,
  callsPerWorker: 32,
  serverCores: 2,
  callSeconds: 60,
  callsAtOnce: 1000,
};

test('scale: claims are decided one at a time, and what they take shows in the simulated day', () => {
  const [quick, slow] = [simulate(cost(5), setting), simulate(cost(60_000), setting)];
  expect(quick.came).toBe(slow.came);
  expect(quick.came - quick.finished).toBeLessThan(20);
  expect(quick.busy.claims).toBeLessThan(0.01);
  // A minute each: no more than 1,440 in a day, whatever the workers could do.
  expect(slow.finished).toBeLessThanOrEqual(1440);
  expect(slow.finished).toBeGreaterThan(1000);
  expect(slow.busy.claims).toBeCloseTo(1, 2);
  const points = [
    { waiting: 10, milliseconds: 2 },
    { waiting: 1000, milliseconds: 4 },
  ];
  expect([1, 10, 505, 1000, 9000].map((waiting) => claimMs(points, waiting))).toEqual([2, 2, 3, 4, 4]);
});

test('load: the overhead of a step is its time without its own work', async () => {
  const gate = Promise.withResolvers<void>();
  class Context {
    async step<Result>(_: string, body: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
      const result = await body(new AbortController().signal);
      await gate.promise;
      return result;
    }
  }
  const overheads = timeSteps(Context as unknown as { prototype: WorkflowContext });
  const step = new Context().step('ask', async () => 7);
  expect(overheads).toEqual([]);
  gate.resolve();
  expect(await step).toBe(7);
  await Promise.resolve();
  expect(overheads).toHaveLength(1);
  expect(overheads[0]).toBeGreaterThanOrEqual(0);
  await expect(new Context().step('ask', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(overheads).toHaveLength(1);
});
