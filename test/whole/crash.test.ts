import { beforeAll, expect, test } from 'vitest';
import {
  crashAndResume,
  crashPoints,
  expectUndisturbed,
  placeOf,
  type Undisturbed,
  undisturbedRun,
} from '../support/crash.ts';

const { seed, points } = crashPoints(Number(process.env['CRASH_POINTS'] ?? 2));

let reference: Undisturbed;

beforeAll(async () => {
  reference = await undisturbedRun();
}, 120_000);

test('an undisturbed run makes every call once', () => {
  expect(reference.writes).toBeGreaterThan(100);
  expect(new Set(reference.calls).size).toBeGreaterThan(15);
});

test.concurrent.each(points.map((point) => [placeOf(point), point] as const))(
  'kill -9 of the program %s, resume: nothing finished is done twice',
  async (_, point) => {
    expectUndisturbed(await crashAndResume(point, reference), reference, seed);
  },
);
