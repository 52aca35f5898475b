import { expect, test } from 'vitest';
import { examine } from './examine.ts';

const reports = (text: string) => examine('spec', text).map(({ text: line }) => line);

test.each([
  ['a citation', 'x\n> source: a.md\n', 'line 2'],
  ['the header', '## Design Context (from .moai/design/)', 'line 1'],
  ['a marker', 'x\r\n> truncated: a.md at char_offset=3\r\n', 'line 2'],
  ['a list of warnings', '> warnings: [a]', 'line 1'],
  ['A-26: an open fence', '~~~\nx', 'fence'],
  ['an open comment', '<!--\nx', 'comment'],
])('A-25: %s is reported', (_name, text, word) => {
  expect(reports(text)).toEqual([expect.stringContaining(word)]);
});

test.each([
  'plain text',
  '> sources: a',
  'see `> source: x`',
  '```\nx\n```\n',
  '<!-- a -->',
  '  ## Design Context',
])('A-25: %j is not', (text) => {
  expect(reports(text)).toEqual([]);
});
