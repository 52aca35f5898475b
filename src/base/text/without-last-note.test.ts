import { expect, test } from 'vitest';
import { withoutLastNote } from './without-last-note.ts';

test.each([
  ['Collect (optional)', 'Collect'],
  ['Collect  (a) (b) ', 'Collect  (a)'],
  ['Collect (a (b)', 'Collect'],
  ['Collect (a', 'Collect (a'],
  ['Collect a)', 'Collect a)'],
  ['(all of it)', ''],
  ['', ''],
])('%j is %j', (title, expected) => {
  expect(withoutLastNote(title)).toBe(expected);
  expect(withoutLastNote(title)).toBe(title.replace(/\s*\([^)]*\)\s*$/, '').trimEnd());
});
