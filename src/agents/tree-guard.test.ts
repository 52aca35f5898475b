import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changedPaths, copyTree, snapshotCopy, snapshotTree } from './tree-guard.ts';

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(path.join(tmpdir(), 'tree-'));
  mkdirSync(path.join(tree, 'src'));
  writeFileSync(path.join(tree, 'src/a b.ts'), 'one');
  writeFileSync(path.join(tree, 'ü.md'), 'two');
  symlinkSync('ü.md', path.join(tree, 'link'));
  mkdirSync(path.join(tree, 'node_modules/x'), { recursive: true });
  writeFileSync(path.join(tree, 'node_modules/x/index.js'), 'big');
  writeFileSync(path.join(tree, '.gitignore'), 'node_modules\n');
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

for (const kind of ['a git repository', 'a plain folder']) {
  const prepare = () => {
    if (kind === 'a git repository') execFileSync('git', ['init', '-q', tree]);
  };

  test(`${kind}: new, changed, removed, relinked and chmodded files are all noticed`, async () => {
    prepare();
    const before = await snapshotTree(tree);
    expect(changedPaths(before, await snapshotTree(tree))).toEqual([]);
    writeFileSync(path.join(tree, 'new.txt'), '');
    writeFileSync(path.join(tree, 'src/a b.ts'), 'One');
    chmodSync(path.join(tree, '.gitignore'), 0o755);
    rmSync(path.join(tree, 'link'));
    symlinkSync('elsewhere', path.join(tree, 'link'));
    rmSync(path.join(tree, 'ü.md'));
    const changed = changedPaths(before, await snapshotTree(tree));
    expect(changed).toEqual(['.gitignore', 'link', 'new.txt', 'src/a b.ts', 'ü.md'].sort());
  });

  test(`${kind}: the copy has the same files, without dependencies and without git`, async () => {
    prepare();
    const target = path.join(tree, 'node_modules/copy');
    expect(await copyTree(tree, target)).toBe(target);
    expect(changedPaths(await snapshotTree(tree), await snapshotCopy(target))).toEqual([]);
    expect(existsSync(path.join(target, 'node_modules'))).toBe(false);
    expect(existsSync(path.join(target, '.git'))).toBe(false);
  });
}

test('a change in a copy that lies where git ignores everything is noticed', async () => {
  execFileSync('git', ['init', '-q', tree]);
  const target = path.join(tree, 'node_modules/copy');
  await copyTree(tree, target);
  const before = await snapshotCopy(target);
  writeFileSync(path.join(target, 'new.txt'), 'x');
  expect(changedPaths(before, await snapshotCopy(target))).toEqual(['new.txt']);
});

test('a copy that a killed call left is made anew: links do not stop it, planted files are gone', async () => {
  const target = path.join(tree, 'node_modules/copy');
  await copyTree(tree, target);
  writeFileSync(path.join(target, 'planted.txt'), 'x');
  rmSync(path.join(target, 'src'), { recursive: true });
  symlinkSync(path.join(tree, 'node_modules'), path.join(target, 'src'));
  expect(await copyTree(tree, target)).toBe(target);
  expect(changedPaths(await snapshotTree(tree), await snapshotCopy(target))).toEqual([]);
});
