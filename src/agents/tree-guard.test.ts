import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changedPaths, copyTree, ignoredPrints, snapshotCopy, snapshotTree } from './tree-guard.ts';

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

/** Without what a copy does not have. */
const visible = (paths: readonly string[]) =>
  paths.filter((file) => !/^(?:\.git|node_modules)(?:\/|$)/.test(file));

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
    expect(visible(changedPaths(await snapshotTree(tree), await snapshotCopy(target)))).toEqual([]);
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

test('copies again after a killed call: links do not stop it, planted files are gone', async () => {
  const target = path.join(tree, 'node_modules/copy');
  await copyTree(tree, target);
  writeFileSync(path.join(target, 'planted.txt'), 'x');
  rmSync(path.join(target, 'src'), { recursive: true });
  symlinkSync(path.join(tree, 'node_modules'), path.join(target, 'src'));
  expect(await copyTree(tree, target)).toBe(target);
  expect(changedPaths(await snapshotTree(tree), await snapshotCopy(target))).toEqual([]);
});

const git = (directory: string, ...args: string[]) =>
  execFileSync('git', ['-C', directory, '-c', 'user.name=n', '-c', 'user.email=n@e', ...args], {
    stdio: 'pipe',
  });

function plant(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

test('ignored files that were overwritten, added or removed are noticed, also with their times put back', async () => {
  git(tree, 'init', '-q');
  appendFileSync(path.join(tree, '.gitignore'), '.env\ndist\n');
  plant(path.join(tree, '.env'), 'A=1');
  for (const name of ['cli.js', 'old.js']) plant(path.join(tree, 'dist', name), 'good');
  const before = await snapshotTree(tree);
  expect(changedPaths(before, await snapshotTree(tree))).toEqual([]);
  const { atime, mtime } = statSync(path.join(tree, '.env'));
  writeFileSync(path.join(tree, '.env'), 'A=2');
  utimesSync(path.join(tree, '.env'), atime, mtime);
  writeFileSync(path.join(tree, 'dist/cli.js'), 'evil');
  rmSync(path.join(tree, 'dist/old.js'));
  plant(path.join(tree, 'dist/deep/new.js'), '');
  writeFileSync(path.join(tree, 'node_modules/x/index.js'), 'bad');
  expect(changedPaths(before, await snapshotTree(tree))).toEqual(
    ['.env', 'dist/cli.js', 'dist/deep/new.js', 'dist/old.js', 'node_modules/x/index.js'].sort(),
  );
});

test('of too many ignored files those of packages are left out first', async () => {
  git(tree, 'init', '-q');
  appendFileSync(path.join(tree, '.gitignore'), '.env\ndist\n');
  plant(path.join(tree, '.env'), '');
  plant(path.join(tree, 'dist/node_modules/y/index.js'), '');
  plant(path.join(tree, 'dist/z.js'), '');
  const names = async (most: number) => (await ignoredPrints(tree, most)).map(([name]) => name);
  expect(await names(2)).toEqual(['.env', 'dist/z.js']);
  expect(await names(3)).toEqual(['.env', 'dist/z.js', 'node_modules/x/index.js']);
  expect(await names(9)).toHaveLength(4);
});

for (const place of ['a repository', 'a worktree of another'] as const) {
  const prepare = () => {
    const repository =
      place === 'a repository' ? tree : path.join(tree, '../', `${path.basename(tree)}-first`);
    git('/', 'init', '-q', repository);
    git(repository, 'commit', '-q', '--allow-empty', '-m', 'begin');
    if (repository === tree) return path.join(tree, '.git');
    rmSync(tree, { recursive: true });
    git(repository, 'worktree', 'add', '-q', '-b', 'here', tree);
    return path.join(repository, '.git');
  };

  test(`${place}: what decides which code git runs is noticed`, async () => {
    const common = prepare();
    const own = place === 'a repository' ? common : path.join(common, 'worktrees', path.basename(tree));
    const before = await snapshotTree(tree);
    plant(path.join(common, 'hooks/post-checkout'), '#!/bin/sh\n');
    appendFileSync(path.join(common, 'config'), '[core]\n\tfsmonitor = evil\n');
    plant(path.join(common, 'info/attributes'), '* filter=evil\n');
    appendFileSync(path.join(common, 'info/exclude'), '*.log\n');
    plant(path.join(own, 'config.worktree'), '');
    git(tree, 'symbolic-ref', 'HEAD', 'refs/heads/elsewhere');
    expect(changedPaths(before, await snapshotTree(tree))).toEqual([
      '.git/HEAD',
      '.git/config',
      '.git/config.worktree',
      '.git/hooks/post-checkout',
      '.git/info/attributes',
      '.git/info/exclude',
    ]);
  });

  test(`${place}: ignores branches, worktrees, fetches and clean-up by others, and records of runs`, async () => {
    prepare();
    plant(path.join(tree, '.charrette/.gitignore'), '*\n');
    plant(path.join(tree, '.charrette/runs/r/events.jsonl'), 'one');
    const before = await snapshotTree(tree);
    appendFileSync(path.join(tree, '.charrette/runs/r/events.jsonl'), 'two');
    const checkout = path.join(tree, '.charrette/runs/r/worktrees/S1');
    git(tree, 'worktree', 'add', '-q', '-b', 'sprint', checkout);
    git(checkout, 'commit', '-q', '--allow-empty', '-m', 'more');
    git(tree, 'fetch', '-q', '.', 'sprint:fetched');
    git(tree, 'branch', '--no-track', 'other', 'sprint');
    git(tree, 'status');
    git(tree, 'gc', '-q');
    expect(changedPaths(before, await snapshotTree(tree))).toEqual([]);
  });
}

test('a tracked folder that became a link is copied as a link, and nothing behind it is touched', async () => {
  const git = (...words: string[]) => execFileSync('git', ['-C', tree, ...words]);
  git('init', '-q');
  git('add', '-A');
  const outside = mkdtempSync(path.join(tmpdir(), 'outside-'));
  writeFileSync(path.join(outside, 'a b.ts'), 'behind');
  rmSync(path.join(tree, 'src'), { recursive: true });
  symlinkSync(outside, path.join(tree, 'src'));
  const before = await snapshotTree(tree);
  expect(before.get('src')).toBe(`link ${outside}`);
  expect(before.has('src/a b.ts')).toBe(false);
  const target = path.join(tree, 'node_modules/copy');
  expect(await copyTree(tree, target)).toBe(target);
  expect(readlinkSync(path.join(target, 'src'))).toBe(outside);
  rmSync(outside, { recursive: true });
});

test('a tracked file that became a folder: what lies in the folder is copied, and changes of it are noticed', async () => {
  plant(path.join(tree, 'config'), 'hi');
  git(tree, 'init', '-q');
  git(tree, 'add', '-A');
  rmSync(path.join(tree, 'config'));
  plant(path.join(tree, 'config/deep/a.txt'), 'one');
  const before = await snapshotTree(tree);
  const target = path.join(tree, 'node_modules/copy');
  expect(await copyTree(tree, target)).toBe(target);
  expect(readFileSync(path.join(target, 'config/deep/a.txt'), 'utf8')).toBe('one');
  rmSync(target, { recursive: true });
  writeFileSync(path.join(tree, 'config/deep/a.txt'), 'two');
  expect(changedPaths(before, await snapshotTree(tree))).toEqual(['config/deep/a.txt']);
});

test('a tracked folder that became a file is copied as a file', async () => {
  plant(path.join(tree, 'config/deep/a.txt'), 'one');
  git(tree, 'init', '-q');
  git(tree, 'add', '-A');
  rmSync(path.join(tree, 'config'), { recursive: true });
  plant(path.join(tree, 'config'), 'hi');
  const target = path.join(tree, 'node_modules/copy');
  expect(await copyTree(tree, target)).toBe(target);
  expect(readFileSync(path.join(target, 'config'), 'utf8')).toBe('hi');
});

test('nothing is read behind a link that git ignores and that took the place of a tracked folder', async () => {
  git(tree, 'init', '-q');
  git(tree, 'add', '-A');
  const outside = mkdtempSync(path.join(tmpdir(), 'outside-'));
  plant(path.join(outside, 'a b.ts'), 'behind');
  rmSync(path.join(tree, 'src'), { recursive: true });
  symlinkSync(outside, path.join(tree, 'src'));
  appendFileSync(path.join(tree, '.gitignore'), 'src\n');
  const snapshot = await snapshotTree(tree);
  const target = path.join(tree, 'node_modules/copy');
  await copyTree(tree, target);
  rmSync(outside, { recursive: true });
  expect([...snapshot.keys()]).not.toContain('src/a b.ts');
  expect(existsSync(path.join(target, 'src/a b.ts'))).toBe(false);
});

test('a file that is too large for a copy is not copied first to find that out', async () => {
  plant(path.join(tree, 'big.bin'), '');
  // A hole: it has a size and takes no room.
  truncateSync(path.join(tree, 'big.bin'), 700 * 1024 * 1024);
  const target = path.join(tree, 'node_modules/copy');
  let isDone = false;
  const copied = copyTree(tree, target).finally(() => {
    isDone = true;
  });
  let isSeen = false;
  while (!isDone) {
    isSeen ||= existsSync(path.join(target, 'big.bin'));
    await turn();
  }
  expect(await copied).toBeUndefined();
  expect(isSeen).toBe(false);
  expect(existsSync(target)).toBe(false);
});

test('a copy that fails leaves nothing behind, and no file is still being copied then', async () => {
  // The system takes paths of 4095 bytes: the file fits where it is, and its folder in the copy, but not the file in the copy.
  const target = path.join(tree, 'node_modules', 'c'.repeat(100));
  const room = 4095 - `${target}/`.length - 20;
  const folder = `${'d'.repeat(99)}/`.repeat(40).slice(0, room).replace(/\/$/, 'd');
  plant(path.join(tree, folder, 'f'.repeat(60)), 'x');
  // Takes longer than it takes the other to fail.
  plant(path.join(tree, 'big.bin'), '');
  truncateSync(path.join(tree, 'big.bin'), 100 * 1024 * 1024);
  await expect(copyTree(tree, target)).rejects.toThrow('ENAMETOOLONG');
  expect(openFiles().filter((file) => file.startsWith(target))).toEqual([]);
  expect(existsSync(target)).toBe(false);
});

/** What this process has open, also what was removed meanwhile. */
function openFiles(): string[] {
  const folder = '/proc/self/fd';
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(path.join(folder, name))];
    } catch {
      return [];
    }
  });
}
