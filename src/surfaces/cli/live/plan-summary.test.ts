import { createColors } from 'picocolors';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import type { PlanSummary } from '../../../service/plan-summary.ts';
import { summaryLines } from './plan-summary.ts';

const long = 'a text that is much longer than any line of a narrow terminal can be, '.repeat(8);
const many = Array.from({ length: 30 }, (_, index) => index);
const full: PlanSummary = {
  title: long,
  summary: long,
  files: many.map((index) => ({ action: 'modify', path: `src/${index}.ts` })),
  decisions: many.map((index) => ({ title: `D${index}`, resolution: long, votes: '2 of 3 votes' })),
  risks: many.map(() => long),
  accepted: many.map(() => `finding \u001b[2J ${long}`),
  calls: 29,
  cost: '$0.1200 measured',
  planFile: '/p/plan.txt',
  hasModel: true,
};
const page = { columns: 80, colors: createColors(false) };

test('a summary has at most 40 lines with the branch, fits the terminal and steers nothing', () => {
  const lines = summaryLines(full, '4f2a90c1', 'plan.txt', page);
  expect(lines.length + 2).toBeLessThanOrEqual(40);
  for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(79);
  const text = lines.join('\n');
  expect(text).not.toContain('\u001b');
  for (const part of ['and 24 more', '29 calls, $0.1200 measured', 'Plan  plan.txt'])
    expect(text).toContain(part);
  expect(summaryLines(full, '4f2a90c1', 'a/'.repeat(40), page)).toContain(
    'Plan  charrette plan show 4f2a90c1',
  );
  expect(text).toMatch(/build --run 4f2a90c1.*show 4f2a90c1.*charrette serve/s);
});

test('a small plan has no empty parts, and without a model the doctor is next', () => {
  const small = {
    ...full,
    title: 'T',
    summary: 'S',
    decisions: [],
    risks: [],
    accepted: [],
    hasModel: false,
  };
  const lines = summaryLines({ ...small, files: full.files.slice(0, 1), calls: 1 }, 'x', 'plan.txt', page);
  expect(lines.filter((line) => !line.startsWith(' '))).toEqual([
    'T',
    'S',
    '',
    'Files',
    '',
    'Cost  1 call, $0.1200 measured',
    'Plan  plan.txt',
    'Next',
  ]);
  expect(lines.at(-3)).toContain('charrette doctor');
});
