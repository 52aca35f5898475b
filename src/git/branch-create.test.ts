import { beforeEach, expect, test } from 'vitest';
import { startedRepositories } from '../../test/started-repository.ts';
import { bareEnvironment, type TemporaryRepository } from '../../test/temporary-repository.ts';
import { createBranch, createFeatureBranch } from './branch-create.ts';

const git = { environment: bareEnvironment };
const { copy, empty: emptyRepository, remoteOf } = startedRepositories();
let repository: TemporaryRepository;
let root: string;
beforeEach(() => {
  repository = copy();
  root = repository.root;
});

const settings = { userPrefix: 'ann-example', fetchPausesMs: [], git };

test('L-154 a new branch starts at the remote’s main', async () => {
  remoteOf(repository);
  expect(await createFeatureBranch(root, 'Add rate limits', settings)).toEqual({
    ok: true,
    branch: 'ann-example/add-rate-limits',
    base: 'origin/main',
  });
  expect(repository.git('rev-parse', 'HEAD')).toBe(repository.git('rev-parse', 'origin/main'));
});

test('L-154 L-155 a taken name gets a number', async () => {
  await createFeatureBranch(root, 'x y', settings);
  repository.git('checkout', '--quiet', 'main');
  expect(await createBranch(root, 'ann-example/x-y', settings)).toMatchObject({ ok: false, exit: 1 });
  expect(await createFeatureBranch(root, 'x y', settings)).toMatchObject({
    branch: 'ann-example/x-y-2',
    base: 'main',
  });
});

test('L-155 a branch that was made just before a crash is not made a second time', async () => {
  const made = { ok: true, branch: 'ann-example/x-y', base: 'main' };
  expect(await createFeatureBranch(root, 'x y', settings)).toEqual(made);
  expect(await createFeatureBranch(root, 'x y', settings)).toEqual(made);
  expect(repository.git('branch', '--list', 'ann-example/*').split('\n')).toHaveLength(1);
});

test('L-154 foreign prefixes and bad names are refused', async () => {
  expect(await createBranch(root, 'main2', settings)).toMatchObject({ exit: 2 });
  expect(await createBranch(root, 'ann-example/a..b', settings)).toMatchObject({ exit: 2 });
  expect(await createBranch(root, 'ann-example/-x y', settings)).toMatchObject({ exit: 2 });
});

test('before the first commit a branch can still be made', async () => {
  const empty = emptyRepository();
  expect(await createFeatureBranch(empty.root, 'first', settings)).toMatchObject({
    ok: true,
    base: 'HEAD',
  });
  expect(empty.git('symbolic-ref', '--short', 'HEAD')).toBe('ann-example/first');
});
