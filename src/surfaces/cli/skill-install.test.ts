import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { parseJson } from '../../base/safe-json.ts';

let cwd: string;
const at = (...parts: string[]) => path.join(cwd, ...parts);
const run = (...words: string[]) => runCommandLine('skill', ...words, '--cwd', cwd);
const error = async (...words: string[]) =>
  (parseJson((await run(...words, '--json')).out, 'stdout') as { error?: { code: string; message: string } })
    .error;

beforeEach(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'charrette-skill-install-'));
  await run('new', 'rc', '-y', '--phases', 'Collect, Judge, Report', '--out', 'src');
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const long = `references/${'a'.repeat(90)}/${'b'.repeat(60)}`;

test('pack keeps paths of any length, one file each, and the same bytes every time', async () => {
  mkdirSync(at('src/rc', long), { recursive: true });
  writeFileSync(at('src/rc', long, 'one — ü.md'), 'one\n');
  writeFileSync(at('src/rc', long, 'two.md'), 'two\n');
  expect((await run('pack', 'src/rc', '--to', '1.tar.gz')).exit).toBe(0);
  expect((await run('pack', 'src/rc', '--to', '2.tar.gz')).exit).toBe(0);
  expect(readFileSync(at('1.tar.gz')).equals(readFileSync(at('2.tar.gz')))).toBe(true);
  execFileSync('tar', ['-xzf', at('1.tar.gz'), '-C', cwd]);
  expect(readFileSync(at('rc', long, 'one — ü.md'), 'utf8')).toBe('one\n');
  expect(readFileSync(at('rc', long, 'two.md'), 'utf8')).toBe('two\n');
});

/** A package with a script, a link inside, and a dot-file. */
function furnish(): void {
  mkdirSync(at('src/rc/references'));
  mkdirSync(at('src/rc/scripts'));
  writeFileSync(at('src/rc/references/real.md'), 'real\n');
  symlinkSync('real.md', at('src/rc/references/shared.md'));
  symlinkSync('references', at('src/rc/linked'));
  writeFileSync(at('src/rc/scripts/go.sh'), '#!/bin/sh\n');
  chmodSync(at('src/rc/scripts/go.sh'), 0o755);
  writeFileSync(at('src/rc/.env.example'), 'A=\n');
  const skill = readFileSync(at('src/rc/SKILL.md'), 'utf8');
  writeFileSync(at('src/rc/SKILL.md'), `${skill}\nRead [it](references/shared.md).\n`);
}

test('what is installed and packed is what was linted: modes and links stay, what is left out is named', async () => {
  furnish();
  const installed = await run('install', 'src/rc', '--root', 'skills');
  expect(installed.out).toContain('left out: .env.example');
  const packed = await run('pack', 'src/rc', '--to', 'rc.tar.gz');
  expect(packed.out).toContain('left out: .env.example');
  execFileSync('tar', ['-xzf', at('rc.tar.gz'), '-C', cwd]);
  for (const place of ['skills/rc', 'rc']) {
    expect(statSync(at(place, 'scripts/go.sh')).mode & 0o111, place).toBe(0o111);
    expect(statSync(at(place, 'SKILL.md')).mode & 0o111, place).toBe(0);
    for (const file of ['references/shared.md', 'linked/real.md']) {
      expect(readFileSync(at(place, file), 'utf8'), place).toBe('real\n');
      expect(lstatSync(at(place, file)).isSymbolicLink(), place).toBe(false);
    }
    expect((await run('lint', place)).exit, place).toBe((await run('lint', 'src/rc')).exit);
  }
  // A file that lost its mode gets it back.
  chmodSync(at('skills/rc/scripts/go.sh'), 0o644);
  const again = await run('install', 'src/rc', '--root', 'skills', '--json');
  expect(parseJson(again.out, 'stdout')).toMatchObject({ skills: [{ written: ['scripts/go.sh'] }] });
  expect(statSync(at('skills/rc/scripts/go.sh')).mode & 0o111).toBe(0o111);
});

test('a package that needs a file that is left out is refused before it is installed', async () => {
  furnish();
  const skill = readFileSync(at('src/rc/SKILL.md'), 'utf8');
  mkdirSync(at('src/rc/references/.samples'));
  writeFileSync(at('src/rc/references/.samples/one.md'), 'one\n');
  writeFileSync(at('src/rc/SKILL.md'), `${skill}\nCopy [the sample](references/.samples/one.md).\n`);
  expect((await run('lint', 'src/rc')).exit).not.toBe(1);
  for (const words of [
    ['install', 'src/rc', '--root', 'skills'],
    ['pack', 'src/rc'],
  ]) {
    expect(await error(...words)).toMatchObject({
      code: 'lint-errors',
      message: expect.stringMatching(/RF001.*one\.md(?:.|\n)*left out: \.env\.example, linked/),
    });
  }
  expect(existsSync(at('skills'))).toBe(false);
});

test.each([
  ['a link that leads out', '../../outside.md', 'references/strange.md'],
  ['a link that leads nowhere', 'nothing.md', 'references/strange.md'],
  ['a folder that holds itself', '..', 'references/strange'],
])('%s is refused by name', async (_, target, link) => {
  furnish();
  writeFileSync(at('outside.md'), 'secret\n');
  symlinkSync(target === '../../outside.md' ? `../${target}` : target, at('src/rc', link));
  for (const words of [
    ['install', 'src/rc', '--root', 'skills', '--force'],
    ['pack', 'src/rc', '--force'],
  ])
    expect(await error(...words)).toMatchObject({
      code: 'path-unsafe',
      message: expect.stringContaining(path.basename(link)),
    });
  expect(existsSync(at('skills'))).toBe(false);
});

