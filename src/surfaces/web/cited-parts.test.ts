import fc from 'fast-check';
import { expect, test } from 'vitest';
import { citedParts } from './cited-parts.ts';

test('places become links, the rest stays text', () => {
  expect(citedParts('see (src/a.ts:3-9), then ./b/c.py:12.')).toEqual([
    { kind: 'text', text: 'see (' },
    { kind: 'citation', text: 'src/a.ts:3-9', path: 'src/a.ts', line: 3, endLine: 9 },
    { kind: 'text', text: '), then ' },
    { kind: 'citation', text: './b/c.py:12', path: 'b/c.py', line: 12, endLine: 12 },
    { kind: 'text', text: '.' },
  ]);
  expect(citedParts('at 10:30 nothing: http://x.example:80/')).toEqual([
    { kind: 'text', text: 'at 10:30 nothing: http://x.example:80/' },
  ]);
});

test('the parts together are the text', () => {
  const piece = fc.oneof(fc.string(), fc.constantFrom(' src/a.ts:1 ', '`x.md:3-4`', '(lib/b.go:7)', '\n'));
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      expect(
        citedParts(text)
          .map((part) => part.text)
          .join(''),
      ).toBe(text);
    }),
  );
});
