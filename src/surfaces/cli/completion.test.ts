import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { optionalProgram } from '../../../test/support/optional-programs.ts';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { version } from '../../base/version.ts';
import { commands } from '../../main/commands.ts';
import { completionModel, flagWord } from './completion/model.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'charrette-completion-'));

/** Hostile folder names that a cloned repository may contain; none is a run. */
const hostile = [
  '$(>PWNED)',
  '2026$(>PWNED)',
  '2026`>PWNED`',
  '2026;touch PWNED',
  '2026-two\ntouch PWNED',
  '2026:$(touch PWNED)',
  '-2026',
  '2026-Capital',
];

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

/** What a shell offers for each line; it is started once. */
function offers(shell: string, lines: readonly string[]): string[] {
  const driver = path.resolve(import.meta.dirname, '../../..', 'test', 'completion', `candidates.${shell}`);
  const flags = shell === 'zsh' ? ['-f'] : [];
  const shown = execFileSync(shell, [...flags, driver, `./script.${shell}`, ...lines], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  return shown
    .split('==\n')
    .slice(1)
    .map((answer) => answer.replace(/\t.*$/gm, ''));
}

describe.each(['bash', 'fish', 'zsh'] as const)('completion in %s', (shell) => {
  test.skipIf(optionalProgram(shell) === undefined)('offers what fits the line', () => {
    const answers = offers(
      shell,
      cases.map(([line]) => line),
    );
    for (const [index, [line, offered, not]] of cases.entries()) {
      expect(answers[index], line).toMatch(offered);
      // In zsh its own builtins leave out what does not begin with the last word.
      if (shell !== 'zsh' && not !== undefined) expect(answers[index], line).not.toMatch(not);
    }
  });

  test.skipIf(optionalProgram(shell) === undefined)(
    'folder names that are not run ids are neither offered nor executed',
    () => {
      const runs = path.join(folder, '.charrette', 'runs');
      for (const name of hostile) mkdirSync(path.join(runs, name));
      const [dated, any] = offers(shell, ['charrette show 2026', 'charrette runs rm $']);
      for (const name of hostile) rmdirSync(path.join(runs, name));
      expect(existsSync(path.join(folder, 'PWNED'))).toBe(false);
      expect(dated).toMatch(/^20261116-one$/m);
      expect(dated).not.toMatch(/PWNED|Capital|^-2026/m);
      expect(any).not.toMatch(/PWNED/);
    },
  );
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

test('every command answers --version', async () => {
  const { nodes } = await completionModel(commands);
  for (const { path: words } of nodes)
    for (const flag of ['--version', '-V'])
      expect(await runCommandLine(...words, flag), words.join(' ')).toEqual({
        exit: 0,
        out: `${version}\n`,
        err: '',
      });
  expect(JSON.parse((await runCommandLine('cancel', '--version', '--json')).out)).toEqual({ version });
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
