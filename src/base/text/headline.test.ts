import { expect, test } from 'vitest';
import { headline } from './headline.ts';

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
