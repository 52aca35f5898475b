import { expect, test } from 'vitest';
import { repeated } from './repeated.ts';

test('values that come again are named once, in the order in which they do', () => {
  expect(repeated(['a', 'b', 'c', 'b', 'a', 'b'])).toEqual(['b', 'a']);
  expect(repeated(['a', 'b'])).toEqual([]);
});
