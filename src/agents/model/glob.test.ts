import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesGlob } from './read-tools.ts';

test.each([
  ['*.ts', 'src/a.ts', true],
  ['*.ts', 'src/a.tsx', false],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/deep/a.ts', false],
  ['src/**/*.ts', 'src/a.ts', true],
  ['src/**/*.ts', 'src/very/deep/a.ts', true],
  ['**/deep/**', 'src/very/deep/a.ts', true],
  ['src/**', 'source/a.ts', false],
  ['**', 'a/b', true],
  ['./src/?.{ts,js}', 'src/a.js', true],
  ['src/?.{ts,js}', 'src/a.md', false],
  ['{a,b}/{c,d}.txt', 'b/c.txt', true],
  ['read', 'readme', false],
])('%s on %s is %s', (pattern, file, expected) => {
  expect(matchesGlob(pattern, file)).toBe(expected);
});

test('a path matches itself, and stars in place of any of its parts', () => {
  const name = fc.stringMatching(/^[a-z][a-z.]{0,7}$/);
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.nat(), (parts, at) => {
      const file = parts.join('/');
      const index = at % parts.length;
      const starred = parts.map((part, here) => (here === index ? `${part[0]}*` : part)).join('/');
      return matchesGlob(file, file) && matchesGlob(starred, file) && matchesGlob(`**/${parts.at(-1)}`, file);
    }),
  );
});

test('a hostile pattern ends', () => {
  expect(matchesGlob(`${'*a'.repeat(2000)}b`, 'a'.repeat(4000))).toBe(false);
  expect(matchesGlob('{a,b}'.repeat(200), 'x')).toBe(false);
});
