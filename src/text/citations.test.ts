import { expect, test } from 'vitest';
import { citationsIn, pathsIn } from './citations.ts';

test('L-371 paths and lines are found in prose, in brackets and at the end of a sentence', () => {
  const text =
    'See src/lock.ts:12-20, (lib/a.py:7). Also `docs/guide.md` and Makefile. Changed in app/main.go:3';
  expect(pathsIn(text)).toEqual([
    { path: 'src/lock.ts', line: 12, endLine: 20 },
    { path: 'lib/a.py', line: 7 },
    { path: 'docs/guide.md' },
    { path: 'Makefile' },
    { path: 'app/main.go', line: 3 },
  ]);
  expect(citationsIn(text)).toHaveLength(3);
});

test.each([
  'file.mdjunk:42',
  'a spin.lock is held',
  'the config.env of it',
  'version 1.2.3',
  'e.g. this and that',
  'Authentication required. Run login.',
  'example.com:443',
])('F-06 no citation in %s', (text) => {
  expect(pathsIn(text)).toEqual([]);
});

test.each([
  ['spin.lock:4', 'spin.lock'],
  ['deps/spin.lock', 'deps/spin.lock'],
  ['my_util.c', 'my_util.c'],
  ['[slug]/page.tsx:3', '[slug]/page.tsx'],
])('L-371 short extensions need a path-like stem or a line: %s', (text, path) => {
  expect(pathsIn(text)[0]?.path).toBe(path);
});

test('a long text without citations is scanned in linear time', () => {
  expect(pathsIn(`${'a/'.repeat(50_000)} ${'x.'.repeat(50_000)}`)).toEqual([]);
});