test('uninstall removes the folders that install made and no other', async () => {
  mkdirSync(at('e/proj'), { recursive: true });
  for (const root of ['e/proj/skills', 'e/proj']) {
    await run('install', 'src/rc', '--root', root);
    expect((await run('uninstall', 'rc', '--root', root)).exit).toBe(0);
    expect(readdirSync(at('e/proj'))).toEqual([]);
  }
  await run('install', 'src/rc');
  mkdirSync(at('src/two'));
  cpSync(at('src/rc'), at('src/two'), { recursive: true });
  await run('install', 'src/two', '--force');
  await run('uninstall', 'rc');
  await run('uninstall', 'two');
  expect(existsSync(at('.claude'))).toBe(false);
});

test('a place that is a link is neither written nor emptied through it', async () => {
  mkdirSync(at('outside'));
  mkdirSync(at('skills'));
  symlinkSync('../outside', at('skills/rc'));
  expect(await error('install', 'src/rc', '--root', 'skills', '--force')).toMatchObject({
    code: 'path-unsafe',
  });
  expect(readdirSync(at('outside'))).toEqual([]);
  rmSync(at('skills/rc'));
  await run('install', 'src/rc', '--root', 'skills');
  cpSync(at('skills/rc'), at('outside'), { recursive: true });
  rmSync(at('skills/rc'), { recursive: true });
  symlinkSync('../outside', at('skills/rc'));
  expect(await error('uninstall', 'rc', '--root', 'skills')).toMatchObject({ code: 'path-unsafe' });
  expect(existsSync(at('outside/SKILL.md'))).toBe(true);
});

test('an install that cannot be finished does not begin', async () => {
  mkdirSync(at('outside'));
  mkdirSync(at('linked/rc'), { recursive: true });
  symlinkSync('../../outside', at('linked/rc/phases'));
  mkdirSync(at('folder/rc/SKILL.md'), { recursive: true });
  mkdirSync(at('file/rc'), { recursive: true });
  writeFileSync(at('file/rc/phases'), 'mine\n');
  for (const [root, code] of [
    ['linked', 'path-unsafe'],
    ['folder', 'would-overwrite'],
    ['file', 'would-overwrite'],
  ] as const) {
    const before = readdirSync(at(root), { recursive: true });
    for (const force of [[], ['--force']])
      expect(await error('install', 'src/rc', '--root', root, ...force), root).toMatchObject({ code });
    expect(readdirSync(at(root), { recursive: true }), root).toEqual(before);
  }
});

test('a new package that cannot be finished does not begin either', async () => {
  mkdirSync(at('outside'));
  mkdirSync(at('linked/rc'), { recursive: true });
  symlinkSync('../../outside', at('linked/rc/phases'));
  mkdirSync(at('folder/rc/SKILL.md'), { recursive: true });
  for (const [root, code] of [
    ['linked', 'path-unsafe'],
    ['folder', 'would-overwrite'],
  ] as const) {
    const before = readdirSync(at(root), { recursive: true });
    expect(await error('new', 'rc', '-y', '--out', root, '--force'), root).toMatchObject({ code });
    expect(readdirSync(at(root), { recursive: true }), root).toEqual(before);
  }
});

test('names that every object has are names like others', async () => {
  for (const name of ['constructor', 'toString', '__proto__'])
    expect(await error('uninstall', name, '--root', 'skills'), name).toMatchObject({ code: 'not-found' });
  cpSync(at('src/rc'), at('src/constructor'), { recursive: true });
  writeFileSync(at('src/constructor/toString'), 'x\n');
  const text = readFileSync(at('src/rc/SKILL.md'), 'utf8');
  writeFileSync(at('src/constructor/SKILL.md'), text.replace('\n---', '\nconstructor: x\n---'));
  expect(
    (await run('install', 'src/constructor', '--root', 'skills', '--host', 'codex', '--force')).exit,
  ).toBe(0);
  expect(
    (await run('install', 'src/constructor', '--root', 'skills', '--host', 'codex', '--force')).exit,
  ).toBe(0);
  expect((await run('uninstall', 'constructor', '--root', 'skills')).exit).toBe(0);
  expect(existsSync(at('skills'))).toBe(false);
});

test('hosts that look into one folder are installed to and uninstalled from once', async () => {
  const hosts = ['--host', 'codex', '--host', 'agents'];
  expect((await run('install', 'src/rc', ...hosts)).out).toBe('.agents/skills/rc: 4 written\n');
  const ended = await run('uninstall', 'rc', ...hosts);
  expect([ended.exit, ended.out]).toEqual([0, '.agents/skills/rc: 4 removed\n']);
});

test('uninstall removes nothing when one of the named skills is not there', async () => {
  await run('install', 'src/rc');
  expect(await error('uninstall', 'rc', 'none')).toMatchObject({ code: 'not-found' });
  expect(existsSync(at('.claude/skills/rc/SKILL.md'))).toBe(true);
  expect((await run('uninstall', 'rc', 'rc')).exit).toBe(0);
  expect(existsSync(at('.claude'))).toBe(false);
});
