import { expect, test } from 'vitest';
import { leafTasks, taskDependencies, taskFiles, withUniqueNumbers } from './match.ts';
import { parseTasks } from './tasks.ts';

const task = (number: string, depends: string) =>
  `### Task ${number}: Do\n- **Files:** \`src/a.ts\`, src/b.ts (new)\n- **Depends on:** ${depends}\n`;

test('T-010: reads the files that a task names, without the text around them', () => {
  expect(taskFiles({ text: task('1', 'none') })).toEqual(['src/a.ts', 'src/b.ts']);
  expect(taskFiles({ text: '**Files to change**: docs/x.md' })).toEqual(['docs/x.md']);
  expect(taskFiles({ text: 'no field' })).toEqual([]);
});

test('a task of empty lines takes one pass', () => {
  const text = `### Task 1: Do\n${'\n'.repeat(1_000_000)}- **Files:** src/a.ts\n- **Depends on:** 1.1\n`;
  expect(taskFiles({ text })).toEqual(['src/a.ts']);
  expect(taskDependencies({ text }, ['1.1'])).toEqual(['1.1']);
});

test.each([
  ['1.1, 1.2', ['1.1', '1.2']],
  ['Task 1.1 (and T1.2)', ['1.1', '1.2']],
  ['none', []],
  ['—', []],
  ['the store', undefined],
])('what a task depends on: %s', (value, expected) => {
  expect(taskDependencies({ text: task('2', value) }, ['1.1', '1.2', '11.1'])).toEqual(expected);
});

test('does not run a task that only groups others', () => {
  const text = '## Task 1: All\n\n### Task 1.1: One\nx\n### Task 1.2: Two\ny\n## Task 2: Alone\n';
  expect(leafTasks(parseTasks(text)).map(({ number }) => number)).toEqual(['1.1', '1.2', '2']);
});

test('distinguishes two tasks with one number', () => {
  const text = '### Task 1: One\n### Task 1: Two\n### Task 1: Three\n### Task 2: Four\n';
  const unique = withUniqueNumbers(parseTasks(text));
  expect(unique.map(({ number, title }) => `${number} ${title}`)).toEqual([
    '1 One',
    '1-2 Two',
    '1-3 Three',
    '2 Four',
  ]);
});
