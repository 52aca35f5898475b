import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTools } from './read-tools.ts';

let base: string;
let project: string;

beforeAll(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'read-tools-'));
  project = path.join(base, 'project');
  await mkdir(path.join(project, 'src/deep'), { recursive: true });
  await mkdir(path.join(project, '.git'));
  await writeFile(path.join(base, 'secret.txt'), 'secret word');
  await writeFile(path.join(project, 'README.md'), 'first\nsecond word\nthird\n');
  await writeFile(path.join(project, 'src/deep/a.ts'), 'export const word = 1;\n');
  await writeFile(path.join(project, '.git/config'), 'word\n');
  await writeFile(path.join(project, 'picture.bin'), 'word\0word');
  await writeFile(path.join(project, 'long.txt'), `${'x'.repeat(100)}\n`.repeat(3000));
  await symlink(path.join(base, 'secret.txt'), path.join(project, 'link.txt'));
  await symlink(base, path.join(project, 'out'));
});
afterAll(() => rm(base, { recursive: true }));

function run(name: string, input: Record<string, unknown>): Promise<string> {
  const tool = readTools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(name);
  return tool.run(project, input);
}

test('read shows numbered lines and a part on demand', async () => {
  expect(await run('read', { path: 'README.md', offset: 2, limit: 1 })).toBe(
    '2\tsecond word\n(2 more lines)',
  );
  expect(await run('read', { path: path.join(project, 'src/deep/a.ts') })).toContain(
    '1\texport const word = 1;',
  );
});

test.each(['../secret.txt', 'link.txt', 'out/secret.txt', '/etc/passwd', 'src/../../secret.txt', 'a\0b'])(
  'read refuses %s',
  async (file) => {
    await expect(run('read', { path: file })).rejects.toThrow(/leads out/);
  },
);

test.each(['.charrette/runs/r/lanes/vote-x/result.json', 'records/lanes/vote-x/result.json'])(
  'read refuses the record of runs: %s',
  async (file) => {
    const records = path.join(project, '.charrette/runs/r');
    await mkdir(path.join(records, 'lanes/vote-x'), { recursive: true });
    await writeFile(path.join(records, 'lanes/vote-x/result.json'), 'secret vote');
    await rm(path.join(project, 'records'), { force: true });
    await symlink(records, path.join(project, 'records'));
    for (const named of [file, path.join(project, file)])
      await expect(run('read', { path: named })).rejects.toThrow('The record of runs cannot be read.');
    const folder = path.dirname(file);
    await expect(run('grep', { pattern: 'secret', path: folder })).rejects.toThrow(/record of runs/);
    await expect(run('glob', { pattern: '**', path: folder })).rejects.toThrow(/record of runs/);
  },
);

test.each(['../', 'out', '/'])('a search refuses to start in %s', async (folder) => {
  await expect(run('grep', { pattern: 'secret', path: folder })).rejects.toThrow(/leads out/);
  await expect(run('glob', { pattern: '*', path: folder })).rejects.toThrow(/leads out/);
});

test('grep looks into text files only, never through links or into .git', async () => {
  expect(await run('grep', { pattern: 'w[o]rd' })).toBe(
    'README.md:2: second word\nsrc/deep/a.ts:1: export const word = 1;',
  );
  expect(await run('grep', { pattern: 'WORD', ignoreCase: true, glob: '*.md' })).toBe(
    'README.md:2: second word',
  );
  expect(await run('grep', { pattern: 'word', path: 'src' })).toContain('src/deep/a.ts:1');
  expect(await run('grep', { pattern: 'secret' })).toBe('No match.');
});

test('grep takes a broken pattern as plain text', async () => {
  expect(await run('grep', { pattern: 'word = (' })).toBe('No match.');
  expect(await run('grep', { pattern: 'word [' })).toBe('No match.');
});

test('a pattern that would never end is stopped', async () => {
  await writeFile(path.join(project, 'trap.txt'), `${'a'.repeat(40)}!`);
  await expect(run('grep', { pattern: '^(a+)+$', path: '.', glob: 'trap.txt' })).rejects.toThrow(/timed out/);
});

test('glob lists files by path', async () => {
  expect(await run('glob', { pattern: '**/*.ts' })).toBe('src/deep/a.ts');
  expect(await run('glob', { pattern: '*.txt', path: 'src' })).toBe('No file.');
});

test('output is bounded', async () => {
  const text = await run('read', { path: 'long.txt' });
  expect(text.length).toBeLessThan(41_000);
  expect(text).toContain('(cut after');
  expect((await run('grep', { pattern: 'x' })).length).toBeLessThan(41_000);
});

test('wrong input is named', async () => {
  await expect(run('read', {})).rejects.toThrow('"path" must be a text.');
  await expect(run('read', { path: 'missing.txt' })).rejects.toThrow('The file does not exist.');
});
