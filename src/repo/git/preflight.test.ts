import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { startedRepositories } from '../../../test/started-repository.ts';
import { type TemporaryRepository, useBareGit } from '../../../test/temporary-repository.ts';
import { preflight, preflightMessage, renderPreflight } from './branches.ts';

useBareGit();
const { copy, remoteOf } = startedRepositories();
let repository: TemporaryRepository;
let root: string;
beforeEach(() => {
  repository = copy();
  root = repository.root;
});

const strict = { skipBranchCheck: false, fetchPausesMs: [] };

test('L-116 on main, clean, behind its remote: it is fetched, and main stays', async () => {
  remoteOf(repository);
  const main = repository.git('rev-parse', 'main');
  expect(await preflight(root, strict)).toEqual({ ok: true, notes: [] });
  expect(existsSync(path.join(root, 'remote.txt'))).toBe(false);
  expect(repository.git('rev-parse', 'main')).toBe(main);
  expect(repository.git('rev-parse', 'origin/main')).not.toBe(main);
});

test('L-117: fetches and does not rebase on the user’s branch', async () => {
  remoteOf(repository);
  repository.git('checkout', '--quiet', '-b', 'ann-example/x');
  expect(await preflight(root, { ...strict, skipBranchCheck: true })).toEqual({ ok: true, notes: [] });
  expect(existsSync(path.join(root, 'remote.txt'))).toBe(false);
  expect(repository.git('rev-parse', 'origin/main')).not.toBe(repository.git('rev-parse', 'main'));
});

test('L-116 L-119 not on main, detached', async () => {
  repository.git('checkout', '--quiet', '-b', 'other');
  expect(await preflight(root, strict)).toMatchObject({ exit: 1, error: 'not on main: on other' });
  repository.git('checkout', '--quiet', '--detach');
  expect(await preflight(root, strict)).toMatchObject({
    exit: 1,
    error: expect.stringContaining('detached'),
  });
});

test('L-116 F-31: rejects a dirty tree and one that cannot be checked', async () => {
  repository.write('new.txt', 'x');
  const dirty = await preflight(root, strict);
  expect(dirty).toMatchObject({ exit: 2 });
  expect(renderPreflight(dirty)).toBe(
    'PREFLIGHT=fail\nPREFLIGHT_ERROR=the tree is not clean (1 path: new.txt)\n',
  );
  rmSync(path.join(root, 'new.txt'));
  repository.write('.git/index', 'broken');
  expect(await preflight(root, strict)).toMatchObject({
    exit: 2,
    error: expect.stringContaining('unknown'),
  });
});

// The branch of a run once made git forget a merge without changes: its parent was lost.
test.each(['merge', 'cherry-pick', 'revert', 'rebase', 'am'])(
  'L-116: an unfinished git %s is not a clean tree, although no file differs',
  async (operation) => {
    const head = repository.git('rev-parse', 'HEAD');
    repository.git('checkout', '--quiet', '-b', 'side');
    repository.write('a.txt', 'side\n');
    const side = repository.commit('side');
    repository.git('checkout', '--quiet', 'main');
    if (operation === 'merge') repository.git('merge', '--no-commit', '--no-ff', '--strategy=ours', 'side');
    if (operation === 'cherry-pick') repository.write('.git/CHERRY_PICK_HEAD', `${side}\n`);
    if (operation === 'revert') repository.write('.git/REVERT_HEAD', `${head}\n`);
    if (operation === 'rebase') repository.write('.git/rebase-merge/head-name', 'refs/heads/main\n');
    if (operation === 'am') repository.write('.git/rebase-apply/applying', '');
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(await preflight(root, strict)).toMatchObject({
      exit: 2,
      error: `git ${operation} is in progress`,
      fix: expect.stringContaining(`git ${operation} --abort`),
    });
    expect(await preflight(root, { ...strict, skipBranchCheck: true })).toMatchObject({ exit: 2 });
  },
);

test('L-116 a remote that cannot be fetched, or is required and missing', async () => {
  repository.git('remote', 'add', 'origin', path.join(root, 'no-such.git'));
  expect(await preflight(root, strict)).toMatchObject({ exit: 3 });
  repository.git('remote', 'remove', 'origin');
  expect(await preflight(root, strict)).toMatchObject({
    ok: true,
    notes: [expect.stringContaining('The remote origin does not exist')],
  });
  expect(await preflight(root, { ...strict, remoteRequired: true })).toMatchObject({ exit: 3 });
});

test('L-116 commits of main that conflict with its remote stay as they are', async () => {
  const other = remoteOf(repository);
  other.write('a.txt', 'theirs\n');
  other.commit('theirs');
  other.git('push', '--quiet', 'origin', 'main');
  repository.write('a.txt', 'ours\n');
  const head = repository.commit('ours');
  expect(await preflight(root, strict)).toEqual({ ok: true, notes: [] });
  expect(repository.git('rev-parse', 'main')).toBe(head);
  expect(repository.git('status', '--porcelain')).toBe('');
  expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('ours\n');
});

test('a design whose branch would overwrite ignored files does not begin', async () => {
  const other = remoteOf(repository);
  other.write('local/settings.json', 'theirs\n');
  other.write('cache', 'theirs\n');
  other.write('ours/moved.txt', 'theirs\n');
  other.commit('theirs');
  other.git('push', '--quiet', 'origin', 'main');
  repository.write('.git/info/exclude', 'local\ncache\nours\n');
  repository.write('local/settings.json', 'mine\n');
  const { git: at } = repository;
  const head = at('rev-parse', 'HEAD');
  const refused = async () => {
    const result = await preflight(root, strict);
    expect(at('rev-parse', 'HEAD')).toBe(head);
    return result.ok ? '' : `${result.exit} ${result.error}`;
  };
  const words = '3 a branch at origin/main would overwrite files that git ignores:';
  expect(await refused()).toBe(`${words} local/settings.json`);
  rmSync(path.join(root, 'local'), { recursive: true });
  repository.write('cache/deep/one', 'mine\n');
  expect(await refused()).toBe(`${words} cache/deep/one`);
  rmSync(path.join(root, 'cache'), { recursive: true });
  repository.write('ours', 'mine\n');
  expect(await refused()).toBe(`${words} ours`);
  expect(readFileSync(path.join(root, 'ours'), 'utf8')).toBe('mine\n');
  rmSync(path.join(root, 'ours'));
  expect(await preflight(root, strict)).toEqual({ ok: true, notes: [] });
});

test('L-118 the remedies name the person’s own prefix', () => {
  const lines = preflightMessage('ann', 'trunk').split('\n');
  expect(lines.slice(1)).toEqual([
    expect.stringContaining('(a) go to a clean trunk: git switch trunk'),
    expect.stringContaining('git switch -c ann/my-feature'),
    expect.stringContaining(
      '(c) commit or stash uncommitted changes first: git add -A && git commit, or git stash -u',
    ),
  ]);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(130);
});
