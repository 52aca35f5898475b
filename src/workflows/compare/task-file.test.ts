import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTasks, taskLimits } from './task-file.ts';

const features = (text: string) => readTasks(text, 'tasks').map(({ feature }) => feature);

test('a Markdown list: items are tasks, their sub-items are criteria, everything around it is ignored', () => {
  const text = [
    '# Backlog',
    '',
    'What we want next.',
    '',
    '- add *rate* limiting to `server.ts`',
    '  over two lines',
    '  - answers 429',
    '  - is configurable',
    '- [ ] cancel an order',
    '',
    '## Later',
    '1. split the billing module',
  ].join('\n');
  expect(readTasks(text, 'tasks.md')).toEqual([
    {
      feature: 'add rate limiting to server.ts\nover two lines',
      criteria: ['answers 429', 'is configurable'],
      files: [],
    },
    { feature: 'cancel an order', criteria: [], files: [] },
    { feature: 'split the billing module', criteria: [], files: [] },
  ]);
});

test('plain lines: one task each; headings, comments and blank lines are none', () => {
  expect(features('# comment\n\nadd rate limiting\r\n  cancel an order  \n')).toEqual([
    'add rate limiting',
    'cancel an order',
  ]);
});

test('JSON: texts, objects, or both below `tasks`', () => {
  expect(features('["a", {"feature": "b"}]')).toEqual(['a', 'b']);
  expect(readTasks('{"tasks": [{"feature": "b", "criteria": ["c"], "files": ["src/d.ts"]}]}', 'x')).toEqual([
    { feature: 'b', criteria: ['c'], files: ['src/d.ts'] },
  ]);
});

test.each([
  ['', /holds no task/],
  ['# only a heading\n', /holds no task/],
  ['[]', /holds no task/],
  ['[1]', /Task 1 .*neither a text nor an object/],
  ['{"features": []}', /neither a JSON array nor an object with `tasks`/],
  ['[{"feature": "a", "critria": []}]', /unknown keys: critria; there are feature, criteria and files/],
  ['[{"feature": "a", "criteria": "b"}]', /`criteria` of task 1/],
  ['["a", " "]', /Task 2 .* is empty/],
  ['a\na\n', /Tasks 1 and 2 .* are the same/],
  ['[{"feature": "a"', /not valid JSON/],
  [JSON.stringify(['x'.repeat(taskLimits.featureCharacters + 1)]), /characters; at most/],
  [JSON.stringify(Array.from({ length: 101 }, (_, index) => `${index}`)), /holds 101 tasks/],
])('a file that cannot be used is refused with the place and the form: %#', (text, message) => {
  expect(() => readTasks(text, 'tasks')).toThrow(message);
  expect(() => readTasks(text, 'tasks')).toThrow(
    expect.objectContaining({ code: 'tasks-invalid', fix: expect.stringContaining('Markdown list') }),
  );
});

test('reads or refuses any file, and no task is empty', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      try {
        for (const { feature } of readTasks(text, 'tasks')) expect(feature.trim()).not.toBe('');
      } catch (error) {
        expect(error).toMatchObject({ code: 'tasks-invalid' });
      }
    }),
  );
});

// The limit is for the Markdown parser alone, which needs minutes for open brackets inside emphasis.
test('thousands of open brackets are read as what they are', { timeout: 20_000 }, () => {
  expect(() => readTasks(`- ${'**['.repeat(20_000)}`, 'tasks')).toThrow(/Markdown is read up to 50000/);
  expect(features(`- ${'**['.repeat(3_000)}`)).toEqual(['**['.repeat(3_000)]);
});
