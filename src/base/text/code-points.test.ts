import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countCodePoints, indexOfCodePoint } from './code-points.ts';

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
