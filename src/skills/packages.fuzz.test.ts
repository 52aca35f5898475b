import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanTexts, lintTexts, packageOf } from '../../test/support/skill-packages.ts';
import { fixPackage } from './fix/fix-package.ts';
import { shippedRoot, shippedSkills } from './install/package-tree.ts';
import { readPackageFiles } from './package-files.ts';

const clean = cleanTexts();

/** Packages that are mutated: a generated one, and those that are shipped. */
const bases = [
  clean,
  ...shippedSkills().map((name) =>
    Object.fromEntries(readPackageFiles(path.join(shippedRoot(), name)).texts.entries()),
  ),
];

const shard = fc.constantFrom(
  '```',
  '~~~',
  '````js',
  '---',
  '# Phase 9: x',
  '### Step 3.1: y',
  '| a | b |\n|---|---|',
  '> **📌 COMPACT SENTINEL [Phase 1: x]**',
  '> **⚠️ CHECKPOINT**',
  'Task({',
  'AskUserQuestion({ questions: [',
  'TodoWrite({todos: [{',
  'workflowPreferences = {',
  'Skill(skill="',
  'Read("phases/',
  '[x](',
  '<!--',
  '-->',
  '`',
  '$ARGUMENTS',
  '<!-- lint-disable HY001 x -->',
  '\u0000',
  '\uFEFF',
  '\r\n',
  '\t',
  '界',
  '🔄',
  '{{',
  '"',
  "'",
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  'if (autoYes) {',
  'phase9 → phase1: x',
  'Skip to Phase 99',
);

const base = fc.constantFrom(...bases);

/** A cut, an insertion or a doubling somewhere in a file of a real-looking package. */
const mutation = fc.record({
  file: fc.double({ min: 0, max: 0.999, noNaN: true }),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(400),
  insert: fc.array(shard, { maxLength: 4 }),
});

type Mutation = { file: number; at: number; length: number; insert: string[] };

function mutate(base: Record<string, string>, mutations: readonly Mutation[]): Record<string, string> {
  const texts = { ...base };
  const files = Object.keys(base);
  for (const { file: which, at, length, insert } of mutations) {
    const file = files[Math.floor(which * files.length)] ?? 'SKILL.md';
    const text = texts[file] ?? '';
    const position = Math.floor(at * text.length);
    texts[file] = text.slice(0, position) + insert.join('\n') + text.slice(position + length);
  }
  return texts;
}

test('no mutation of a package crashes a rule or leads a position out of its file', () => {
  fc.assert(
    fc.property(base, fc.array(mutation, { minLength: 1, maxLength: 5 }), (whole, mutations) => {
      const texts = mutate(whole, mutations);
      for (const { file, line } of lintTexts(texts).findings) {
        const lines = (texts[file] ?? '').split('\n').length;
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines);
      }
    }),
    { numRuns: 200 },
  );
});

test('fixing a mutated package never crashes and comes to rest', () => {
  fc.assert(
    fc.property(base, fc.array(mutation, { minLength: 1, maxLength: 3 }), (whole, mutations) => {
      const texts = mutate(whole, mutations);
      const once = { ...texts, ...Object.fromEntries(fixPackage(packageOf(texts).files, false).texts) };
      const errors = (all: Record<string, string>) =>
        lintTexts(all).findings.filter(({ severity }) => severity === 'error').length;
      expect(errors(once)).toBeLessThanOrEqual(errors(texts) + 1);
    }),
    { numRuns: 60 },
  );
});

test('bad input of every kind is a finding, never a crash', () => {
  const skill = clean['SKILL.md'] ?? '';
  const phase = clean['phases/01-session-init.md'] ?? '';
  const many = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [
      `phases/${String(index + 1).padStart(2, '0')}-x.md`,
      `# Phase ${index + 1}: X\n`,
    ]),
  );
  const cycle = {
    ...clean,
    'phases/01-session-init.md': `${phase}\n\`\`\`js\nRead("phases/02-context-gather.md")\n\`\`\`\n`,
    'phases/02-context-gather.md': `${clean['phases/02-context-gather.md']}\n\`\`\`js\nRead("phases/01-session-init.md")\n\`\`\`\n`,
  };
  for (const texts of [
    { 'SKILL.md': '' },
    { 'SKILL.md': '---' },
    { 'SKILL.md': '---\n' },
    { 'SKILL.md': '\u0000\u0001' },
    { 'SKILL.md': '---\n: : :\n---\n' },
    { 'SKILL.md': `---\n&a [*a]\n---\n${skill}` },
    { 'SKILL.md': skill, ...many },
    cycle,
    { 'SKILL.md': skill.replaceAll('\n', '\r') },
  ]) {
    expect(lintTexts(texts).findings.length).toBeGreaterThan(0);
  }
});

/** Doubling the input must not more than about double the work; a quadratic rule would take four times as long. */
test.each([
  ['calls without end', 'Task({ prompt: `'],
  ['backticks', '` `` ``` '],
  ['one long line of arguments', '$ARGUMENTS.includes("-y") || '],
  ['brackets', '[[[[(((({{{{'],
  ['quotes', `> **CHECKPOINT** "'\n`],
  ['table rows', '| a | b |\n'],
  ['flag tables', '| `--x` | y |\n'],
  ['headings', '### Step 1.1: x\n'],
  ['comments', '<!-- lint-disable HY001 x -->\n'],
  ['preferences', 'workflowPreferences = { a: 1 }\nworkflowPreferences.b\n'],
  [
    'questions',
    'AskUserQuestion({ questions: [{ question: "x", header: "y", options: [{ label: "a" }] }] })\n',
  ],
])(
  '%s: a megabyte is linted in bounded time',
  (_name, unit) => {
    const body = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const texts = {
      ...clean,
      'phases/01-session-init.md': `# Phase 1: Session Init\n\n\`\`\`js\n${body}\n\`\`\`\n\n${body}\n`,
    };
    expect(lintTexts(texts).findings.length).toBeGreaterThan(0);
  },
  20_000,
);
