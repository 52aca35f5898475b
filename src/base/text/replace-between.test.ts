import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replaceBetween } from './replace-between.ts';

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
