import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../../../test/support/design-project.ts';
import { runCommandLine as run, runWith } from '../../../test/support/run-command-line.ts';

test('M-060, M-068: init creates once and skips the second time with exit 0', async () => {
  const root = projectWith();
  const first = await run('init', '--design', '--cwd', root);
  expect(first).toMatchObject({
    exit: 0,
    err: '',
    out: expect.stringContaining('created .moai/design/spec.md\n'),
  });
  const second = await run('init', '--design', '--cwd', root);
  expect(second).toMatchObject({ exit: 0, out: '', err: expect.stringMatching(/\.moai\/design\/.*skip/) });
});

test('M-066: a reserved name stops init and warns on update', async () => {
  const root = projectWith({ '.moai/design/tokens.json': '{}' });
  expect(await run('init', '--design', '--cwd', root)).toMatchObject({
    exit: 5,
    err: expect.stringContaining('error: reserved filename: .moai/design/tokens.json'),
  });
  expect(await run('init', '--update', '--cwd', root)).toMatchObject({
    exit: 0,
    err: 'warning: reserved filename: .moai/design/tokens.json (preserved; rename to use canonical templates)\n',
  });
  expect(await run('init', '--update', '--strict', '--cwd', root)).toMatchObject({ exit: 5 });
});

test('without a flag it says what there is to set up', async () => {
  expect(await run('init', '--cwd', projectWith())).toMatchObject({
    exit: 2,
    err: expect.stringContaining('--design'),
  });
});

test('--host sets a coding agent up, says what is missing, does it once, and takes it away again', async () => {
  const root = projectWith();
  const first = await run('init', '--host', 'claude,gemini', '--cwd', root);
  expect(first).toMatchObject({ exit: 0, err: expect.stringContaining('`charrette` is not on PATH') });
  expect(first.out).toContain('created .claude/skills/charrette/.claude-plugin/plugin.json\n');
  expect(first.out).toContain('created .gemini/settings.json\n');
  expect(await run('init', '--host', 'claude,gemini', '--cwd', root)).toMatchObject({ exit: 0, out: '' });
  const removed = await run('init', '--host', 'all', '--remove', '--cwd', root);
  expect(removed.out).toContain('removed .gemini/settings.json\n');
  expect(await run('init', '--host', 'vim', '--cwd', root)).toMatchObject({
    exit: 2,
    err: expect.stringContaining('Unknown host "vim"'),
  });
});

test('--host --user keeps its record out of the home directory, also when called in it', async () => {
  const home = projectWith();
  const env = { HOME: home };
  for (const words of [
    ['--user', '--cwd', projectWith()],
    ['--cwd', home],
  ]) {
    expect(await runWith(env, 'init', '--host', 'codex', ...words)).toMatchObject({ exit: 0 });
    expect(existsSync(path.join(home, '.charrette'))).toBe(false);
    expect(existsSync(path.join(home, '.config', 'charrette', 'host-codex.json'))).toBe(true);
    expect(await runWith(env, 'init', '--host', 'codex', '--remove', ...words)).toMatchObject({ exit: 0 });
    expect(existsSync(path.join(home, '.codex'))).toBe(false);
  }
});

test.each(['--user', '--remove'])('%s without --host is refused, whatever else is asked', async (flag) => {
  const root = projectWith();
  for (const more of [[], ['--design'], ['--update']])
    expect(await run('init', flag, ...more, '--cwd', root)).toMatchObject({
      exit: 2,
      err: expect.stringContaining(`${flag} requires --host`),
    });
  expect(readdirSync(root)).toEqual(readdirSync(projectWith()));
});
