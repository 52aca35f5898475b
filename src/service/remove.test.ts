import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TemporaryRepository, temporaryRepository } from '../../test/temporary-repository.ts';
import { runDirectoryOf } from '../engine/run-directory.ts';
import { openCheckout } from '../repo/git/checkout.ts';
import { openProject } from './project.ts';
import { workRemover } from './remove.ts';

let repository: TemporaryRepository;
beforeEach(() => {
  repository = temporaryRepository();
  repository.write('.gitignore', '.charrette/\nlooking/\n');
  repository.commit('begin');
});
afterEach(() => repository.remove());

const run = '20261116-120000-add-limits-00000001';
const branch = `charrette/${run}`;
const directory = () => runDirectoryOf(openProject(repository.root), run);
const remove = async (dryRun = false) =>
  (await workRemover(repository.root, { force: true, dryRun }))(directory());

test('a branch that is checked out, here or in a worktree, stays', async () => {
  repository.git('switch', '--quiet', '--create', branch);
  expect([await remove(true), await remove()]).toEqual(
    [1, 2].map(() => ({ worktrees: 0, branch: 'in-use' })),
  );
  repository.git('switch', '--quiet', 'main');
  repository.git('worktree', 'add', '--quiet', 'looking', branch);
  expect(await remove()).toEqual({ worktrees: 0, branch: 'in-use' });
  expect(repository.git('rev-parse', branch)).toBe(repository.git('rev-parse', 'main'));
  repository.git('worktree', 'remove', 'looking');
  expect(await remove()).toEqual({ worktrees: 0, branch: 'deleted' });
});

test('a branch that is being rebased stays', async () => {
  repository.write('a.txt', 'main\n');
  repository.commit('main');
  repository.git('switch', '--quiet', '--create', branch, 'main~');
  repository.write('a.txt', 'run\n');
  repository.commit('run');
  expect(() => repository.git('rebase', '--quiet', 'main')).toThrow();
  expect(await remove()).toEqual({ worktrees: 0, branch: 'in-use' });
  repository.git('rebase', '--abort');
});

test('a checkout of the run in which an agent went to the branch of the run holds nothing up', async () => {
  repository.git('branch', branch);
  const checkout = path.join(directory().root, 'worktrees', 'S1');
  await openCheckout(repository.root, checkout, 'HEAD');
  repository.git('-C', checkout, 'switch', '--quiet', branch);
  expect(await remove(true)).toEqual({ worktrees: 1, branch: 'deleted' });
  expect(await remove()).toEqual({ worktrees: 1, branch: 'deleted' });
  expect(existsSync(checkout)).toBe(false);
  expect(repository.git('branch', '--list', branch)).toBe('');
});
