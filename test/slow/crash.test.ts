import { beforeAll, expect, test } from 'vitest';
import {
  crashAndResume,
  crashPoints,
  expectUndisturbed,
  placeOf,
  type Undisturbed,
  undisturbedRun,
} from '../support/crash.ts';

let reference: Undisturbed;
const { seed, points } = crashPoints(Number(process.env['CRASH_POINTS'] ?? 24));

beforeAll(async () => {
  reference = await undisturbedRun();
});

test('an undisturbed run makes every call once', () => {
  expect(reference.writes).toBeGreaterThan(100);
  expect(new Set(reference.calls).size).toBeGreaterThan(15);
});

test.concurrent.each(points.map((point) => [placeOf(point), point] as const))(
  'kill -9 of a whole run %s, resume: the same artifacts, no finished call repeated',
  async (_, point) => {
    const outcome = await crashAndResume(point, reference);
    expectUndisturbed(outcome, reference, seed);
    if (point === 'last') expect(outcome.hadEnded).toBe(true);
  },
);
