import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { featureDirectory } from '../../../test/support/feature-directory.ts';
import { runCommandLine, runOnTerminal } from '../../../test/support/run-command-line.ts';
import { commands } from '../../main/commands.ts';
import { costList, type Spent } from '../../service/costs.ts';
import { columns } from './help.ts';
import { shorten } from './live/fit.ts';
import { renderCosts, shortIds } from './tables.ts';

let project: string;

beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), 'charrette-narrow-'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const widest = (text: string) => Math.max(...text.split('\n').map((line) => [...line].length));

function record(run: string, title: string): void {
  const folder = path.join(project, '.charrette/runs', run);
  mkdirSync(folder, { recursive: true });
  const known = { schemaVersion: 1, run, workflow: 'feature-phase', codeVersion: '1', title, inputs: {} };
  const value = { ...known, status: 'not-accepted', created: '2026-01-01T00:00:00Z' };
  writeFileSync(path.join(folder, 'run.json'), JSON.stringify(value));
}

test.each([['charrette'], ['design'], ['context'], ['runs']])(
  'the help of %s fits 80 columns in whole words',
  async (name) => {
    const words = name === 'charrette' ? ['--help'] : [name, '--help'];
    const { out } = await runOnTerminal(...words);
    expect(widest(out)).toBeLessThanOrEqual(80);
    expect(out.split(/\s+/)).toEqual((await runCommandLine(...words)).out.split(/\s+/));
  },
);

test('--help has everyday commands and flags, --help --all every one', async () => {
  const commandsOf = (text: string) => [...text.matchAll(/^ {2}([a-z][\w-]*) {2}/gm)].map(([, name]) => name);
  const everyday = commandsOf((await runCommandLine('--help')).out);
  const eight = ['design', 'build', 'review', 'run', 'runs', 'show', 'serve', 'doctor'];
  expect(everyday).toEqual(eight.filter((name) => name in commands));
  const all = commandsOf((await runCommandLine('help', '--all')).out);
  expect(all).toEqual(expect.arrayContaining([...everyday, 'lite-plan', 'watch', 'skill', 'mcp']));
  expect(all).not.toContain('run-worker');
  const flagsOf = async (...words: string[]) => {
    const [, own = ''] = /^Flags:\n((?: .*\n)+)/m.exec((await runCommandLine(...words)).out) ?? [];
    return [...own.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag);
  };
  expect(await flagsOf('design', '--help')).toHaveLength(10);
  expect(await flagsOf('design', '--help', '--all')).toContain('--session-env');
  expect(await flagsOf('help', 'design', '--all')).toContain('--quick');
  expect(await flagsOf('skill', 'lint', '--help', '--all')).toContain('--all');
});

test('a long description wraps below itself, and a long name gets a separate line', () => {
  const rows = [
    ['-a', 'one two three four five six'],
    ['--a-very-long-name <value>', 'seven'],
  ] as const;
  expect(columns(rows, 30)).toEqual([
    '  -a  one two three four five',
    '      six',
    '  --a-very-long-name <value>',
    '      seven',
  ]);
  expect(columns(rows)).toHaveLength(2);
});

test('`runs` shows run, status, age, workflow and title at 80 columns; a pipe gets everything', async () => {
  const id = '20260101-000000-let-customers-cancel-an-order-before-it-4f2a90c1';
  record(id, 'let customers cancel an order before it is shipped');
  const { out } = await runOnTerminal('runs', '--cwd', project);
  expect(widest(out)).toBeLessThanOrEqual(80);
  expect(out).toMatch(/^4f2a90c1 +not-accepted +\d+d ago +feature-phase +let customers cancel an order/m);
  expect((await runCommandLine('runs', '--cwd', project)).out).toContain(`${id}  not-accepted`);
  expect((await runOnTerminal('show', '4f2a90c1', '--cwd', project)).out).toContain(id);
});

test('short ids name one run each', () => {
  const ids = ['a-1-aaaa1111', 'a-1-aaaa1111-alone-1', 'b-2-bbbb2222-alone-1', 'short'];
  const short = shortIds(ids);
  expect(short.get('a-1-aaaa1111')).toBe('aaaa1111');
  expect(short.get('short')).toBe('short');
  for (const id of ids) expect(id.endsWith(short.get(id) ?? '')).toBe(true);
  expect(new Set(short.values()).size).toBe(ids.length);
  expect(short.get('b-2-bbbb2222-alone-1')).toBe('2-alone-1');
});

test('`costs` and `tokens report` fit 80 columns; `costs` also fits 60 without wrapping its last column', async () => {
  const call: Spent = {
    v: 1,
    id: '1',
    time: '2026-11-01T10:00:00.000Z',
    phase: '2a',
    task: 'sketch',
    seat: 's',
    agent: 'one',
    family: 'one',
    run: '20260101-000000-let-customers-cancel-an-order-before-it-4f2a90c1',
    command: 'design',
    model: 'a-model-with-a-rather-long-name-20260101',
    durationMs: 1,
    usage: { basis: 'estimated', inputTokens: 12_345_678, cachedInputTokens: 0, outputTokens: 200_000 },
  };
  for (const by of ['day', 'run', 'model'] as const) {
    const narrow = renderCosts(costList([call], by), { width: 79, cut: shorten });
    expect(widest(narrow), narrow).toBeLessThanOrEqual(79);
    expect(narrow).toMatch(/tokens in +tokens out +\$ measured +\$ estimated/);
    for (const width of [69, 59, 49]) {
      const narrower = renderCosts(costList([call], by), { width, cut: shorten });
      expect(widest(narrower), narrower).toBeLessThanOrEqual(width);
      expect(narrower).toMatch(/\$ measured +\$ estimated$/m);
    }
    expect(renderCosts(costList([call], by), { width: 69, cut: shorten })).toContain('tokens in');
  }
  const { root } = featureDirectory();
  const { out } = await runOnTerminal('tokens', 'report', '--cwd', root);
  expect(widest(out), out).toBeLessThanOrEqual(80);
});
