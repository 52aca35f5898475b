import { expect, test } from 'vitest';
import { formatElapsed, headline, joinTruncated, plainNumber } from './strings.ts';

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

test.each([
  ['cancel an order', 'cancel an order'],
  ['\n\n## Cancel orders\n\nCustomers want to.\n', 'Cancel orders'],
  ['#1 priority: cancel', '#1 priority: cancel'],
  ['# \n\n#\nCancel', 'Cancel'],
  ['', ''],
])('%j is listed as %j', (text, expected) => {
  expect(headline(text)).toBe(expected);
});

test('a line of any length becomes a title, and no letter is cut in two', () => {
  expect(headline('a'.repeat(200))).toBe('a'.repeat(200));
  expect(headline('a'.repeat(1_000_000))).toBe(`${'a'.repeat(199)}…`);
  expect(headline('🎉'.repeat(300))).toBe(`${'🎉'.repeat(199)}…`);
});

test('names up to a number of them, and counts the rest', () => {
  expect(joinTruncated([])).toBe('');
  expect(joinTruncated(['a', 'b'])).toBe('a, b');
  expect(joinTruncated(['a', 'b', 'c', 'd'], 2, '; ')).toBe('a; b and 2 more');
});

test.each([
  ['0', 0],
  ['007', 7],
  ['12.5', 12.5],
  ['.5', 0.5],
])('%j is a number', (text, number) => expect(plainNumber(text)).toBe(number));

test.each([
  '',
  ' ',
  '\n',
  ' 3',
  '3 ',
  '3\n',
  '-1',
  '+1',
  '0x10',
  '1e3',
  '1.',
  '1_000',
  '1,5',
  'Infinity',
  '9'.repeat(400),
])('%j is none', (text) => expect(plainNumber(text)).toBeUndefined());
