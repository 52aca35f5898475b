import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  bareEnvironment,
  type TemporaryRepository,
  temporaryRepository,
} from '../../test/temporary-repository.ts';
import { createBranch, createFeatureBranch } from './branch-create.ts';
import { branchFacts, detectMainBranch } from './branch-facts.ts';
import { driftOfPlan, driftSince } from './drift.ts';
import { preflight, preflightMessage, renderPreflight } from './preflight.ts';
import { repositoryFacts, repositoryNotes } from './repository-facts.ts';
import { gitOutput, runGit } from './run-git.ts';
import { probeTree, untrackedSnapshot } from './tree-probe.ts';
import { restoreTree } from './tree-recovery.ts';
import { addWorktree, listWorktrees, removeWorktree } from './worktrees.ts';

const git = { environment: bareEnvironment };
let repository: TemporaryRepository;
let root: string;
const folders: string[] = [];
const folder = () => {
  const made = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'charrette-git-')));
  folders.push(made);
  return made;
};

const started = temporaryRepository();
started.write('a.txt', 'one\n');
started.write('src/b.txt', 'two\n');
started.commit('start');
afterAll(() => started.remove());

beforeEach(() => {
  const copy = folder();
  cpSync(started.root, copy, { recursive: true });
  repository = temporaryRepository(copy);
  root = repository.root;
});
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

/** A remote with one more commit than ours. */
function withRemote(): TemporaryRepository {
  const remote = folder();
  repository.git('clone', '--quiet', '--bare', root, path.join(remote, 'o.git'));
  repository.git('remote', 'add', 'origin', path.join(remote, 'o.git'));
  repository.git('clone', '--quiet', path.join(remote, 'o.git'), path.join(remote, 'clone'));
  const other = temporaryRepository(path.join(remote, 'clone'));
  other.write('remote.txt', 'x\n');
  other.commit('from afar');
  other.git('push', '--quiet', 'origin', 'main');
  return other;
}

describe('runGit', () => {
  test('a failing command is a result with its reason; output is bounded', async () => {
    expect(await runGit(root, ['show', 'nothing'], git)).toMatchObject({
      code: 128,
      stderr: expect.stringContaining('nothing'),
    });
    const bounded = await runGit(root, ['log'], { ...git, maximumBytes: 10 });
    expect(bounded.code).toBeUndefined();
    expect(bounded.problem).toContain('more than 10 bytes');
    expect((await runGit(path.join(root, 'no-such'), ['status'], git)).problem).toBeTruthy();
  });

  test('L-942 no variable of the caller leads git elsewhere', async () => {
    const environment = {
      ...bareEnvironment,
      GIT_DIR: '/nowhere',
      GIT_WORK_TREE: '/',
      GIT_INDEX_FILE: '/x',
      GIT_CONFIG_COUNT: '1',
    };
    expect((await runGit(root, ['rev-parse', '--show-toplevel'], { environment })).stdout.trim()).toBe(root);
  });

  test('outside a repository the error says so', async () => {
    await expect(gitOutput(folder(), ['status'], git)).rejects.toMatchObject({ code: 'not-a-repository' });
    await expect(repositoryFacts(folder(), git)).rejects.toMatchObject({ code: 'not-a-repository' });
  });
});

