import fc from 'fast-check';
import { createColors } from 'picocolors';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { terminalMarkdown } from './terminal-markdown.ts';

const page = { columns: 41, colors: createColors(false) };

test('a plan reads as text: headings, wrapped lists, code, tables, links with their address', () => {
  const markdown = [
    '# Plan: cancel',
    '',
    'Some **bold** words and `code`, [a page](https://example.org/x).',
    '',
    '- modify `src/orders.ts`: extend the states that an order can have',
    '  - inner',
    '- [x] done',
    '',
    '1. one',
    '2. two',
    '',
    '```ts',
    'const a = 1;',
    '```',
    '',
    '| Seat | Vote |',
    '|---|---|',
    '| One | yes |',
    '',
    '> quoted',
  ].join('\n');
  expect(terminalMarkdown(markdown, page).split('\n')).toEqual([
    'Plan: cancel',
    '',
    'Some bold words and code, a page',
    '(https://example.org/x).',
    '',
    '• modify src/orders.ts: extend the',
    '  states that an order can have',
    '  • inner',
    '• [x] done',
    '',
    '1. one',
    '2. two',
    '',
    '    const a = 1;',
    '',
    'Seat  Vote',
    '────  ────',
    'One   yes',
    '',
    '│ quoted',
    '',
  ]);
});

test('a table that is too wide is written row by row', () => {
  const wide = `| Seat | Reason |\n|---|---|\n| One | ${'because '.repeat(8)}|`;
  const lines = terminalMarkdown(wide, page).split('\n');
  expect(lines[0]).toBe('• Seat: One');
  expect(lines[1]).toMatch(/^ {2}Reason: because/);
  const gaps = `| Task | | Reason |\n|---|---|---|\n| | solo | ${'because '.repeat(8)}|`;
  expect(terminalMarkdown(gaps, page).split('\n')[0]).toBe('• solo');
});

test('lines that begin with a bold label stay separate lines', () => {
  const fields = '- **Run**: npm test\n  **Purpose**: run all\n  tests, **every** one\n';
  expect(terminalMarkdown(fields, page)).toBe('• Run: npm test\n  Purpose: run all tests, every one\n');
});

test('colours come from us alone: escapes in the text are gone', () => {
  const hostile =
    '# A\u001b[31m\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007\n\n\u009b2Jtext\u202e';
  expect(terminalMarkdown(hostile, page)).toBe('Alink\n\ntext\n');
  expect(terminalMarkdown('# A', { ...page, colors: createColors(true) })).toContain('\u001b[1m');
});

test('any text becomes lines without controls; prose is never wider than the page', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.integer({ min: 24, max: 120 }),
      (text, columns) => {
        const shown = terminalMarkdown(text, { ...page, columns });
        expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      },
    ),
  );
  fc.assert(
    fc.property(fc.lorem({ maxCount: 60 }), fc.integer({ min: 24, max: 120 }), (text, columns) => {
      for (const line of terminalMarkdown(`- ${text}`, { ...page, columns }).split('\n'))
        expect(stringWidth(line)).toBeLessThan(columns);
    }),
  );
});

test('a text too long for the parser is shown unformatted, without terminal escapes', () => {
  const text = `# A\n\n${'- **b**\u001b[31m\n'.repeat(9_000)}`;
  expect(terminalMarkdown(text, page)).toBe(`# A\n\n${'- **b**\n'.repeat(9_000)}`);
});
