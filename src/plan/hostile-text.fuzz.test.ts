import { expect, test } from 'vitest';
import type { RepositoryIndex } from '../repo/index/repository-index.ts';
import { groundCommands } from './grounding/files.ts';
import { subjectOfText } from './grounding/subject.ts';
import { insertIssue, readPlan } from './plan-text.ts';

// A pattern that looks back from every character needs minutes for these; the limit of the test is what it fails by.
const size = 1_000_000;
const many = (piece: string, length = size) => piece.repeat(Math.floor(length / piece.length));

test('a file of a plan without an end', () => {
  for (const name of [many('.'), many('a.('), many('a')]) {
    const plan = `## Approach\n\nx\n\n## Files to modify/create\n\n- ${name} src/a.ts: change it\n`;
    expect(() => readPlan(plan)).not.toThrow();
  }
});

test('commands in a fence that never closes', () => {
  expect(subjectOfText(`## Verification\n\`\`\`\n${many('\n', 2 * size)}x`)).toBeDefined();
});

test('a Makefile with a line of blanks', () => {
  const text = `build${many(' ')}x\ntest: build\n`;
  const index = { files: [{ path: 'Makefile', file: { text } }], byPath: new Map() };
  const [fact] = groundCommands(index as unknown as RepositoryIndex, ['make test'], { onPath: () => true });
  expect(fact).toMatchObject({ result: 'found' });
});

test('a log of empty lines', () => {
  expect(insertIssue(`a${many('\n')}b`, 'Warnings', 'late')).toMatch(/b\n\n### Warnings\n\n- late\n$/);
});
