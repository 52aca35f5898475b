import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixSummary } from './review-loop.ts';

test('T-099: the fix summary names every issue by its first words', () => {
  const open = [{ description: 'R1 is\nvague' }, { description: 'x'.repeat(300) }];
  expect(fixSummary(open)).toBe(`Revised for 2 issues: R1 is vague; ${'x'.repeat(99)}…`);
  expect(fixSummary([])).toBe('Revised for 0 issues.');
});

test('T-099, lean/C-02: a hundred issues leave it short, and what is left out is counted', () => {
  const summary = fixSummary(
    Array.from({ length: 100 }, (_, at) => ({ description: `issue ${at} of many` })),
  );
  expect(summary).toMatch(/^Revised for 100 issues: issue 0 of many; .*; and \d+ more$/);
  expect(summary.match(/issue \d+ of many/g)?.length).toBe(100 - Number(/and (\d+) more/.exec(summary)?.[1]));
});

test('T-099: whatever the issues say, the summary is one line of bounded length', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ description: fc.string({ maxLength: 400, unit: 'binary' }) })),
      (open) => {
        const summary = fixSummary(open);
        expect(summary.length).toBeLessThan(700);
        expect(summary).not.toMatch(/[\r\n]/);
      },
    ),
  );
});
