import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { problemLine, problemList, readAs } from './primitives.ts';

const step = z.union([
  z.string().min(1),
  z.strictObject({ description: z.string(), actions: z.array(z.string()).optional() }),
]);

const cases: [what: string, schema: z.ZodType, value: unknown, lines: string[]][] = [
  ['a missing text', z.object({ a: z.string() }), {}, ['a: expected a text, found nothing']],
  ['null', z.object({ a: z.array(z.int()) }), { a: null }, ['a: expected a list, found null']],
  ['another kind', z.object({ a: z.boolean() }), { a: [] }, ['a: expected true or false, found a list']],
  ['a value that is not an object', z.object({}), 'x', ['it: expected an object, found a text']],
  ['a broken number', z.array(z.int()), [1.5], ['[0]: expected a whole number, found 1.5']],
  ['a word of none', z.enum(['low', 'high']), 'huge', ['it: expected "low" or "high", found "huge"']],
  ['a long word', z.literal('x'), 'y'.repeat(99), [`it: expected "x", found "${'y'.repeat(40)}…"`]],
  [
    'an empty text',
    z.object({ a: z.string().min(1) }),
    { a: '' },
    ['a: expected at least 1 character, found 0'],
  ],
  ['a long list', z.array(z.number()).max(1), [1, 2], ['it: expected at most 1 item, found 2']],
  ['a small number', z.number().positive(), 0, ['it: expected more than 0, found 0']],
  ['a name', z.string().regex(/^a$/), 'b', ['it: expected a text that fits /^a$/, found "b"']],
  [
    'an address, which may have a password',
    z.url(),
    'host/p w',
    ['it: expected an address such as https://host/path, found a text'],
  ],
  ['words of the schema', z.string().regex(/^a$/, 'takes a'), 'b', ['it: takes a']],
  [
    'an unknown key',
    z.strictObject({ a: z.string().optional(), b: z.string().optional() }),
    { c: 1 },
    ['it: unknown key "c"; known are a, b'],
  ],
  [
    'a bad key',
    z.record(z.string().regex(/^a$/, 'takes a'), z.string()),
    { 'b c': '' },
    ['["b c"]: as a key: takes a'],
  ],
  ['no form of several', z.array(step), [3], ['[0]: expected a text or an object, found 3']],
  [
    'one form of several',
    z.array(step),
    [{ actions: [1] }],
    ['[0].description: expected a text, found nothing', '[0].actions[0]: expected a text, found 1'],
  ],
  ['an empty text among several', step, '', ['it: expected at least 1 character, found 0']],
  [
    'a form that has its own words',
    z.union([z.literal('a'), z.object({ b: z.string() })], { error: 'takes a' }),
    { b: 1, c: 1 },
    ['it: takes a'],
  ],
];

test.each(cases)('%s is named in plain words, with its place', (_, schema, value, lines) => {
  const reading = readAs(schema, value);
  expect(reading.ok ? [] : reading.problems.map((problem) => problemLine(problem, 'it'))).toEqual(lines);
});

test('a value that fits is returned as the schema reads it', () => {
  expect(readAs(z.object({ a: z.string().default('x') }), {})).toEqual({ ok: true, value: { a: 'x' } });
});

test('lists the first of many problems, and their number', () => {
  const problems = Array.from({ length: 7 }, (_, index) => ({ path: [index], words: 'wrong' }));
  expect(problemList(problems, 'it')).toBe(
    '[0]: wrong; [1]: wrong; [2]: wrong; [3]: wrong; [4]: wrong; and 2 more',
  );
});

test('single issues of a schema get these words', () => {
  const root = path.join(import.meta.dirname, '../..');
  const looking = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.endsWith('.test.ts') &&
      readFileSync(path.join(root, file), 'utf8').includes('error.issues'),
  );
  expect(looking.sort()).toEqual([
    'base/config/config.ts',
    'base/schema/judgements.ts',
    'base/schema/primitives.ts',
  ]);
});
