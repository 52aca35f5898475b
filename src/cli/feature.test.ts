import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { featureDirectory } from '../../test/support/feature-directory.ts';
import { runCommandLine } from '../../test/support/run-command-line.ts';
import { nextId } from '../feature/create.ts';
import { readMeta } from '../feature/meta.ts';
import { parseJson } from '../safe-json.ts';

const project = () => mkdtempSync(path.join(tmpdir(), 'project-'));

test('T-001: ids of three digits, slugs of at most thirty characters', async () => {
  const cwd = project();
  const first = await runCommandLine(
    'feature',
    'new',
    'Search',
    'by tag, and by a great many other things',
    '--cwd',
    cwd,
  );
  expect(first).toMatchObject({
    exit: 0,
    out: `made ${cwd}/docs/features/001-search-by-tag-and-by-a-great\n`,
  });
  const second = await runCommandLine('feature', 'new', 'Sort', '--cwd', cwd, '--json');
  expect(parseJson(second.out, 'stdout')).toMatchObject({ id: '002', slug: 'sort', files: ['.meta.json'] });
  const meta = readMeta(readFileSync(path.join(cwd, 'docs/features/002-sort/.meta.json'), 'utf8'));
  expect(meta).toMatchObject({
    problems: [],
    meta: { id: '002', status: 'active', mode: 'standard', branch: 'feature/002-sort' },
  });
});

test('ids go on from the highest and grow beyond three digits', () => {
  expect([nextId([]), nextId(['007-a', 'notes', '030-b']), nextId(['999-z'])]).toEqual([
    '001',
    '031',
    '1000',
  ]);
});

test('several at once get different ids', async () => {
  const cwd = project();
  const made = await Promise.all(
    ['c', 'a', 'a', 'b'].map((name) => runCommandLine('feature', 'new', name, '--cwd', cwd, '--json')),
  );
  const ids = made.map(({ out }) => (parseJson(out, 'stdout') as { id: string }).id);
  expect(new Set(ids).size).toBe(4);
});

test('T-013, T-014: a PRD is copied and its source kept', async () => {
  const cwd = project();
  writeFileSync(path.join(cwd, 'idea.md'), '# Idea\n');
  await runCommandLine('feature', 'new', 'Search', '--prd', 'idea.md', '--cwd', cwd);
  const directory = path.join(cwd, 'docs/features/001-search');
  expect(readFileSync(path.join(directory, 'prd.md'), 'utf8')).toBe('# Idea\n');
  expect(readMeta(readFileSync(path.join(directory, '.meta.json'), 'utf8')).meta.brainstormSource).toBe(
    'idea.md',
  );
});

test('--dry-run makes nothing', async () => {
  const cwd = project();
  const { out } = await runCommandLine('feature', 'new', 'Search', '--dry-run', '--cwd', cwd);
  expect(out).toBe(`would make ${cwd}/docs/features/001-search\n`);
  expect((await runCommandLine('feature', 'status', '--cwd', cwd)).exit).toBe(4);
});

test.each([
  [['new', '!!!'], 2, 'no letter or digit'],
  [['new'], 2, 'missing required argument'],
  [['new', 'x', '--mode', 'heavy'], 2, 'standard, full, light'],
  [['new', 'x', '--prd', 'gone.md'], 4, 'gone.md'],
  [['status', '--feature', '9'], 4, 'no feature'],
  [[], 2, 'new, specify'],
])('bad input %j: exit %i', async (words, exit, message) => {
  const result = await runCommandLine('feature', ...words, '--cwd', project());
  expect([result.exit, result.out]).toEqual([exit, '']);
  expect(result.err).toContain(message);
});

test('status of one feature and of all', async () => {
  const { root } = featureDirectory({
    meta: '{"status":"active","lastCompletedPhase":"specify","phases":{"specify":{"completed":"t","iterations":4}}}',
  });
  const one = await runCommandLine('feature', 'status', '--feature', '007', '--cwd', root);
  expect(one.out).toContain('  specify       completed, 4 iterations\n');
  expect(one.out).toContain('  design.md     level 1 of 4: design.md has');
  expect(one.out).toContain('Next: design (blocked: spec.md has');
  const all = await runCommandLine('feature', 'status', '--cwd', root);
  expect(all.out).toBe('007-search  active     specify → design\n');
});
