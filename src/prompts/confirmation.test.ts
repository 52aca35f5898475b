import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gradeConfirmation, lazyLoadWarning } from './confirmation.ts';

const expected = [
  { label: 'Spec', name: 'spec.md', lines: 195 },
  { label: 'Design', name: 'design.md', lines: 392 },
];
const grade = (answer: string, files = expected) => gradeConfirmation(answer, files).grade;

test.each([
  ['one line', 'Files read: spec.md (195 lines), design.md (392 lines)\n{"approved": true}'],
  ['bold', '**Files read:** spec.md (195 lines), design.md (392 lines)'],
  ['bold, colon outside', '**Files read**: spec.md (195), design.md (392)'],
  ['bullet and capitals', '- FILES READ: spec.md (195 lines), design.md (392 lines)'],
  ['quoted as in the directive', '"Files read: spec.md (195 lines), design.md (392 lines)"'],
  ['paths', 'Files read: /a/b/spec.md (195 lines), /a/b/design.md (392 lines)'],
  ['labels', 'Files read: Spec (195 lines), Design (392 lines)'],
  ['code marks', 'Files read: `spec.md` (195 lines), `design.md` (392 lines)'],
  ['a list below', 'Files read:\n- spec.md (195 lines)\n- design.md (392 lines)\n\nDone.'],
  ['a heading and a list', '## Files read:\n\n1. spec.md (195 lines)\n2. design.md (392 lines)'],
  ['off by one', 'Files read: spec.md (196 lines), design.md (391 lines)'],
  ['no counts', 'Files read: spec.md, design.md'],
  ['more than asked', 'Files read: spec.md (195 lines), design.md (392 lines), src/a.ts (10 lines)'],
  ['at the end', `${'prose\n'.repeat(50)}Files read: spec.md (195 lines), design.md (392 lines)`],
])('T-074, tricky case 7: full with %s', (_name, answer) => {
  expect(grade(answer)).toBe('full');
});

test.each([
  ['nothing', '{"approved": true, "issues": []}'],
  ['the instruction echoed', 'Files read: {name} ({N} lines), ...'],
  ['a mention inside a sentence', 'I will not write Files read: spec.md (195 lines), design.md (392 lines)'],
  ['a quotation', '> Files read: spec.md (195 lines), design.md (392 lines)'],
  ['a fence', '```\nFiles read: spec.md (195 lines), design.md (392 lines)\n```'],
  ['the summary', '{"summary": "Files read: spec.md (195 lines), design.md (392 lines)"}'],
  ['none', 'Files read: none'],
  ['only the sentinel', 'Files read: No PRD — feature created without brainstorm'],
  ['an empty line', 'Files read:'],
  ['an empty answer', ''],
])('T-075, tricky case 7: missing with %s', (_name, answer) => {
  expect(grade(answer)).toBe('missing');
});

test('tricky case 7: partial when a file or its length is wrong', () => {
  expect(gradeConfirmation('Files read: spec.md (195 lines)', expected)).toMatchObject({
    grade: 'partial',
    missing: ['design.md'],
  });
  expect(gradeConfirmation('Files read: spec.md (20 lines), design.md (392 lines)', expected)).toMatchObject({
    grade: 'partial',
    wrongLines: [{ name: 'spec.md', expected: 195, stated: 20 }],
  });
  expect(
    grade('Files read: spec.md (1,195 lines), design.md (392 lines)', [
      { label: 'Spec', name: 'spec.md', lines: 1195 },
      { label: 'Design', name: 'design.md', lines: 392 },
    ]),
  ).toBe('full');
});

test('a giant answer is graded without reading all of it', () => {
  const giant = 'x'.repeat(100 * 1024 * 1024);
  expect(grade(giant)).toBe('missing');
  expect(grade(`${giant}\nFiles read: spec.md (195 lines), design.md (392 lines)`)).toBe('full');
});

test('T-073, lean/C-23: grading never fails, whatever the answer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (answer) => {
      expect(['missing', 'partial', 'full']).toContain(grade(`Files read: ${answer}`));
    }),
    { numRuns: 40 },
  );
});

test('T-075: the exact line', () => {
  expect(lazyLoadWarning('phase-reviewer')).toBe(
    'LAZY-LOAD-WARNING: phase-reviewer did not confirm artifact reads',
  );
});