describe('repository facts', () => {
  test('an ordinary clone, seen from a subfolder', async () => {
    expect(await repositoryFacts(path.join(root, 'src'), git)).toMatchObject({
      root,
      subfolder: 'src',
      linkedWorktree: false,
      superproject: undefined,
      shallow: false,
      head: repository.git('rev-parse', 'HEAD'),
      branch: 'main',
    });
  });

  test('L-111 a detached HEAD, no commits, a shallow clone, a bare repository', async () => {
    repository.git('checkout', '--quiet', '--detach');
    const detached = await repositoryFacts(root, git);
    expect(detached.branch).toBeUndefined();
    expect(repositoryNotes(detached)).toEqual(['HEAD is detached.']);
    const empty = temporaryRepository();
    folders.push(empty.root);
    expect(await repositoryFacts(empty.root, git)).toMatchObject({ head: undefined, branch: 'main' });
    repository.write('c', '1');
    repository.commit('second');
    repository.git('checkout', '--quiet', '-B', 'main');
    const shallow = path.join(folder(), 's');
    repository.git('clone', '--quiet', '--depth=1', `file://${root}`, shallow);
    expect((await repositoryFacts(shallow, git)).shallow).toBe(true);
    const bare = path.join(folder(), 'b.git');
    repository.git('clone', '--quiet', '--bare', root, bare);
    await expect(repositoryFacts(bare, git)).rejects.toMatchObject({ code: 'not-a-repository' });
    await expect(repositoryFacts(path.join(root, '.git'), git)).rejects.toMatchObject({
      code: 'not-a-repository',
    });
  });

  test('linked worktrees and submodules', async () => {
    const linked = path.join(folder(), 'w');
    await addWorktree(root, linked, 'HEAD', git);
    expect(await repositoryFacts(linked, git)).toMatchObject({ linkedWorktree: true, branch: undefined });
    const outer = temporaryRepository();
    folders.push(outer.root);
    outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', root, 'sub');
    expect((await repositoryFacts(path.join(outer.root, 'sub'), git)).superproject).toBe(outer.root);
  });
});

test('L-103 L-104 branch facts from a real repository, without side effects', async () => {
  expect(await branchFacts(root, 'main', git)).toEqual({
    currentBranch: 'main',
    isMain: true,
    isUserBranch: false,
    userPrefix: 'ann-example',
  });
  repository.git('checkout', '--quiet', '-b', 'ann-example/thing');
  expect(await branchFacts(root, 'main', git)).toMatchObject({ isUserBranch: true });
  repository.git('checkout', '--quiet', '--detach');
  expect(await branchFacts(root, 'main', git)).toMatchObject({ currentBranch: '', isMain: true });
});

test('the main branch is what the remote says, else main, else master', async () => {
  expect(await detectMainBranch(root, 'origin', git)).toBe('main');
  repository.git('branch', '--move', 'master');
  expect(await detectMainBranch(root, 'origin', git)).toBe('master');
  const clone = path.join(folder(), 'c');
  repository.git('clone', '--quiet', '--origin', 'upstream', root, clone);
  expect(await detectMainBranch(clone, 'upstream', git)).toBe('master');
});

