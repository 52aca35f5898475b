import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countCodePoints,
  indexOfCodePoint,
  literalPattern,
  repeated,
  replaceBetween,
  shellWord,
  slugify,
  withoutLastNote,
} from './strings.ts';

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

test.each(hostile)('%j is one unchanged word of a shell', (text) => {
  const shown = execFileSync('/bin/sh', ['-c', `printf '%s|' ${shellWord(text)}`], { encoding: 'utf8' });
  expect(shown).toBe(`${text}|`);
});

test.each(hostile)('%j as a pattern matches itself alone', (text) => {
  expect(new RegExp(`^${literalPattern(text)}$`).test(text)).toBe(true);
  expect(new RegExp(`^${literalPattern(text)}$`).test(`${text}!`)).toBe(false);
});

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

test('values that come again are named once, in the order in which they do', () => {
  expect(repeated(['a', 'b', 'c', 'b', 'a', 'b'])).toEqual(['b', 'a']);
  expect(repeated(['a', 'b'])).toEqual([]);
});

test('pieces from an opening to the next closing are replaced, as a pattern would', () => {
  const text = fc.string({ unit: fc.constantFrom('/', '*', 'a', '\n') });
  fc.assert(
    fc.property(text, (css) => {
      const expected = css.replace(/\/\*[\s\S]*?\*\//g, (piece) => `<${piece.length}>`);
      expect(replaceBetween(css, '/*', '*/', (piece) => `<${piece.length}>`)).toBe(expected);
    }),
  );
});

test('openings that are never closed take one pass', () => {
  const text = '<!-- '.repeat(2_000_000);
  expect(replaceBetween(text, '<!--', '-->', () => '')).toBe(text);
});

test('A-05: a character is a code point', () => {
  expect(countCodePoints('aé漢😀')).toBe(4);
  expect(indexOfCodePoint('a😀b', 2)).toBe(3);
  expect(indexOfCodePoint('ab', 9)).toBe(2);
});

test('counting agrees with iteration, and indices invert it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const points = [...text].length;
      expect(countCodePoints(text)).toBe(points);
      for (let n = 0; n <= points; n += 1)
        expect(countCodePoints(text, 0, indexOfCodePoint(text, n))).toBe(n);
    }),
  );
});

test('keeps words and folds accents', () => {
  expect(slugify('Ajoute la Sécurité: rate-limiting!')).toBe('ajoute-la-securite-rate-limiting');
});

test('cuts at a word, within the maximum', () => {
  expect(slugify('one two three four', 9)).toBe('one-two');
  expect(slugify('x'.repeat(80), 10)).toBe('x'.repeat(10));
});

test('falls back when nothing survives', () => {
  expect(slugify('設計', 50, 'feature')).toBe('feature');
});
