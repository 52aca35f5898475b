import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { startedRepositories } from '../../../test/started-repository.ts';
import { type TemporaryRepository, useBareGit } from '../../../test/temporary-repository.ts';
import { addWorktree, listWorktrees, removeWorktree } from './worktrees.ts';

useBareGit();
const { copy, folder } = startedRepositories();
let repository: TemporaryRepository;
let root: string;
beforeEach(() => {
  repository = copy();
  root = repository.root;
});

test('worktrees are added, listed and removed with all that is in them', async () => {
  const target = path.join(folder(), 'lane 1');
  await addWorktree(root, target, 'HEAD');
  expect(readFileSync(path.join(target, 'a.txt'), 'utf8')).toBe('one\n');
  expect(await listWorktrees(root)).toMatchObject([
    { path: root, branch: 'main' },
    { path: target, branch: undefined },
  ]);
  repository.git('-C', target, 'rm', '--quiet', 'a.txt');
  await removeWorktree(root, target);
  expect(existsSync(target)).toBe(false);
  await removeWorktree(root, target);
  expect(await listWorktrees(root)).toHaveLength(1);
});
