import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../test/support/run-command-line.ts';
import { commands } from './commands.ts';
import { completionModel, flagWord } from './completion/model.ts';

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;
const folder = mkdtempSync(path.join(tmpdir(), 'charrette-completion-'));

beforeAll(async () => {
  mkdirSync(path.join(folder, '.charrette', 'runs', '20261116-one'), { recursive: true });
  mkdirSync(path.join(folder, 'folder'));
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { exit, out } = await runCommandLine('completion', shell);
    expect(exit).toBe(0);
    writeFileSync(path.join(folder, `script.${shell}`), out);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What each line offers, the last word being the one under the cursor. */
const cases: readonly (readonly [line: string, offered: RegExp, notOffered?: RegExp])[] = [
  ['charrette de', /^design$/m, /^doctor$/m],
  ['charrette skill l', /^lint$/m, /^lite-plan$/m],
  ['charrette design --dep', /^--depth$/m],
  ['charrette design --depth q', /^quick$/m, /^solo$/m],
  ['charrette --json runs pr', /^prune$/m],
  ['charrette show 2026', /^20261116-one$/m],
  ['charrette runs --out', /^--output$/m],
  ['charrette runs --output st', /^stream-json$/m],
  ['charrette import --dry', /^--dry-run$/m],
  ['charrette serve --', /^--json$/m, /^--dry-run$/m],
  ['charrette costs --cwd fol', /^folder\/?$/m],
];

/** Each shell is started once and answers all lines. `filters`: it leaves out what does not begin with the last word. */
function check(shell: string, flags: readonly string[], filters: boolean): void {
  const driver = path.resolve(import.meta.dirname, '..', '..', 'test', 'completion', `candidates.${shell}`);
  const shown = execFileSync(shell, [...flags, driver, `./script.${shell}`, ...cases.map(([line]) => line)], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  const answers = shown.split('==\n').slice(1);
  for (const [index, [line, offered, not]] of cases.entries()) {
    const words = (answers[index] ?? '').replace(/\t.*$/gm, '');
    expect(words, line).toMatch(offered);
    if (filters && not !== undefined) expect(words, line).not.toMatch(not);
  }
}

describe('completion in real shells', () => {
  test('bash', () => check('bash', [], true));
  test.skipIf(!has('fish'))('fish', () => check('fish', [], true));
  test.skipIf(!has('zsh'))('zsh', () => check('zsh', ['-f'], false));
});

test('flags are read from their notation', () => {
  const read = (flags: string, description = '') => flagWord({ flags, description });
  expect(read('-q, --quiet')).toMatchObject({ names: ['-q', '--quiet'], value: { kind: 'none' } });
  expect(read('--cwd <dir>')).toMatchObject({ names: ['--cwd'], value: { kind: 'directory' } });
  expect(read('--answers <file>')).toMatchObject({ value: { kind: 'file' } });
  expect(read('--no-branch')).toMatchObject({ names: ['--no-branch'], value: { kind: 'none' } });
  expect(read('--step-prefix <prefix>')).toMatchObject({
    names: ['--step-prefix'],
    value: { kind: 'anything' },
  });
});

test('the help of every command begins with examples that name it', async () => {
  const { nodes } = await completionModel(commands);
  for (const { path: words } of nodes) {
    const { exit, out } = await runCommandLine(...words, '--help');
    const name = ['charrette', ...words].join(' ');
    expect(exit, name).toBe(0);
    const [, second, third] = out.split('\n');
    expect([second, third], name).toEqual(['', 'Examples:']);
    const examples = out.slice(out.indexOf('Examples:'), out.indexOf('Usage:'));
    expect(examples, name).toContain(name);
  }
});
