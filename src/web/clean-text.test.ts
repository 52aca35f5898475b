import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanText } from './clean-text.ts';

test('escape sequences of terminals are dropped, other controls and turned directions are made visible', () => {
  expect(cleanText('\u001b[31mred\u001b[0m')).toBe('red');
  expect(cleanText('\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007')).toBe('link');
  expect(cleanText('\u001b]0;title\u001b\\x')).toBe('x');
  expect(cleanText('\u001b[2J\u001b[1;1Hgone')).toBe('gone');
  expect(cleanText('a\u0000b\u0008c')).toBe('a�b�c');
  expect(cleanText('if (admin\u202e) {')).toBe('if (admin�) {');
  expect(cleanText('line\r\nnext\ttab')).toBe('line\nnext\ttab');
});

test('no control character survives, and plain text stays as it is', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ min: 0, max: 0x2100 }).map((code) => String.fromCharCode(code)) }),
      (text) => {
        expect(cleanText(text)).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
        );
      },
    ),
  );
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)) }),
      (text) => {
        expect(cleanText(text)).toBe(text);
      },
    ),
  );
});
