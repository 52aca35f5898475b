import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { literalPattern } from './literal-pattern.ts';
import { shellWord } from './shell-word.ts';

const hostile = [
  'plain-1.2',
  "it's",
  'a b',
  '$(touch x)',
  '`id`',
  '',
  '-n',
  '~',
  '*',
  '\\',
  'a\nb',
  '"',
  '.+[x]{2}^$|?',
];

test.each(hostile)('%j is one word of a shell, as it is', (text) => {
  const shown = execFileSync('/bin/sh', ['-c', `printf '%s|' ${shellWord(text)}`], { encoding: 'utf8' });
  expect(shown).toBe(`${text}|`);
});

test.each(hostile)('%j as a pattern matches itself alone', (text) => {
  expect(new RegExp(`^${literalPattern(text)}$`).test(text)).toBe(true);
  expect(new RegExp(`^${literalPattern(text)}$`).test(`${text}!`)).toBe(false);
});
