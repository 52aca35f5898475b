import { expect, test } from 'vitest';
import { gradeConfirmation } from '../confirmation.ts';
import { countMarkers } from '../markers.ts';
import { parseReferences } from './references.ts';
import { indexed, parseTasks, scopeTask } from './tasks.ts';

const many = 20_000;

test('documents made to be slow are read in linear time', () => {
  const hostile = [
    '### Task 1: A\n'.repeat(many),
    '- **Item 1:** x\n'.repeat(many),
    '## Risks\n1. **A**\n'.repeat(many),
    `## ${'('.repeat(200_000)}\n`,
    `- **Why:** ${' '.repeat(200_000)}Plan 1.1\n`,
    `- **Why:** ${'a, '.repeat(60_000)}\n`,
    `### Task 1: ${'1.'.repeat(100_000)}\n`,
    `${'**'.repeat(50_000)}\n`,
    `${'- '.repeat(50_000)}**x**\n`,
    `${'```\n'.repeat(many)}`,
  ];
  for (const text of hostile) {
    const document = indexed(text);
    const [task] = parseTasks(`### Task 1.1: X\n- **Why:** Plan 1.1, Design C1\n${text}`);
    if (task === undefined) throw new Error('no task');
    expect(scopeTask(task, document, document).references.length).toBeGreaterThan(0);
  }
});

test('tasks beyond number are scoped in linear time', () => {
  const scopes = (text: string) => {
    const document = indexed(text);
    return parseTasks(text).map((task) => scopeTask(task, document, document).plan);
  };
  const below = scopes(`## Stage 1: Helpers\n${'### T1\n'.repeat(many)}`);
  expect(below.length).toBe(many);
  expect(below.every((plan) => plan.kind === 'sections')).toBe(true);
  const same = scopes('### T1: a\n- **Why:** Plan 1\n'.repeat(many / 2));
  expect(same.at(-1)).toMatchObject({ reason: 'reference without a section' });
  const each = Array.from(
    { length: many / 2 },
    (_, index) => `### T${index}: a\n- **Why:** Plan ${index}.7\n`,
  );
  const steps = Array.from({ length: many / 2 }, (_, index) => `## ${index}.7 Step\n`);
  const own = scopes([...each, ...steps].join(''));
  expect(own[17]).toMatchObject({ text: '## 17.7 Step' });
  expect(own.length).toBe(many / 2);
});

test('values and answers made to be slow are read in linear time', () => {
  expect(parseReferences([{ field: 'why', value: `Plan ${'1.'.repeat(20_000)}` }])).toBeDefined();
  expect(parseReferences([{ field: 'plan ref', value: '1-'.repeat(20_000) }])).toBeDefined();
  const blanks = ' '.repeat(1_000_000);
  expect(parseReferences([{ field: 'plan ref', value: `1.1${blanks}x` }])).toMatchObject([{ id: '1.1' }]);
  const expected = [{ label: 'Spec', name: 'spec.md', lines: 10 }];
  for (const tail of [' '.repeat(100_000), '(1'.repeat(50_000), '1 '.repeat(50_000), ','.repeat(100_000)]) {
    expect(gradeConfirmation(`Files read: ${tail} spec.md (1${tail}`, expected).missing.length).toBeLessThan(
      2,
    );
    expect(countMarkers(`LAZY-LOAD-WARNING: ${tail}`).lazyLoadWarnings).toBe(0);
  }
});

test('a separator of lines within a line does not make a reader look back', () => {
  const blanks = ' '.repeat(100_000);
  expect(parseTasks(`### T1${blanks}a\u2028b\n`)).toMatchObject([{ number: '1', title: 'a\u2028b' }]);
  expect(parseTasks(`### Task 1:${blanks}a\u2028b\n`, true)).toMatchObject([{ title: 'a\u2028b' }]);
  const scope = indexed(`## 1:${blanks}a\u2028b\n`);
  expect(scope.groups.size).toBe(1);
});
