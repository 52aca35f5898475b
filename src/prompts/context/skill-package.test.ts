import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { outline, sectionBody } from '../../base/markdown/sections.ts';
import { readFrontMatter } from '../../base/text/frontmatter.ts';
import { blockHeader, logLines } from './defaults.ts';

const folder = path.resolve(import.meta.dirname, '../../../skills/moai-workflow-design-context');
const skill = readFileSync(path.join(folder, 'SKILL.md'), 'utf8');
const workflow = readFileSync(path.join(folder, 'workflows/design.md'), 'utf8');

test('M-052: the front matter of the skill', () => {
  const { data, problems } = readFrontMatter(skill);
  expect(problems).toEqual([]);
  expect(data).toMatchObject({
    name: 'moai-workflow-design-context',
    'allowed-tools': 'Read, Grep, Glob',
    'user-invocable': false,
    version: '1.0.0',
  });
  expect(data).toHaveProperty('triggers');
  expect(String(data['description']).trim().length).toBeLessThanOrEqual(250);
});

test('M-048, M-052: the skill quotes the lines of the program to the letter', () => {
  for (const line of [
    logLines.notConfigured,
    logLines.notInitialized,
    logLines.allPlaceholders,
    blockHeader,
  ]) {
    expect(skill).toContain(line);
  }
  expect(skill).toContain(logLines.skipped('<token>'));
});

test('M-017, M-050: phase B2.5 is between B2 and B3', () => {
  expect(outline(workflow).map(({ title }) => title.split(':', 1)[0])).toEqual([
    'Designing in code (path B)',
    'Phase B1',
    'Phase B2',
    'Phase B2.5',
    'Phase B3',
    'Phase B4',
    'Phase B5',
  ]);
  expect(workflow).toContain('### Phase B2.5: Load .moai/design/ Context\n');
});

test('M-051: its seven steps in order', () => {
  const phase = outline(workflow).find(({ title }) => title.startsWith('Phase B2.5'));
  const steps = (phase === undefined ? '' : sectionBody(workflow, phase)).match(/^\d\. .*$/gm) ?? [];
  const marks = ['exists', 'auto_load', 'README.md', 'dir=".moai/design"', 'Receive', 'Prepend', 'B3'];
  expect(steps).toHaveLength(7);
  for (const [index, mark] of marks.entries()) expect(steps[index]).toContain(mark);
});
