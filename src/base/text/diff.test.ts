import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countLines, unifiedDiff } from './diff.ts';

test('a unified diff with counts', () => {
  expect(unifiedDiff('a\nb\nc\n', 'a\nB\nc\nd\n', { before: 'old.md', after: 'new.md' })).toEqual({
    kind: 'diff',
    text: '--- old.md\n+++ new.md\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n',
    added: 2,
    removed: 1,
  });
});

test('equal texts are the same', () => {
  expect(unifiedDiff('a', 'a')).toEqual({ kind: 'same' });
});

test('lines that begin with a plus or minus are counted once', () => {
  expect(unifiedDiff('-a\n', '+a\n')).toMatchObject({ added: 1, removed: 1 });
});

test('too large or too different gives line counts instead', () => {
  expect(unifiedDiff('x\n'.repeat(9), 'y\n', { maximumCharacters: 10 })).toEqual({
    kind: 'too-large',
    beforeLines: 9,
    afterLines: 1,
  });
  const many = (letter: string) =>
    Array.from({ length: 30_000 }, (_, index) => `${letter}${index}\n`).join('');
  expect(unifiedDiff(many('a'), many('b'))).toMatchObject({ kind: 'too-large', beforeLines: 30_000 });
});

test('the diff turns the first text into the second', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', '', 'c d', '\\ No', '+x', '-y', '\r'), { maxLength: 20 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const result = unifiedDiff(before, after);
      if (result.kind === 'diff')
        expect(applyPatch(before, result.text, { autoConvertLineEndings: false })).toBe(after);
      else expect(before).toBe(after);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['', 0],
  ['a', 1],
  ['a\n', 1],
  ['a\nb', 2],
  ['\n', 1],
])('%j has %d lines', (text, lines) => {
  expect(countLines(text)).toBe(lines);
});
