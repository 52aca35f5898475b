import { expect, test } from 'vitest';
import { hardCut, sectionCut } from './cut.ts';

const all = Number.MAX_SAFE_INTEGER;

test.each([
  ['A-14 level two and three', 'a\n## b\n### c\n', '### c'],
  ['A-14 not one, four or setext', 'a\n# b\n#### c\nd\n---\n', undefined],
  ['A-14 not without a blank', 'a\n##b\n', undefined],
  ['A-14 a tab or the end of the line', 'a\n##\tb\nc\n##', '##'],
  ['A-14 up to three spaces', 'a\n   ## b\n    ## c\n', '   ## b'],
  ['A-14 not in a fence', 'a\n```\n## b\n```\n', undefined],
  ['A-14 not in a comment', 'a\n<!--\n## b\n-->\n', undefined],
  ['A-14 not in front matter', '---\nk: 1\n\n# x\n---\n', undefined],
  ['A-15 not without content before', '\n\n## b\ntext', undefined],
  ['A-26 not behind an unclosed fence', 'a\n```\n## b', undefined],
  ['A-08 not behind a form feed', 'a\f## b', undefined],
])('%s', (_name, text, rest) => {
  const cut = sectionCut(text, all);
  expect(cut && text.slice(cut.index).split('\n', 1)[0]).toBe(rest);
});

test('A-16: the last boundary at or before the limit, equality allowed', () => {
  const text = 'intro\n## a\nxx\n## b\nyy\n';
  expect(sectionCut(text, 14)).toEqual({ index: 14, at: 'section' });
  expect(sectionCut(text, 13)).toEqual({ index: 6, at: 'section' });
  expect(sectionCut(text, 5)).toBeUndefined();
});

test('A-13: a line start, else a character, never between CR and LF', () => {
  expect(hardCut('ab\ncd\nef', 5)).toEqual({ index: 3, at: 'line' });
  expect(hardCut('abcdef', 4)).toEqual({ index: 4, at: 'character' });
  expect(hardCut('abc\r\nd', 4)).toEqual({ index: 3, at: 'character' });
  expect(hardCut('\n\nabcdef', 5)).toEqual({ index: 5, at: 'character' });
  expect(hardCut('abc', 0)).toEqual({ index: 0, at: 'character' });
});
