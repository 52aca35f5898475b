import { expect, test } from 'vitest';
import { formatElapsed } from './elapsed.ts';

test.each([
  [0, '0s'],
  [999, '0s'],
  [45_000, '45s'],
  [120_000, '2m'],
  [151_000, '2m31s'],
  [3_600_000, '1h'],
  [3_780_000, '1h3m'],
  [3_605_000, '1h'],
  [-5, '0s'],
])('L-037: %d ms is written %s', (milliseconds, text) => {
  expect(formatElapsed(milliseconds)).toBe(text);
});