describe('preflight', () => {
  const strict = { skipBranchCheck: false, fetchPausesMs: [], git };

  test('L-116 on main, clean, behind its remote: it is brought up to date', async () => {
    withRemote();
    expect(await preflight(root, strict)).toEqual({ ok: true, notes: [] });
    expect(existsSync(path.join(root, 'remote.txt'))).toBe(true);
  });

  test('L-117 on a branch of one’s own it is fetched, not rebased', async () => {
    withRemote();
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

  test('L-116 F-31 a dirty tree, and one nobody can look at', async () => {
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

  test('L-116 a remote that cannot be fetched, or is required and missing', async () => {
    repository.git('remote', 'add', 'origin', path.join(root, 'no-such.git'));
    expect(await preflight(root, strict)).toMatchObject({ exit: 3 });
    repository.git('remote', 'remove', 'origin');
    expect(await preflight(root, strict)).toMatchObject({
      ok: true,
      notes: [expect.stringContaining('no remote origin')],
    });
    expect(await preflight(root, { ...strict, remoteRequired: true })).toMatchObject({ exit: 3 });
  });

  test('L-116 a rebase that conflicts is taken back', async () => {
    const other = withRemote();
    other.write('a.txt', 'theirs\n');
    other.commit('theirs');
    other.git('push', '--quiet', 'origin', 'main');
    repository.write('a.txt', 'ours\n');
    const head = repository.commit('ours');
    expect(await preflight(root, strict)).toMatchObject({
      exit: 3,
      error: expect.stringContaining('rebase'),
    });
    expect(repository.git('rev-parse', 'HEAD')).toBe(head);
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('ours\n');
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
});

describe('branches', () => {
  const settings = { userPrefix: 'ann-example', fetchPausesMs: [], git };

  test('L-154 a new branch starts at the remote’s main', async () => {
    withRemote();
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
    const empty = temporaryRepository();
    folders.push(empty.root);
    expect(await createFeatureBranch(empty.root, 'first', settings)).toMatchObject({
      ok: true,
      base: 'HEAD',
    });
    expect(empty.git('symbolic-ref', '--short', 'HEAD')).toBe('ann-example/first');
  });
});

describe('L-420 L-975 the tree probe', () => {
  const checkpoint = () => probeTree(root, { mode: 'checkpoint', git });

  test('L-423 clean, tracked, staged, deleted, renamed and new paths with odd names', async () => {
    expect(await checkpoint()).toMatchObject({ status: 'clean', tracked: [], newUntracked: [] });
    repository.write('a.txt', 'changed\n');
    repository.write('sp ace/ü "q".txt', 'x');
    repository.git('mv', 'src/b.txt', 'src/c.txt');
    expect(await checkpoint()).toMatchObject({
      status: 'dirty',
      tracked: expect.arrayContaining(['a.txt', 'src/b.txt', 'src/c.txt']),
      newUntracked: ['sp ace/ü "q".txt'],
      reason: 'tracked-and-untracked-paths',
    });
  });

  test('L-423 against a baseline only what is new counts', async () => {
    repository.write('before.txt', 'x');
    const untracked = await untrackedSnapshot(root, git);
    expect(untracked).toEqual(['before.txt']);
    const probe = () => probeTree(path.join(root, 'src'), { mode: 'baseline', untracked, git });
    expect(await probe()).toMatchObject({ status: 'clean', untrackedBaseline: 'present' });
    repository.write('after.txt', 'x');
    repository.write('a.txt', 'changed');
    expect(await probe()).toMatchObject({ status: 'dirty', tracked: ['a.txt'], newUntracked: ['after.txt'] });
  });

  test('L-423 without a baseline untracked files are ambiguous', async () => {
    const probe = () => probeTree(root, { mode: 'baseline', untracked: undefined, git });
    expect(await probe()).toMatchObject({ status: 'clean', untrackedBaseline: 'missing' });
    repository.write('new.txt', 'x');
    expect(await probe()).toMatchObject({
      status: 'unknown',
      reason: 'baseline-missing-untracked-ambiguous',
    });
  });

  test('L-422 L-423 F-04 trouble with git is unknown, with its own reason', async () => {
    repository.write('.git/index', 'broken');
    expect(await checkpoint()).toMatchObject({ status: 'unknown', reason: 'git-status-failed' });
    expect(await probeTree(root, { mode: 'baseline', untracked: [], git })).toMatchObject({
      status: 'unknown',
      reason: 'git-diff-failed',
    });
    expect(await probeTree(folder(), { mode: 'checkpoint', git })).toMatchObject({ status: 'unknown' });
  });

  test('L-427 L-428 recovery restores the probed paths and nothing else', async () => {
    repository.write('keep.txt', 'mine');
    const untracked = await untrackedSnapshot(root, git);
    repository.write('a.txt', 'changed\n');
    repository.write('staged.txt', 'x');
    repository.git('add', 'staged.txt');
    rmSync(path.join(root, 'src/b.txt'));
    repository.write(':(glob)**', 'odd');
    const probe = await probeTree(root, { mode: 'baseline', untracked, git });
    const after = await restoreTree(root, probe, git);
    expect(after).toMatchObject({ tracked: [], newUntracked: ['keep.txt'] });
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\n');
    expect(readFileSync(path.join(root, 'src/b.txt'), 'utf8')).toBe('two\n');
    expect(existsSync(path.join(root, 'staged.txt'))).toBe(false);
  });

  test('L-427 L-428 a project that is a package gets its own and its neighbours’ files back, whatever diffs are set to', async () => {
    repository.git('config', 'diff.relative', 'true');
    const project = path.join(root, 'src');
    repository.write('src/keep.txt', 'mine');
    const untracked = await untrackedSnapshot(project, git);
    repository.write('a.txt', 'changed\n');
    repository.write('src/b.txt', 'changed\n');
    repository.write('src/stray.txt', 'x');
    const probe = await probeTree(project, { mode: 'baseline', untracked, git });
    expect(probe).toMatchObject({ tracked: ['a.txt', 'src/b.txt'], newUntracked: ['src/stray.txt'] });
    const after = await restoreTree(project, probe, git);
    expect(after).toMatchObject({ tracked: [], newUntracked: ['src/keep.txt'] });
    expect(readFileSync(path.join(root, 'src/b.txt'), 'utf8')).toBe('two\n');
  });

  test('L-428 nothing to restore touches nothing, and paths that lead out are refused', async () => {
    expect(await restoreTree(root, { tracked: [], newUntracked: [] }, git)).toMatchObject({
      status: 'clean',
    });
    repository.write('a.txt', 'changed');
    await expect(
      restoreTree(root, { tracked: ['a.txt'], newUntracked: ['../x'] }, git),
    ).rejects.toMatchObject({ code: 'path-unsafe' });
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('changed');
  });
});

test('worktrees are added, listed and removed with all that is in them', async () => {
  const target = path.join(folder(), 'lane 1');
  await addWorktree(root, target, 'HEAD', git);
  expect(readFileSync(path.join(target, 'a.txt'), 'utf8')).toBe('one\n');
  expect(await listWorktrees(root, git)).toMatchObject([
    { path: root, branch: 'main' },
    { path: target, branch: undefined },
  ]);
  repository.git('-C', target, 'rm', '--quiet', 'a.txt');
  await removeWorktree(root, target, git);
  expect(existsSync(target)).toBe(false);
  await removeWorktree(root, target, git);
  expect(await listWorktrees(root, git)).toHaveLength(1);
});

describe('drift', () => {
  test('what changed since the base of a plan is named', async () => {
    const base = repository.git('rev-parse', 'HEAD');
    expect(await driftSince(root, base, git)).toMatchObject({
      relation: 'same',
      commits: 0,
      files: [],
    });
    repository.write('a.txt', 'changed\n');
    repository.write('new.txt', 'x');
    repository.commit('more');
    rmSync(path.join(root, 'src/b.txt'));
    repository.write('loose.txt', 'x');
    const drift = await driftSince(root, base, git);
    expect(drift).toMatchObject({ relation: 'ahead', commits: 1 });
    expect(drift.files).toEqual([
      { path: 'a.txt', change: 'modified' },
      { path: 'loose.txt', change: 'added' },
      { path: 'new.txt', change: 'added' },
      { path: 'src/b.txt', change: 'deleted' },
    ]);
    expect(driftOfPlan(drift, ['a.txt', 'other.txt'])).toEqual([{ path: 'a.txt', change: 'modified' }]);
  });

  test('drift of a package is told in the paths of the package; its neighbours do not count', async () => {
    const base = repository.git('rev-parse', 'HEAD');
    repository.write('a.txt', 'changed\n');
    repository.write('src/b.txt', 'changed\n');
    repository.commit('both');
    repository.write('src/loose.txt', 'x');
    repository.write('loose.txt', 'x');
    const drift = await driftSince(path.join(root, 'src'), base, git);
    expect(drift.files).toEqual([
      { path: 'b.txt', change: 'modified' },
      { path: 'loose.txt', change: 'added' },
    ]);
    expect(driftOfPlan(drift, ['b.txt'])).toEqual([{ path: 'b.txt', change: 'modified' }]);
  });

  test('a rewritten history has diverged, an unknown commit is lost, and so is every one before the first', async () => {
    const base = repository.git('rev-parse', 'HEAD');
    repository.git('commit', '--quiet', '--amend', '--message', 'rewritten');
    expect(await driftSince(root, base, git)).toMatchObject({ relation: 'diverged' });
    expect(await driftSince(root, 'f'.repeat(40), git)).toMatchObject({ relation: 'lost' });
    expect(await driftSince(root, '--output=/tmp/x', git)).toMatchObject({ relation: 'lost' });
    const empty = temporaryRepository();
    folders.push(empty.root);
    expect(await driftSince(empty.root, base, git)).toMatchObject({ relation: 'lost', head: undefined });
  });
});
