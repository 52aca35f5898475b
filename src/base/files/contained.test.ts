import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { containedPath, mayRemove } from './bounded.ts';

function makeRoot(): string {
  const place = mkdtempSync(path.join(tmpdir(), 'charrette-contained-'));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const root = path.join(place, 'root');
  mkdirSync(path.join(root, 'a'), { recursive: true });
  writeFileSync(path.join(place, 'secret.txt'), 'x');
  writeFileSync(path.join(root, 'a', 'file.txt'), 'x');
  const links = { inside: 'a', out: '..', file: '../secret.txt', nowhere: '../not-yet.txt', self: 'self' };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(root, name));
  return root;
}

test.each([
  ['a file', 'a/file.txt'],
  ['a file that is not there yet', 'a/b/c.txt'],
  ['the folder itself', '.'],
  ['a way that comes back', 'a/../a/file.txt'],
  ['a link that stays inside', 'inside/file.txt'],
  ['a name that begins with dots', '..r/x'],
])('%s is taken', async (_, untrusted) => {
  const root = makeRoot();
  expect(await containedPath(root, untrusted)).toBe(path.resolve(root, untrusted));
});

test.each([
  ['an absolute path', '/etc/passwd'],
  ['a step up', '../secret.txt'],
  ['a step up in the middle', 'a/../../secret.txt'],
  ['a NUL', 'a\0b'],
  ['a link to a folder outside', 'out/secret.txt'],
  ['a link to a file outside', 'file'],
  ['a link to a file outside that is not there yet: writing would make it', 'nowhere'],
  ['a way through such a link', 'nowhere/x'],
  ['a link to itself', 'self'],
  ['a path that no system takes', 'a/'.repeat(16_000)],
  ['a name that no system takes', 'n'.repeat(3_000)],
])('%s is refused by name', async (_, untrusted) => {
  await expect(containedPath(makeRoot(), untrusted)).rejects.toMatchObject({ code: 'path-unsafe' });
});

test('L-844 F-29 only what lies inside a known root is removed', () => {
  const roots = ['/tmp', '/home/a/.cache/charrette'];
  expect(['/tmp/x', '/home/a/.cache/charrette/s1'].map((directory) => mayRemove(directory, roots))).toEqual([
    true,
    true,
  ]);
  expect(
    ['', '/tmp', '/', '/home/a', '/tmpx/y', 'tmp/x', '/tmp/../home'].map((directory) =>
      mayRemove(directory, roots),
    ),
  ).toEqual(Array.from({ length: 7 }, () => false));
});
