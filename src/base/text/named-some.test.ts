import { expect, test } from 'vitest';
import { namedSome } from './named-some.ts';

test('names up to a number of them, and counts the rest', () => {
  expect(namedSome([])).toBe('');
  expect(namedSome(['a', 'b'])).toBe('a, b');
  expect(namedSome(['a', 'b', 'c', 'd'], 2, '; ')).toBe('a; b and 2 more');
});
