import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findBubblewrap, jailedCommand } from './jail.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'jail-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const base = () => ({
  argv: ['/bin/agent', '--flag'],
  program: ['/bin/agent'],
  records: path.join(home, 'code/.charrette'),
  directory: path.join(home, 'code'),
  home: path.join(home, 'code/.lane/home'),
  access: 'read' as const,
  guard: 'disk' as const,
  userHome: home,
  search: '/usr/bin',
  user: 1000,
});

/** Pairs of a bind option and its target, in order; what is the same in every jail of this machine left out. */
function binds(command: string[]): string[] {
  return command
    .flatMap((part, index) =>
      ['--ro-bind', '--bind', '--tmpfs'].includes(part) ? [`${part} ${command[index + 1]}`] : [],
    )
    .filter((bind) => bind !== '--tmpfs /run' && !bind.endsWith('/resolv.conf'));
}

test('read access: root read-only, HOME hidden, the work visible, only the private HOME writable', () => {
  mkdirSync(base().home, { recursive: true });
  expect(binds(jailedCommand('bwrap', base()))).toEqual([
    '--ro-bind /',
    '--tmpfs /tmp',
    `--tmpfs ${home}`,
    `--ro-bind ${home}/code`,
    `--bind ${home}/code/.lane/home`,
  ]);
});

test('write access adds the work directory, and the command comes last, whole', () => {
  mkdirSync(base().home, { recursive: true });
  const command = jailedCommand('bwrap', { ...base(), access: 'write' });
  expect(binds(command)).toContain(`--bind ${home}/code`);
  expect(command.slice(-3)).toEqual(['--', '/bin/agent', '--flag']);
});

test('a writer cannot plant code that git would run outside, nor see or change the record of runs', () => {
  for (const folder of ['code/.git/hooks', 'code/.charrette/prompts', 'code/.lane/home']) {
    mkdirSync(path.join(home, folder), { recursive: true });
  }
  const mounted = binds(jailedCommand('bwrap', { ...base(), access: 'write' }));
  const at = (text: string) => mounted.indexOf(text);
  expect(at(`--ro-bind ${home}/code/.git/hooks`)).toBeGreaterThan(at(`--bind ${home}/code`));
  expect(at(`--tmpfs ${home}/code/.charrette`)).toBeGreaterThan(at(`--bind ${home}/code`));
  expect(at(`--ro-bind ${home}/code/.charrette/prompts`)).toBeGreaterThan(
    at(`--tmpfs ${home}/code/.charrette`),
  );
  expect(at(`--bind ${home}/code/.lane/home`)).toBe(mounted.length - 1);
});

test('a program that lives in HOME stays visible with what it was installed with, its neighbours do not', () => {
  mkdirSync(path.join(home, '.local/bin'), { recursive: true });
  mkdirSync(path.join(home, 'code'));
  const script = path.join(home, '.npm-global/lib/node_modules/agent/cli.js');
  mkdirSync(path.dirname(script), { recursive: true });
  writeFileSync(script, '');
  symlinkSync(script, path.join(home, '.local/bin/agent'));
  const mounted = binds(
    jailedCommand('bwrap', { ...base(), program: [path.join(home, '.local/bin/agent')] }),
  );
  expect(mounted).toContain(`--ro-bind ${home}/.local/bin`);
  expect(mounted).toContain(`--ro-bind ${home}/.npm-global/lib/node_modules`);
  expect(mounted).not.toContain(`--ro-bind ${home}/.local`);
});

test('folders of the work that a program or PATH names stay writable for a writer', () => {
  mkdirSync(path.join(home, 'code/tools'), { recursive: true });
  writeFileSync(path.join(home, 'code/tools/agent.mjs'), '');
  const program = ['/bin/sh', path.join(home, 'code/tools/agent.mjs')];
  const search = path.join(home, 'code/tools');
  const mounted = binds(jailedCommand('bwrap', { ...base(), access: 'write', program, search }));
  expect(mounted.filter((bind) => bind.includes('tools'))).toEqual([]);
});

test('a folder of PATH that is a link in a hidden place is a link there again', () => {
  mkdirSync(path.join(home, 'versions/22/bin'), { recursive: true });
  mkdirSync(path.join(home, 'code'));
  symlinkSync(path.join(home, 'versions/22'), path.join(home, 'current'));
  const command = jailedCommand('bwrap', { ...base(), search: path.join(home, 'current/bin') });
  expect(binds(command)).toContain(`--ro-bind ${home}/versions/22/bin`);
  const at = command.indexOf('--symlink');
  expect(command.slice(at, at + 3)).toEqual(['--symlink', `${home}/versions/22/bin`, `${home}/current/bin`]);
});

test('does not change HOME when working in HOME', () => {
  expect(binds(jailedCommand('bwrap', { ...base(), directory: home }))).not.toContain(`--tmpfs ${home}`);
});

test('no bubblewrap where it is switched off, missing, or not of this system', () => {
  const world = {
    environment: { PATH: home },
    home,
    platform: 'linux',
    architecture: 'x64',
    jail: 'auto',
  } as const;
  expect(findBubblewrap({ ...world, jail: 'off' })).toBeUndefined();
  expect(findBubblewrap({ ...world, platform: 'darwin' })).toBeUndefined();
  expect(findBubblewrap({ ...world, environment: {} })).toBeUndefined();
});

test.each([
  ['fails', 'exit 1'],
  ['prints something else and runs nothing', 'echo hello'],
  ['hangs and ignores SIGTERM', "trap '' TERM\nexec sleep 86400"],
])('a bubblewrap that %s is not used', (_, lines) => {
  const bin = mkdtempSync(path.join(home, 'bin-'));
  writeFileSync(path.join(bin, 'bwrap'), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  const world = { environment: { PATH: bin }, home, platform: 'linux', architecture: 'x64' } as const;
  expect(findBubblewrap({ ...world, jail: 'auto' }, 1000)).toBeUndefined();
});

test('a program of the user: the disk does not change, the work is read-only', () => {
  mkdirSync(base().home, { recursive: true });
  expect(binds(jailedCommand('bwrap', { ...base(), guard: 'project' }))).toEqual([
    '--bind /',
    `--ro-bind ${home}/code`,
    `--bind ${home}/code/.lane/home`,
  ]);
});
