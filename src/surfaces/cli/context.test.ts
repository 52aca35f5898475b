import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { projectWith, projectWithDocuments } from '../../../test/support/design-project.ts';
import { runCommandLine as run } from '../../../test/support/run-command-line.ts';
import { parseJson } from '../../base/safe-json.ts';
import { contextCommand } from './context.ts';
import { parseInvocation } from './parse.ts';

test('A-67: the block on stdout, the log on stderr, exit 0', async () => {
  const root = projectWithDocuments({ spec: 'x', system: '_TBD_' });
  expect(await run('context', '--cwd', root)).toEqual({
    exit: 0,
    out: '## Design Context (from .moai/design/)\n\n> source: .moai/design/spec.md\nx\n',
    err: 'design_docs not configured — using defaults\nskip: system — _TBD_ only\n',
  });
});

test('A-59: zero bytes when the gate is closed', async () => {
  const root = projectWithDocuments(
    { spec: 'x' },
    'design:\n  design_docs:\n    auto_load_on_design_command: false\n',
  );
  expect(await run('context', '--auto', '--cwd', root)).toEqual({ exit: 0, out: '', err: '' });
  expect(parseJson((await run('context', '--auto', '--json', '--cwd', root)).out, 'stdout')).toMatchObject({
    outcome: 'gate-closed',
    text: '',
  });
});

test('A-25: --json gives the structured result', async () => {
  const root = projectWithDocuments({ spec: 'x' });
  const { out } = await run('context', '--json', '--cwd', root);
  expect(parseJson(out, 'stdout')).toMatchObject({
    outcome: 'loaded',
    dir: '.moai/design',
    files: [{ token: 'spec', state: 'whole', characters: 1, estimateTenths: 11, offset: 1 }, {}, {}, {}],
    log: [{ level: 'info', text: 'design_docs not configured — using defaults' }],
  });
});

test.each([
  ['--budget', '-5'],
  ['--budget', '1.5'],
  ['--budget', '0'],
  ['--budget', 'many'],
  ['--dir', 'https://example.com/x'],
  ['--dir', ''],
  ['--overflow', 'other'],
  ['--nonsense', 'x'],
])('A-67: %s %j is wrong usage', async (flag, value) => {
  const { exit, out, err } = await run('context', flag, value, '--cwd', projectWith());
  expect({ exit, out }).toEqual({ exit: 2, out: '' });
  expect(err).toMatch(/^charrette: /);
});

test('exits 4 when the project folder does not exist', async () => {
  expect(await run('context', '--cwd', '/nonexistent-folder')).toMatchObject({ exit: 4, out: '' });
});

test('--quiet keeps warnings, --verbose adds a line per document, --explain draws', async () => {
  const root = projectWithDocuments({ spec: 'x' }, 'design_docs: {token_budget: -1}');
  expect((await run('context', '--quiet', '--cwd', root)).err).toMatch(/^warning: token_budget -1 [^\n]*\n$/);
  expect((await run('context', '--verbose', '--cwd', root)).err).toContain('\nspec: whole\nsystem: absent\n');
  expect((await run('context', '--explain', '--cwd', root)).out).toContain('█');
});

test('a bare command is read as one with a flag that says nothing new', () => {
  const terminal = {
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  };
  const found = { spec: contextCommand, name: 'charrette context', summary: '' };
  const bare = parseInvocation({ ...found, words: [] }, terminal);
  const full = parseInvocation({ ...found, words: ['--output', 'text'] }, terminal);
  expect(bare).toMatchObject({ kind: 'run', arguments: [], global: 'global' in full ? full.global : {} });
});

test.each(['--explain', '--exact'])('%s with --for is rejected, not ignored', async (flag) => {
  const { exit, out, err } = await run(
    'context',
    '--for',
    'plan',
    flag,
    '--cwd',
    projectWithDocuments({ spec: 'x' }),
  );
  expect([exit, out, err]).toEqual([2, '', expect.stringContaining('cannot be combined with --for')]);
});

test('finds the documents of the project from a sub-folder, but not beyond the repository', async () => {
  const outer = mkdtempSync(path.join(tmpdir(), 'charrette-nested-'));
  onTestFinished(() => rmSync(outer, { recursive: true, force: true }));
  const spec = (folder: string, text: string) => {
    mkdirSync(path.join(folder, '.moai', 'design'), { recursive: true });
    writeFileSync(path.join(folder, '.moai', 'design', 'spec.md'), `# Spec\n\n${text}\n`);
  };
  const shop = path.join(outer, 'shop');
  const deep = path.join(shop, 'src', 'orders');
  mkdirSync(deep, { recursive: true });
  mkdirSync(path.join(shop, '.git'));
  spec(outer, 'From outside.');
  expect((await run('context', '--cwd', deep)).out).not.toContain('From outside.');
  spec(shop, 'Orders have limits.');
  for (const flags of [[], ['--for', 'plan']])
    expect((await run('context', '--cwd', deep, ...flags)).out).toContain('Orders have limits.');
});
