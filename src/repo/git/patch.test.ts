import { chmodSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type TemporaryRepository, temporaryRepository } from '../../../test/temporary-repository.ts';
import { commitOfTree, hunksOf, patchesBetween } from './patch.ts';

function repository(): TemporaryRepository {
  const made = temporaryRepository();
  onTestFinished(made.remove);
  return made;
}

const lines = (count: number, end = '\n') =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}${end}`).join('');

test('R-018 every kind of change has its own part of the patch', async () => {
  const { root, git, write, commit } = repository();
  for (const name of ['changed', 'deleted', 'moved', 'mode', 'windows', 'link'])
    write(`${name}.txt`, lines(12));
  write('moved.txt', 'quite another text\n'.repeat(5));
  write('windows.txt', lines(12, '\r\n'));
  write('end.txt', 'no newline');
  write('name with "quote" and ä.txt', 'one\n');
  git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
  git('commit', '--quiet', '--message', 'module');
  const base = commit('Begin');
  write('changed.txt', lines(12).replace('line 7', 'line seven'));
  unlinkSync(path.join(root, 'deleted.txt'));
  git('mv', 'moved.txt', 'elsewhere.txt');
  chmodSync(path.join(root, 'mode.txt'), 0o755);
  write('windows.txt', lines(12, '\r\n').replace('line 3\r\n', ''));
  write('end.txt', 'no newline\nanother');
  unlinkSync(path.join(root, 'link.txt'));
  symlinkSync('mode.txt', path.join(root, 'link.txt'));
  write('name with "quote" and ä.txt', 'two\n');
  git('add', '--all');
  git('update-index', '--add', '--cacheinfo', `160000,${'2'.repeat(40)},module`);
  git('commit', '--quiet', '--message', 'Change');
  const files = await patchesBetween(root, base, git('rev-parse', 'HEAD'));
  const of = (name: string) => {
    const { text, oldPath } = files.find((file) => file.path === name) ?? { text: '', oldPath: '' };
    return { oldPath, text, hunks: hunksOf(text) };
  };
  expect(of('changed.txt').hunks).toEqual([
    { oldStart: 2, oldEnd: 12, newStart: 2, newEnd: 12, added: [7], deleted: [7], beside: [6, 7] },
  ]);
  expect(of('deleted.txt').hunks[0]?.deleted).toHaveLength(12);
  expect(of('elsewhere.txt')).toMatchObject({ oldPath: 'moved.txt', hunks: [] });
  expect(of('mode.txt')).toMatchObject({ hunks: [], text: expect.stringContaining('new mode 100755') });
  expect(of('windows.txt').hunks[0]).toMatchObject({ added: [], deleted: [3], beside: [2, 3] });
  expect(of('end.txt').hunks[0]).toMatchObject({ added: [1, 2], deleted: [1] });
  expect(of('link.txt').text.match(/^diff --git/gm)).toHaveLength(2);
  expect(of('name with "quote" and ä.txt').hunks[0]?.added).toEqual([1]);
  expect(of('module').text).toContain('Subproject commit');
});

test.each(['\r', '\u2028', '\u2029'])('R-018 text after %j is no head of another file', async (end) => {
  const { root, write, commit } = repository();
  const base = commit('Begin');
  write('a.txt', `one${end}diff --git a/b.txt b/b.txt\n`);
  write('b.txt', 'the real one\n');
  const files = await patchesBetween(root, base, commit('Change'));
  expect(files.map(({ path: name }) => name)).toEqual(['a.txt', 'b.txt']);
  expect(files[1]?.text).toContain('+the real one');
});

test('R-018 attributes of the branch hide no text; a file with a NUL shows it', async () => {
  const { root, write, commit } = repository();
  const base = commit('Begin');
  write('.gitattributes', '*.txt binary\n');
  write('a.txt', 'seen\n');
  write('b.bin', 'a\0b\n');
  const [, text, binary] = await patchesBetween(root, base, commit('Change'));
  expect(text?.text).toContain('+seen');
  expect(binary?.text).toContain('\0');
});

test('R-018 settings of git that change how a difference looks change no patch', async () => {
  const { root, git, write, commit } = repository();
  write('a.txt', lines(12));
  write('z.txt', lines(12));
  git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
  git('commit', '--quiet', '--message', 'module');
  const base = commit('Begin');
  write('a.txt', lines(12).replace('line 7', 'line seven'));
  write('z.txt', lines(12).replace('line 7', 'line seven'));
  git('add', '--all');
  git('update-index', '--add', '--cacheinfo', `160000,${'2'.repeat(40)},module`);
  git('commit', '--quiet', '--message', 'Change');
  const head = git('rev-parse', 'HEAD');
  const before = await patchesBetween(root, base, head);
  write('order', 'z.txt\n');
  for (const [name, value] of Object.entries({
    'diff.noprefix': 'true',
    'diff.mnemonicPrefix': 'true',
    'diff.submodule': 'log',
    'diff.ignoreSubmodules': 'all',
    'diff.orderFile': path.join(root, 'order'),
    'diff.algorithm': 'patience',
    'diff.interHunkContext': '50',
    'diff.wordRegex': '.',
    'diff.external': 'false',
    'color.ui': 'always',
  }))
    git('config', name, value);
  expect(before.map(({ path: name }) => name)).toEqual(['a.txt', 'module', 'z.txt']);
  expect(await patchesBetween(root, base, head)).toEqual(before);
});

test('R-018 lines that look like heads of a diff are text while their hunk is open', () => {
  const text =
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n one\n+@@ -9,9 +9,9 @@\n+++ b/other\n two\n';
  expect(hunksOf(text)).toMatchObject([{ added: [2, 3], deleted: [] }]);
});

test('R-001 what is staged and what is not committed become commits; index, branch and tree stay as they are', async () => {
  const { root, git, write, commit } = repository();
  write('a.txt', 'one\n');
  const head = commit('Begin');
  write('a.txt', 'two\n');
  git('add', 'a.txt');
  write('a.txt', 'three\n');
  write('new.txt', 'new\n');
  const before = [git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('for-each-ref')];
  const [staged, whole] = [
    await commitOfTree(root, 'staged', head),
    await commitOfTree(root, 'uncommitted', head),
  ];
  expect((await patchesBetween(root, head, staged)).map(({ path: name }) => name)).toEqual(['a.txt']);
  expect((await patchesBetween(root, head, whole)).map(({ path: name }) => name)).toEqual([
    'a.txt',
    'new.txt',
  ]);
  expect(await commitOfTree(root, 'uncommitted', head)).toBe(whole);
  expect(git('show', `${staged}:a.txt`)).toBe('two');
  expect(git('show', `${whole}:a.txt`)).toBe('three');
  expect([git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('for-each-ref')]).toEqual(before);
  expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('three\n');
});
