import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectWith } from '../../../test/support/design-project.ts';
import {
  acknowledgementsFile,
  initDesignFolder,
  isReserved,
  templates,
  updateDesignFolder,
} from './folder.ts';
import { loadDesignContext } from './load.ts';
import { shippedScaffolds } from './placeholder.ts';

const read = (root: string, name: string) => readFileSync(path.join(root, name), 'utf8');
const texts = ({ log }: { log: { text: string }[] }) => log.map(({ text }) => text);
const listing = (root: string) => readdirSync(root, { recursive: true }).map(String).sort();

test('M-060: init creates the documents, the empty folders and the settings', async () => {
  const root = projectWith();
  const report = await initDesignFolder({ root });
  expect(report.created.sort()).toEqual([
    '.moai/config/sections/design.yaml',
    '.moai/design/README.md',
    '.moai/design/research.md',
    '.moai/design/screenshots/.gitkeep',
    '.moai/design/spec.md',
    '.moai/design/system.md',
    '.moai/design/wireframes/.gitkeep',
  ]);
  expect(listing(path.join(root, '.moai/design'))).not.toContain('pencil-plan.md');
  expect(parse(read(root, '.moai/config/sections/design.yaml')).design.design_docs.token_budget).toBe(20_000);
});

test('M-030, M-060: a fresh folder has nothing to load and raises no other word', async () => {
  const root = projectWith();
  await initDesignFolder({ root });
  expect(texts(await loadDesignContext({ root }))).toEqual([
    'skip: spec — _TBD_ only',
    'skip: system — _TBD_ only',
    'skip: research — _TBD_ only',
    'design docs present but all are _TBD_ — no content loaded',
  ]);
});

const sections = {
  'research.md':
    'Research Scope, Competitor Analysis, User Insights, Patterns to Adopt, Anti-Patterns to Avoid, References',
  'system.md':
    'Design Intent, Domain Vocabulary, Craft Principles, Color Tokens, Typography, Spacing / Radius / Shadow, Iconography, Layout Rules, Motion, Keyboard Shortcuts, Accessibility',
  'spec.md':
    'Functional Inventory, Information Architecture, Frame-by-Frame Redesign, New Frames, Empty State Design, Implementation Priority, Acceptance Criteria',
};

test.each(Object.entries(sections))('M-061, M-062: every section of %s has a _TBD_', (name, titles) => {
  const parts = (templates[name] ?? '').split(/^## /m).slice(1);
  expect(parts.map((part) => part.split('\n', 1)[0])).toEqual(titles.split(', '));
  for (const part of parts) expect(part).toContain('_TBD_');
});

test('M-061: as many _TBD_ lines as the scaffolds this folder continues', () => {
  const count = (name: string) =>
    (templates[name] ?? '').split('\n').filter((line) => line.includes('_TBD_')).length;
  expect(['research.md', 'spec.md', 'system.md'].map(count)).toEqual([8, 14, 23]);
});

test('M-063: the README is short and names what is reserved and the order', () => {
  const readme = templates['README.md'] ?? '';
  expect(readme.split('\n').length).toBeLessThan(50);
  for (const needed of [
    'tokens.json',
    'components.json',
    'import-warnings.json',
    'brief/BRIEF-*.md',
    'spec.md > system.md > research.md > pencil-plan.md',
  ]) {
    expect(readme).toContain(needed);
  }
});

test('M-068: a folder with a file is skipped, also when the file lies deeper', async () => {
  for (const name of ['notes.md', 'wireframes/a.png']) {
    const root = projectWith({ [`.moai/design/${name}`]: 'mine' });
    const before = listing(root);
    const report = await initDesignFolder({ root });
    expect(report.log).toMatchObject([
      { level: 'warning', text: expect.stringMatching(/\.moai\/design\/.*skip/) },
    ]);
    expect(listing(root)).toEqual(before);
  }
});

test('M-068: hidden files do not count', async () => {
  const root = projectWith({ '.moai/design/.DS_Store': 'x' });
  expect((await initDesignFolder({ root })).created).toContain('.moai/design/spec.md');
});

test('M-066: on init a reserved name is an error and nothing is written', async () => {
  const root = projectWith({ '.moai/design/brief/BRIEF-LOCAL.md': 'mine' });
  const before = listing(root);
  await expect(initDesignFolder({ root })).rejects.toMatchObject({
    code: 'reserved-name',
    message: 'error: reserved filename: .moai/design/brief/BRIEF-LOCAL.md',
  });
  expect(listing(root)).toEqual(before);
});

test.each(['{', '[]', '{"written": "tokens.json"}', '{"written": [1, "spec.md"]}'])(
  'M-066: a record of an import that is none, or names other files, lets nothing pass: %s',
  async (record) => {
    const files = { 'import-warnings.json': record, 'tokens.json': '{}' };
    const root = projectWith(
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`.moai/design/${name}`, text])),
    );
    await expect(initDesignFolder({ root })).rejects.toMatchObject({ code: 'reserved-name' });
  },
);

