import { expect, test } from 'vitest';
import { sketchShortage } from './sketch.ts';

test('panel/C-07 two usable sketches regular, one quick', () => {
  expect(sketchShortage(2, 4, 'regular')).toBeUndefined();
  expect(sketchShortage(1, 4, 'regular')).toContain('1 of 4');
  expect(sketchShortage(1, 2, 'quick')).toBeUndefined();
  expect(sketchShortage(0, 2, 'quick')).toContain('at least 1');
  expect(sketchShortage(0, 0, 'regular')).toBeUndefined();
});
