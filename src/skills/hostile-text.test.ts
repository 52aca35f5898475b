import { expect, test } from 'vitest';
import { fixPackage } from './fix/fix-package.ts';
import { cleanTexts, lintTexts, packageOf } from './testing.ts';

// A pattern that looks back from every character needs minutes for these; the limit of the test is what it fails by.
const size = 1_000_000;
const many = (piece: string, length = size) => piece.repeat(Math.floor(length / piece.length));

const phase = 'phases/01-session-init.md';
const clean = cleanTexts();
const withText = (file: string, text: string) => ({ ...clean, [file]: `${clean[file]}\n${text}\n` });

test.each([
  ['names of phases', withText('SKILL.md', many('phases/', 2 * size))],
  ['a list of todos', withText('SKILL.md', `\`\`\`js\nTodoWrite({ todos: x${many(' }')}x })\n\`\`\``)],
  [
    'a label',
    withText(
      'SKILL.md',
      `\`\`\`js\nAskUserQuestion({ questions: [{ question: "a", header: "b", options: [{ label: "a${many(' ')}b" }] }] })\n\`\`\``,
    ),
  ],
  ['a sentinel', { ...clean, [phase]: `# P\n> **📌 COMPACT SENTINEL [Phase 1: a]** ${many('1')}\n` }],
  ['links to the next phase', { ...clean, [phase]: `# P\n\n## Next Phase\n\n${many('](a')}\n` }],
])('%s without an end', (_, texts) => {
  expect(lintTexts(texts).findings.length).toBeGreaterThan(0);
});

test('marks of compaction that are mended', () => {
  const text = `# P\n> **📌 COMPACT SENTINEL [Phase 1: a]** ${many('1')}\n> **CHECKPOINT*${many(' ', 100_000)}x\n`;
  expect(() => fixPackage(packageOf({ ...clean, [phase]: text }).files, false)).not.toThrow();
});
