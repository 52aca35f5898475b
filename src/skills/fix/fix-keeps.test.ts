/** What fixes must not take away; each test is named after what was lost. */
import { expect, test } from 'vitest';
import { cleanTexts, lintTexts, packageOf } from '../../../test/support/skill-packages.ts';
import { readFrontmatter } from '../model/frontmatter.ts';
import { fixPackage } from './fix-package.ts';

const first = 'phases/01-session-init.md';
const last = 'phases/04-task-generation.md';
const fixed = (texts: Record<string, string>, unsafe = false): Record<string, string> => ({
  ...texts,
  ...Object.fromEntries(fixPackage(packageOf(texts).files, unsafe).texts),
});
const rules = (texts: Record<string, string>) => lintTexts(texts).findings.map(({ rule }) => rule);
/** The lines that a fix took away. */
const lost = (before = '', after = '') =>
  before.split('\n').filter((line) => !after.split('\n').includes(line));

test('RF006 a Next Phase section of the last phase gets another name and loses its link alone', () => {
  const texts = cleanTexts();
  const rest =
    '\n- Never push without `--safe`.\n\n```bash\nnpm test\n```\n\n### Afterwards\n\nTell the user.\n';
  const link = 'Return to orchestrator, then auto-continue to [Phase 5: Gone](05-gone.md).';
  texts[last] = (texts[last] ?? '').replace(/## Completion[\s\S]*$/, `## Next Phase\n\n${link}\n${rest}`);
  const after = fixed(texts);
  expect(lost(texts[last], after[last])).toEqual(['## Next Phase', link]);
  expect(after[last]).toContain(
    `## Completion\n\nReturn to the orchestrator. The workflow is complete; report the outputs of every phase.\n${rest}`,
  );
  expect(rules(after)).not.toContain('RF006');
});

test('RF006 keeps the text that a last phase has instead of a link', () => {
  const texts = cleanTexts();
  const words = 'Check the limits, then return to [Phase 9](09-none.md) if the user says so.';
  texts[last] = (texts[last] ?? '').replace(/## Completion[\s\S]*$/, `## Next Phase\n\n${words}\n`);
  expect(fixed(texts)[last]?.endsWith(`## Completion\n\n${words}\n`)).toBe(true);
});

test('RF006 a last phase that goes back to an earlier one keeps its section when another phase is fixed', () => {
  const texts = cleanTexts();
  const back = '## Next Phase\n\nGo on to [Phase 1: Session Init](01-session-init.md).\n';
  texts[last] = (texts[last] ?? '').replace(/## Completion[\s\S]*$/, back);
  texts[first] = (texts[first] ?? '').replace(/## Next Phase[\s\S]*$/, '');
  const after = fixed(texts);
  expect(after[first]).toContain('## Next Phase');
  expect(after[last]?.endsWith(back)).toBe(true);
});

test.each([
  'Migrated from the old command runner: always pass `--safe`.',
  'Migrated from the old command runner, so always pass `--safe`.',
  '**Source**: Converted from commands/plan.md. Always pass `--safe`.',
  'Source: commands/plan.md must be read first.',
  'Extracted from the command output: the version (see notes.md).',
])('HY004 S-065 a line with more than its origin is not a provenance note: %s', (line) => {
  const texts = cleanTexts();
  texts[first] = `${texts[first]}\n${line}\n`;
  expect(rules(texts)).not.toContain('HY004');
  expect(fixed(texts)[first]).toContain(line);
});

test.each([
  '**Source**: Converted from commands/plan.md',
  '> 来源: `commands/issue/new.md`',
  '> Source: Fused from `commands/a.md` Phase 1 + `commands/b.md` Phase 1.5',
  '*Migrated from the old /workflow:plan command (commands/workflow/plan.md).*',
  '- Ported from [plan](../../commands/plan.md) on 2026-01-02.',
])('HY004 a line that only says where it comes from is found and goes: %s', (line) => {
  const texts = cleanTexts();
  texts[first] = `${texts[first]}\n${line}\n`;
  expect(rules(texts)).toContain('HY004');
  expect(fixed(texts)[first]).not.toContain(line);
});

test('CP012 S-089 keeps a line that was added to the older marker', () => {
  const texts = cleanTexts();
  const added = '> Never delete the session folder.';
  texts[last] = (texts[last] ?? '').replace(
    /^> \*\*📌[\s\S]*?\n\n/mu,
    `> **⚠️ COMPACT PROTECTION**: never compress this.\n${added}\n\n`,
  );
  const after = fixed(texts);
  expect(after[last]).not.toContain('COMPACT PROTECTION');
  expect(after[last]).toContain(`${added}\n`);
  expect(fixed(after)).toEqual(after);
});

test('CP008 keeps a line that was added to a checkpoint when it is updated', () => {
  const texts = cleanTexts();
  const added = '> 3. The user has said yes.';
  texts[last] = (texts[last] ?? '').replace(
    /(> \*\*⚠️ CHECKPOINT[\s\S]*?)\n> If only sentinel remains[^\n]*\n/u,
    `$1\n${added}\n> If only sentinel remains → \`Read("phases/09-old.md")\` now.\n`,
  );
  expect(texts[last]).toContain('09-old');
  const after = fixed(texts);
  expect(after[last]).toContain(added);
  expect(after[last]).not.toContain('09-old');
  expect(fixed(after)).toEqual(after);
});

test.each([
  ['a blank line in it', 'examples:\n  - /g1 "a"\n\n  - /g1 "b"\n', '`/g1 "a", /g1 "b"`'],
  ['no indentation and a blank line', 'examples:\n- /g1 "a"\n\n- /g1 "c"\n', '`/g1 "a", /g1 "c"`'],
  ['a colon in an item', 'examples:\n  - /g1 "a: b"\n  - "/g1 c"\n', '`/g1 "a: b", /g1 c`'],
  ['all on one line', 'examples: [a, "b"]\n', '`a, b`'],
])('FM009 S-042 a list of examples with %s leaves the frontmatter whole', (_, examples, shown) => {
  const texts = cleanTexts();
  texts['SKILL.md'] = (texts['SKILL.md'] ?? '').replace('allowed-tools: ', `${examples}allowed-tools: `);
  const after = fixed(texts, true);
  const { skill } = packageOf(after);
  if (skill === undefined) throw new Error('no skill');
  const { problem, fields } = readFrontmatter(skill.document);
  expect(problem).toBeUndefined();
  expect([...fields.keys()]).toEqual(['name', 'description', 'allowed-tools']);
  expect(fields.get('allowed-tools')?.value).toBe(
    packageOf(cleanTexts()).skill?.frontmatter.fields.get('allowed-tools')?.value,
  );
  expect(after['SKILL.md']).toContain(`Examples: ${shown}\n`);
});

test.each([
  [
    'a rule further down',
    '\n# Demo\n\nRead the tags first.\n\n- Collect.\n- Group: by label.\n\nNever publish.\n\n---\n',
  ],
  ['text right below', 'Read the tags first.\n\n- Collect.\n  Group: by label.\n\n---\n'],
  ['a list right below', '- Collect.\n- Group: by label.\n\n---\n'],
])('FM007 FM010 frontmatter that is not closed, with %s, takes nothing of the body along', (_, body) => {
  const head = '---\nname: demo-flow\ndescription: Plan: it. Triggers on "demo:flow".\nallowed-tools: ';
  const texts = { 'SKILL.md': `${head}Read(*), Bash(*)\n${body}\n## Style\n\nShort lines.\n` };
  const after = fixed(texts, true);
  expect(after['SKILL.md']).toContain('\nallowed-tools: Read, Bash\n');
  expect(lost(texts['SKILL.md'], after['SKILL.md'])).toEqual([
    'description: Plan: it. Triggers on "demo:flow".',
    'allowed-tools: Read(*), Bash(*)',
  ]);
});

const single = (frontmatter: string) => `---\nname: demo-flow\n${frontmatter}---\n\n# Demo\n\nDoes it.\n`;

test.each([
  ['  - Read(*)\n  - "Write(*)" # for now\n  - Read\n', '  - Read\n  - "Write" # for now\n'],
  ['- Bash(git add:*, git commit:*)\n- Read(*)\n', '- Bash(git add:*, git commit:*)\n- Read\n'],
])('FM007 a list of tools keeps its form: %s', (before, after) => {
  const head = 'description: Use when it is needed.\nallowed-tools:\n';
  const texts = { 'SKILL.md': single(head + before) };
  expect(rules(texts)).toContain('FM007');
  expect(fixed(texts)['SKILL.md']).toBe(single(head + after));
});

test('FM007 a list of tools on one line keeps its form', () => {
  const head = 'description: Use when it is needed.\n';
  const before = single(`${head}allowed-tools: [Read(*), "Bash(git:*)", Read]\n`);
  expect(fixed({ 'SKILL.md': before })['SKILL.md']).toBe(
    single(`${head}allowed-tools: [Read, "Bash(git:*)"]\n`),
  );
});

test('FM005 a description of several lines stays one value', () => {
  const before = single('description: "Plans work.\\n\\nWrites it down."\nallowed-tools: Read\n');
  const after = fixed({ 'SKILL.md': before }, true);
  expect(packageOf(after).description).toBe('Plans work.\n\nWrites it down. Triggers on "demo:flow".');
  expect(rules(after)).not.toContain('FM001');
});

test.each(['\n', '\r\n'])('FM009 S-042 keeps a hint of several lines, or with backticks, verbatim', (end) => {
  const head = 'description: Plans work. Triggers on "demo".\n';
  const keys = 'argument-hint: "[--run `cmd`]"\nexamples: |\n  /demo a\n  /demo b\n';
  const after = fixed({ 'SKILL.md': single(head + keys).replaceAll('\n', end) }, true);
  const notes = 'Arguments:\n\n~~~text\n[--run `cmd`]\n~~~\nExamples:\n\n~~~text\n/demo a\n/demo b\n~~~\n';
  expect(after['SKILL.md']).toBe(`${single(head)}\n## Input Processing\n\n${notes}`.replaceAll('\n', end));
});

test('CP001 only tables that list further phases get a Compact column', () => {
  const texts = cleanTexts();
  const link = (path: string) => `[${path}](${path})`;
  const skill = texts['SKILL.md'] ?? '';
  const rows = [...skill.matchAll(/^\| \d \| \[(phases\/[^\]]+)\].*$/gm)].map((match) => match[1] ?? '');
  const [one = '', two = '', ...others] = rows;
  const tables = [
    `| Document | Purpose |\n|---|---|\n| ${link(one)} | One |\n| ${link(two)} | Two |`,
    `| Document | Purpose |\n|---|---|\n${others.map((path) => `| ${link(path)} | More |`).join('\n')}`,
    `| Trouble | See |\n|---|---|\n| No session | ${link(one)} |`,
  ];
  texts['SKILL.md'] = skill.replace(/^\| Phase \| Document[\s\S]*?\n\n/m, `${tables.join('\n\n')}\n\n`);
  const after = fixed(texts)['SKILL.md'] ?? '';
  expect(after.match(/^\| Document \| Purpose \| Compact \|$/gm)).toHaveLength(2);
  expect(after).toContain(tables[2]);
  for (const row of after.matchAll(/^\| \[phases.*$/gm)) expect(row[0].split('|')).toHaveLength(5);
});

test('RF006 SC005 files without numbers get no order and no placeholder', () => {
  const texts = cleanTexts();
  const named = (file: string, title: string) => {
    texts[`phases/${file}`] = `# ${title}\n\n## Steps\n\nRead.\n`;
  };
  named('PHASE-8-READ.md', 'Phase 8: Read');
  named('PHASE-9-WRITE.md', 'Phase 9: Write');
  named('state-schema.md', 'State Schema');
  const after = fixed(texts);
  expect(after['phases/PHASE-8-READ.md']).toContain('[Phase 9: Write](PHASE-9-WRITE.md)');
  expect(after['phases/PHASE-8-READ.md']).toContain('Mark Phase 8 completed');
  expect(after['phases/state-schema.md']).not.toMatch(/Next Phase|Completion|Phase N/);
});
