/** Findings that were false on public packages; each test is named after what broke. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { first, replace, skill } from '../../../test/rule-cases/mutations.ts';
import { cleanTexts, lintTexts, packageOf } from '../../../test/support/skill-packages.ts';
import { lintPackages, quietSurroundings } from '../lint/engine.ts';
import { readTriggers } from '../model/identity.ts';
import { findPackages } from '../package-files.ts';

const rulesOf = (texts: Record<string, string>) =>
  lintTexts(texts).findings.map(({ rule, message }) => `${rule} ${message}`);

test('SC001 a heading that joins two subjects is the section on each of them; a longer subject is another section', () => {
  const texts = cleanTexts();
  replace(skill, '## Error Handling', '## Error Handling & Recovery')(texts);
  replace(skill, '## Architecture Overview', '## Architecture')(texts);
  replace(skill, '## Core Rules', '## Core Rules and Limits')(texts);
  expect(rulesOf(texts)).toEqual([]);
  replace(skill, '## Error Handling & Recovery', '## Error Handling Examples')(texts);
  expect(rulesOf(texts)).toEqual([expect.stringContaining('SC001 The required section "Error Handling"')]);
});

const byMode = (header: string, rows: string[]) => ({
  [skill]: `---\nname: demo\ndescription: Does things. Triggers on "demo".\nallowed-tools: Read\n---\n\n# Demo\n\n## Architecture\n\nOne.\n\n## Execution Flow\n\n${header}\n|---|---|---|\n${rows.join('\n')}\n`,
  'phases/01-module.md': '# Phase 1: Module\n',
  'phases/02-session.md': '# Phase 2: Session\n',
});

test('SC001 SC004 a table from modes or routes to phases makes a router, with or without triggers and preferences', () => {
  const mode = byMode('| Input | Detected Mode | Phase Doc |', [
    '| `src/**` | module | phases/01-module.md |',
    '| empty | session | phases/02-session.md |',
  ]);
  const route = byMode('| Signal | Route | Example |', [
    '| path | → module | x |',
    '| nothing | → session | y |',
  ]);
  for (const texts of [mode, route]) {
    expect(packageOf(texts, 'demo').profile).toBe('router');
    expect(rulesOf(texts).filter((entry) => /^SC00[14]/.test(entry))).toEqual([]);
  }
  const table = byMode('| Phase | Document | Mode |', [
    '| 1 | phases/01-module.md | plan |',
    '| 2 | phases/02-session.md | plan |',
  ]);
  expect(packageOf(table, 'demo').profile).toBe('pipeline');
});

test('ST002 ST003 ST004 a half phase written with hyphens is one finding, not a second phase of its number', () => {
  const texts = cleanTexts();
  texts['phases/01-5-clarify.md'] = '# Phase 1.5: Clarify\n';
  const found = rulesOf(texts).filter((entry) => /^ST00[234]/.test(entry));
  expect(found).toEqual([expect.stringMatching(/^ST002 01-5-clarify\.md is not named/)]);
});

test('RF001 links of a fragment without frontmatter are not judged; those of a package are', () => {
  const link = 'See [the template](assets/a.json).\n';
  expect(rulesOf({ [skill]: `<!-- part -->\n\n${link}` }).filter((entry) => entry.startsWith('RF'))).toEqual(
    [],
  );
  const texts = cleanTexts();
  texts[first] = `${texts[first]}\n${link}`;
  expect(rulesOf(texts)).toEqual([expect.stringContaining('RF001 assets/a.json does not exist')]);
});

test('S-041 XP001 a forgotten quote does not make a trigger of the comma between two phrases', () => {
  expect(
    readTriggers('Plans. Triggers on: "make a plan", quarterly plan", "roadmap", "어때?", "next".'),
  ).toEqual(['make a plan', 'roadmap', '어때?', 'next']);
  expect(readTriggers('A "trigger" word. Use on "ship it","merge it" or “done”.')).toEqual([
    'ship it',
    'merge it',
    'done',
  ]);
});

test('XP001 a command in two packages is an error, a phrase a warning', () => {
  const severities = (trigger: string) => {
    const packages = ['one-flow', 'two-flow'].map((name) =>
      packageOf(
        {
          [skill]: `---\nname: ${name}\ndescription: Does it when asked. Triggers on "${trigger}".\n---\n\n# It\n`,
        },
        name,
      ),
    );
    return lintPackages(packages, () => quietSurroundings, true).packages.flatMap(({ findings }) =>
      findings.filter(({ rule }) => rule === 'XP001').map(({ severity }) => severity),
    );
  };
  expect(severities('workflow:plan')).toEqual(['error']);
  expect(severities('/plan')).toEqual(['error']);
  expect(severities('risk assessment')).toEqual(['warning']);
});

test('RF001 an interval written like a link and a link marked as bad are not dead references', () => {
  const texts = cleanTexts();
  texts[first] =
    `${texts[first]}\ncount=3 -> [0,2,4](MON/WED/FRI), count=1 -> [0](MON)\n\n- Bad: "See [Memory](./src/memory.ts)"\n`;
  expect(rulesOf(texts)).toEqual([]);
  for (const link of ['[a](references)', '[b](references/guide)', '[c](Guide.md)', '[d](./Notes)']) {
    const broken = cleanTexts();
    broken[first] = `${broken[first]}\n${link}\n`;
    expect(rulesOf(broken), link).toEqual([expect.stringContaining('RF001')]);
  }
});

test('SC001 the rules, the flow and the errors are found under their other usual names', () => {
  const texts = cleanTexts();
  replace(skill, '## Core Rules', '## Core Principles')(texts);
  replace(skill, '## Error Handling', '## Error Recovery')(texts);
  expect(rulesOf(texts).filter((entry) => entry.startsWith('SC001'))).toEqual([]);
});

test('FM001 FM010 two bracket groups after a key want quotes; a name that is not text is shown verbatim', () => {
  const head = (lines: string) => ({
    [skill]: `---\n${lines}\ndescription: Plans when asked.\n---\n\n# Demo\n`,
  });
  const hint = rulesOf(head('name: demo\nargument-hint: [--mode a|b] [task]'));
  expect(hint.filter((entry) => /^FM0(?:01|10)/.test(entry))).toEqual([
    expect.stringContaining('FM010 The value of argument-hint needs quotes.'),
  ]);
  expect(rulesOf(head('name: [TODO: name]')).join()).toContain('{\\"TODO\\":\\"name\\"}');
});

test('a SKILL.md among the material of a package is a sample, elsewhere a package', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'charrette-samples-'));
  const folders = [
    'maker',
    'maker/assets/one',
    'maker/sub',
    'examples/real',
    'test/fixtures/bad',
    'a/_template',
    'b/test',
    'c/tests/data',
    '.maker.backup-20260101-120000',
  ];
  for (const folder of folders) {
    mkdirSync(path.join(root, folder), { recursive: true });
    writeFileSync(path.join(root, folder, 'SKILL.md'), '---\nname: x\n---\n');
  }
  const found = findPackages(root).map((directory) => path.relative(root, directory));
  expect(found).toEqual(['b/test', 'examples/real', 'maker', 'maker/sub']);
  expect(findPackages(path.join(root, 'test/fixtures'))).toHaveLength(1);
});

test('DF005 the end of a placeholder is not a comparison, on its line or over the next', () => {
  const found = (line: string) => {
    const texts = cleanTexts();
    texts[first] = `${texts[first]}\n\`\`\`\n${line}\n\`\`\`\n`;
    return rulesOf(texts).filter((entry) => entry.startsWith('DF005'));
  };
  expect(found('Weak: <residuals, or "none">\nLive: yes')).toEqual([]);
  expect(found('Weak: <residuals, or "none"> (verified)')).toEqual([]);
  expect(found('if ("high" > risk) stop()')).toHaveLength(1);
  expect(found("if (risk >= 'medium') stop()")).toHaveLength(1);
});

test('ST002 SC001 RF002 RF003 a folder phases/ of documents without numbers that nothing lists is not judged as a pipeline', () => {
  const text = (body: string) =>
    `---\nname: demo\ndescription: Does things when asked. Triggers on "demo".\n---\n\n# Demo\n\n${body}\n`;
  const chosen = '| Choice | Then |\n|---|---|\n| go on | read `phases/{chosen}.md` |';
  const others = { 'phases/cto.md': '# CTO\n', 'phases/ceo.md': '# CEO\n' };
  const foreign = { [skill]: text(chosen), ...others };
  expect(packageOf(foreign, 'demo').profile).toBe('single');
  expect(lintTexts(foreign, 'demo').findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const table = '| Phase | Document |\n|---|---|\n| 1 | phases/cto.md |\n| 2 | phases/ceo.md |';
  const listed = { [skill]: text(table), ...others };
  expect(packageOf(listed, 'demo').profile).toBe('pipeline');
  expect(lintTexts(listed, 'demo').findings.map(({ rule }) => rule)).toContain('ST002');
});

test('RF001 a file of which the text says that it may not exist yet is made at run time', () => {
  const texts = cleanTexts();
  const links =
    'Read [the profile](references/taste.md) first.\n\nIf [it](references/taste.md) does not exist, ask.';
  texts[first] = `${texts[first]}\n${links}\n`;
  expect(rulesOf(texts)).toEqual([]);
});
