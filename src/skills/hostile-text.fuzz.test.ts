import { expect, test } from 'vitest';
import { cleanTexts, lintTexts, packageOf } from '../../test/support/skill-packages.ts';
import { fixPackage } from './fix/fix-package.ts';
import { parseCondition } from './model/condition.ts';

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
  ['samples of empty lines', withText('SKILL.md', `\`\`\`json\n${many('\n', 190_000)}x\n\`\`\`\n`.repeat(8))],
  ['links to the next phase', { ...clean, [phase]: `# P\n\n## Next Phase\n\n${many('](a')}\n` }],
])('%s without an end', (_, texts) => {
  expect(lintTexts(texts).findings.length).toBeGreaterThan(0);
});

const flowOf = (piece: string) =>
  clean['SKILL.md']?.replace('Phase 3: Conflict', () => `${many(piece, 2 * size)}Phase 3: Conflict`) ?? '';

test.each([
  ['conditions of an unknown variable', 'DF004', flowOf('   └─ Condition: foo >= medium\n')],
  ['inputs and outputs', 'DF002', flowOf('   ├─ Input: late\nPhase 3: x\n   ├─ Output: late\nPhase 2: y\n')],
  [
    'references in fences',
    'RF001',
    `${clean['SKILL.md']}\nRef: phases/a.md\n${many('```md\nRef: phases/a.md\n```\n', 3 * size)}`,
  ],
])('a coordinator of %s', (_, rule, text) => {
  const found = lintTexts({ ...clean, 'SKILL.md': text }).findings.filter((finding) => finding.rule === rule);
  expect(found.length).toBeGreaterThan(0);
});

test('a phase of outputs that no phase uses', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `- **Variable**: \`output${index}\`\n`).join(
    '',
  );
  const unused = Array.from({ length: 100_000 }, (_, index) => `other${index}\n`).join('');
  const texts = { ...clean, [phase]: `# Phase 1: A\n\n## Output\n\n${names}` };
  const { findings } = lintTexts({
    ...texts,
    'phases/02-context-gather.md': `${clean['phases/02-context-gather.md']}\n${unused}output7\n`,
  });
  const found = findings.filter(({ rule, file }) => rule === 'DF003' && file === phase);
  expect(found.length).toBe(99_999);
});

test('a condition of very many operands is refused', () => {
  expect(parseCondition(`${many('a && ')}a`)).toMatchObject({ ok: false, message: 'it is too long' });
});

test('marks of compaction that are fixed', () => {
  const text = `# P\n> **📌 COMPACT SENTINEL [Phase 1: a]** ${many('1')}\n> **CHECKPOINT*${many(' ', 100_000)}x\n`;
  expect(() => fixPackage(packageOf({ ...clean, [phase]: text }).files, false)).not.toThrow();
});

test('many steps and marks that are fixed', () => {
  const steps = many('### Step 1.1: Review\n\n> **CHECKPOINT**\n\n', 1.6 * size);
  const legacy = many('> COMPACT PROTECTION\n\n', 1.6 * size);
  const texts = { ...clean, [phase]: `${clean[phase]}\n${legacy}${steps}` };
  const fixed = fixPackage(packageOf(texts).files, false).texts.get(phase) ?? '';
  expect(fixed).not.toContain('COMPACT PROTECTION');
  expect(fixed).not.toContain('**CHECKPOINT**\n');
});
