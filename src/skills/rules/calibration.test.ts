/** Findings that were false on public packages; each test is named after what broke. */
import { expect, test } from 'vitest';
import { cleanTexts, lintTexts, packageOf } from '../testing.ts';
import { first, replace, skill } from './rule-cases.ts';

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
