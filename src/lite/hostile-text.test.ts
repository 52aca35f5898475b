import { expect, test } from 'vitest';
import { readSpecKit } from './exchange/spec-kit-reader.ts';
import { assessComplexity } from './explore-decision.ts';
import { readHandoffSpec } from './handoff-spec.ts';

// A pattern that looks back from every character needs minutes for these; the limit of the test is what it fails by.
const size = 1_000_000;
const many = (piece: string, length = size) => piece.repeat(Math.floor(length / piece.length));

test('a task of empty lines', () => {
  expect(assessComplexity(`Rename it${many('\n')}- one\n- two\n`)).toBeDefined();
});

test('hand-overs that never close', () => {
  expect(readHandoffSpec(many('```json:handoff-spec\n', 4 * size))).toBeUndefined();
  const spec = readHandoffSpec('```json:handoff-spec a\n{"summary":"s"}\n   ````  \n```json:handoff-spec\n');
  expect(spec?.summary).toBe('s');
});

test.each([
  ['comments that never close', { tasks: '- [ ] T001 a', spec: `### Edge Cases\n${many('<!--', 2 * size)}` }],
  ['a title of backslashes', { tasks: `- [ ] T001 a ${many('\\')}` }],
])('a feature folder with %s', (_, files) => {
  expect(readSpecKit(files, 'name').outline.tasks).toHaveLength(1);
});
