import { expect, test } from 'vitest';
import { gradeConfirmation } from '../confirmation.ts';
import { countMarkers } from '../markers.ts';
import { parseReferences } from './references.ts';
import { indexed, scopeTask } from './scope.ts';
import { parseTasks } from './tasks.ts';

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
