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
  'db.internal:5432',
  'spiegel.de:443',
  'at 12:30 or 12:30:15',
  'http://localhost:8080/path and https://shop.example.com:8443/a',
  '127.0.0.1:80',
  'release 1.2.3:4 and v1.2:3',
  'i.e:3',
  'my.machine:8080/health',
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

test.each([
  ['src/a.ts:12:5', 'src/a.ts', 12],
  ['src/a.ts:12:', 'src/a.ts', 12],
  ['src/a.ts:12: the lock', 'src/a.ts', 12],
  ['src/a.ts:12-14:', 'src/a.ts', 12, 14],
  ['src/a.ts:L12', 'src/a.ts', 12],
  ['src/a.ts:L12-L14', 'src/a.ts', 12, 14],
  ['[src/a.ts#L12]', 'src/a.ts', 12],
  ['db/schema.prisma:7', 'db/schema.prisma', 7],
  ['schema.prisma:7:', 'schema.prisma', 7],
  ['LICENSE:1', 'LICENSE', 1],
  ['docs/README:4', 'docs/README', 4],
  ['.gitignore:3', '.gitignore', 3],
  ['web/.env.local:3', 'web/.env.local', 3],
  ['events.jsonl:9', 'events.jsonl', 9],
])('L-501, L-371: %s is a place', (text, file, line, endLine?: number) => {
  expect(citationsIn(text)).toEqual([{ file, line, ...(endLine === undefined ? {} : { endLine }) }]);
});

test('a long text without citations is scanned in linear time', () => {
  expect(pathsIn(`${'a/'.repeat(50_000)} ${'x.'.repeat(50_000)}`)).toEqual([]);
  expect(pathsIn(`${'a/a.'.repeat(90)}:1/ `.repeat(3000))).toEqual([]);
});
