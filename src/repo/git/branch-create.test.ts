import { beforeEach, expect, test } from 'vitest';
import { startedRepositories } from '../../../test/started-repository.ts';
import { type TemporaryRepository, useBareGit } from '../../../test/temporary-repository.ts';
import { createBranch, createFeatureBranch } from './branches.ts';
import { operationUnderWay } from './repository-facts.ts';

useBareGit();
const { copy, empty: emptyRepository, remoteOf } = startedRepositories();
let repository: TemporaryRepository;
let root: string;
beforeEach(() => {
  repository = copy();
  root = repository.root;
});

const settings = { userPrefix: 'ann-example', fetchPausesMs: [] };

test('L-154 a new branch starts at the remote’s main', async () => {
  remoteOf(repository);
  expect(await createFeatureBranch(root, 'Add rate limits', settings)).toEqual({
    ok: true,
    branch: 'ann-example/add-rate-limits',
    base: 'origin/main',
  });
  expect(repository.git('rev-parse', 'HEAD')).toBe(repository.git('rev-parse', 'origin/main'));
});

const branch = 'ann-example/add-limits';
const at = (name: string) => repository.git('rev-parse', name);

test('a main behind its remote stays where it is; the new branch starts at the remote’s commit', async () => {
  remoteOf(repository);
  const main = at('main');
  expect(await createFeatureBranch(root, 'add limits', settings)).toMatchObject({ base: 'origin/main' });
  expect([at('main'), at(branch)]).toEqual([main, at('origin/main')]);
  expect(at('origin/main')).not.toBe(main);
});

test('a main with commits that were not pushed stays; the new branch has them', async () => {
  remoteOf(repository);
  repository.git('pull', '--quiet', '--ff-only', 'origin', 'main');
  const main = repository.commit('not pushed');
  expect(await createFeatureBranch(root, 'add limits', settings)).toEqual({ ok: true, branch, base: 'main' });
  expect([at('main'), at(branch)]).toEqual([main, main]);
});

// Also with the setting that makes a rebase move every branch on its way.
test('a main that diverged from its remote stays; only the new branch is brought up to date', async () => {
  remoteOf(repository);
  repository.git('config', 'rebase.updateRefs', 'true');
  const main = repository.commit('not pushed');
  const made = await createFeatureBranch(root, 'add limits', settings);
  expect(made).toEqual({ ok: true, branch, base: 'main', merge: at(branch) });
  expect(at('main')).toBe(main);
  for (const side of ['main', 'origin/main']) repository.git('merge-base', '--is-ancestor', side, branch);
  expect(repository.git('status', '--porcelain')).toBe('');
});

test('where main and its remote conflict, the new branch starts at main with a warning and nothing is in progress', async () => {
  const other = remoteOf(repository);
  other.write('a.txt', 'theirs\n');
  other.commit('theirs');
  other.git('push', '--quiet', 'origin', 'main');
  repository.write('a.txt', 'ours\n');
  const main = repository.commit('ours');
  expect(await createFeatureBranch(root, 'add limits', settings)).toEqual({
    ok: true,
    branch,
    base: 'main',
    warning: `main and origin/main conflict in a.txt; ${branch} starts at main. Run \`git merge origin/main\` to update it.`,
  });
  expect([at('main'), at(branch)]).toEqual([main, main]);
  expect(await operationUnderWay(root)).toBeUndefined();
  expect(repository.git('status', '--porcelain')).toBe('');
});

test('a remote whose fetch rule writes to local branches does not move main', async () => {
  remoteOf(repository);
  repository.git('config', 'remote.origin.fetch', '+refs/heads/*:refs/heads/*');
  repository.git('checkout', '--quiet', '-b', 'side');
  const main = at('main');
  await createFeatureBranch(root, 'add limits', settings);
  expect(at('main')).toBe(main);
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
