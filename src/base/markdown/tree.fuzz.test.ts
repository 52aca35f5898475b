import { expect, test } from 'vitest';
import { hostileTexts } from '../../../test/hostile-texts.ts';
import { readMarkdown } from './tree.ts';

const pieces = [
  '**[',
  '**[a',
  '**[*',
  '_a*',
  '*_',
  '](',
  '[a](',
  '<a ',
  '[^a]',
  '> ',
  '1. ',
  '- ',
  '> - 1. a\n',
  '- 1. a\n',
  'a\n===\n',
  '> a\n\n',
  '> a\nb\n',
  '- a\n  - b\n',
  '- a\n\t- b\n',
  '> a\n> - b\n',
];

// Without the limits the parser would need minutes, or more stack than a process has.
test.each([...pieces.map((piece) => piece.repeat(40_000 / piece.length)), ...hostileTexts(40_000)])(
  'text %# is read within the limits of the parser',
  { timeout: 20_000 },
  (text) => {
    expect(readMarkdown(text)?.type).toBe('root');
  },
);

test.each([
  '*',
  '|',
  '\n',
  ' \n',
  '- a\n',
  '  - a\n',
  'a|b\n',
  '| a | b |\n',
  '[^a]: b\n',
  '> a\n\n',
  '`a`',
  '&amp;',
])('a long text of nothing but %j is not read', (piece) => {
  expect(readMarkdown(piece.repeat(300_000 / piece.length), {}, 300_000)).toBeUndefined();
});
