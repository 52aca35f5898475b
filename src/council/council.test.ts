import { expect, test } from 'vitest';
import { limitSeconds, timeLimits } from './council.ts';

test('L-028 L-206 L-930 panel/C-33: each kind of call has its own time limit', () => {
  expect(timeLimits).toMatchObject({ sketch: 1200, review: 1800, debate: 1800, judge: 1800, vote: 1200 });
});

test('L-931: a limit given by the user only shortens a call', () => {
  expect(limitSeconds('vote')).toBe(1200);
  expect(limitSeconds('vote', 90.5)).toBe(90);
  expect(limitSeconds('vote', 9000)).toBe(1200);
  expect(limitSeconds('vote', 0)).toBe(1);
});