test.each([
  ['tokens.json', true],
  ['components.json', true],
  ['import-warnings.json', true],
  ['copy.json', true],
  ['path-selection.json', true],
  ['assets/logo.svg', true],
  ['brief/BRIEF-LOCAL.md', true],
  ['brief/BRIEF-.md', true],
  ['brief/BRIEF-a/b.md', false],
  ['brief/notes.md', false],
  ['wireframes/tokens.json', false],
  ['tokens.json.bak', false],
])('M-065: %s reserved: %s', (name, expected) => {
  expect(isReserved(name)).toBe(expected);
});

test('M-064: update keeps edited files, a changed blank included, and replaces untouched older ones', async () => {
  const root = projectWith();
  await initDesignFolder({ root });
  const edited = `${templates['spec.md']} `;
  writeFileSync(path.join(root, '.moai/design/spec.md'), edited);
  writeFileSync(path.join(root, '.moai/design/research.md'), 'older scaffold\n');
  const shipped = shippedScaffolds['research.md'] as { characters: number; sha256: string }[];
  const sha256 = createHash('sha256').update('older scaffold\n').digest('hex');
  shipped.unshift({ characters: 15, sha256 });
  try {
    expect(await updateDesignFolder({ root })).toMatchObject({
      created: [],
      replaced: ['.moai/design/research.md'],
      kept: ['.moai/design/spec.md'],
    });
  } finally {
    shipped.shift();
  }
  expect(read(root, '.moai/design/spec.md')).toBe(edited);
  expect(read(root, '.moai/design/research.md')).toBe(templates['research.md']);
});

test('update without a folder creates nothing unless asked', async () => {
  const root = projectWith();
  expect(texts(await updateDesignFolder({ root }))).toEqual([
    expect.stringContaining('charrette init --design'),
  ]);
  expect(listing(root)).toEqual([]);
  expect((await updateDesignFolder({ root, create: true })).created).toContain('.moai/design/spec.md');
});

test('M-066, M-067: on update every reserved name is a warning, said once per content', async () => {
  const root = projectWith({ '.moai/design/tokens.json': '{}', '.moai/design/brief/BRIEF-1.md': 'x' });
  const now = () => new Date('2026-01-02T03:04:05Z');
  const first = await updateDesignFolder({ root, now });
  expect(texts(first)).toEqual([
    'reserved filename: .moai/design/brief/BRIEF-1.md (preserved; rename to use canonical templates)',
    'reserved filename: .moai/design/tokens.json (preserved; rename to use canonical templates)',
  ]);
  expect(first.created).toContain('.moai/design/spec.md');
  expect(JSON.parse(read(root, acknowledgementsFile))['.moai/design/tokens.json']).toEqual({
    sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    acknowledged_at: '2026-01-02T03:04:05.000Z',
  });
  expect(texts(await updateDesignFolder({ root }))).toEqual([]);
  expect(texts(await updateDesignFolder({ root, verbose: true }))).toHaveLength(2);
  writeFileSync(path.join(root, '.moai/design/tokens.json'), '{ }');
  expect(texts(await updateDesignFolder({ root }))).toHaveLength(1);
  writeFileSync(path.join(root, acknowledgementsFile), '{broken');
  expect(texts(await updateDesignFolder({ root }))).toHaveLength(2);
  await expect(updateDesignFolder({ root, strict: true })).rejects.toMatchObject({ code: 'reserved-name' });
  expect(read(root, '.moai/design/tokens.json')).toBe('{ }');
});

test('a dry run changes nothing', async () => {
  const root = projectWith();
  expect((await initDesignFolder({ root, dryRun: true })).created).toHaveLength(7);
  expect(listing(root)).toEqual([]);
});

test('does not change an existing settings file', async () => {
  const root = projectWith({ '.moai/config/sections/design.yaml': 'mine: true\n' });
  await initDesignFolder({ root });
  expect(read(root, '.moai/config/sections/design.yaml')).toBe('mine: true\n');
});

test('a link out of the project and a file in the way are refused', async () => {
  const root = projectWith();
  mkdirSync(path.join(root, '.moai'));
  symlinkSync(projectWith(), path.join(root, '.moai/design'));
  await expect(initDesignFolder({ root })).rejects.toMatchObject({ code: 'path-unsafe' });
  await expect(initDesignFolder({ root: projectWith({ '.moai/design': 'x' }) })).rejects.toMatchObject({
    code: 'path-unsafe',
  });
});
