import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startedRepositories } from '../../../test/started-repository.ts';
import { type TemporaryRepository, useBareGit } from '../../../test/temporary-repository.ts';
import { probeTree, restoreTree, untrackedSnapshot } from './tree-probe.ts';

useBareGit();
const { copy, folder } = startedRepositories();
let repository: TemporaryRepository;
let root: string;
beforeEach(() => {
  repository = copy();
  root = repository.root;
});

describe('L-420 L-975 the tree probe', () => {
  const checkpoint = () => probeTree(root, { mode: 'checkpoint' });

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
    const untracked = await untrackedSnapshot(root);
    expect(untracked).toEqual(['before.txt']);
    const probe = () => probeTree(path.join(root, 'src'), { mode: 'baseline', untracked });
    expect(await probe()).toMatchObject({ status: 'clean', untrackedBaseline: 'present' });
    repository.write('after.txt', 'x');
    repository.write('a.txt', 'changed');
    expect(await probe()).toMatchObject({ status: 'dirty', tracked: ['a.txt'], newUntracked: ['after.txt'] });
  });

  test('L-423 without a baseline untracked files are ambiguous', async () => {
    const probe = () => probeTree(root, { mode: 'baseline', untracked: undefined });
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
    expect(await probeTree(root, { mode: 'baseline', untracked: [] })).toMatchObject({
      status: 'unknown',
      reason: 'git-diff-failed',
    });
    expect(await probeTree(folder(), { mode: 'checkpoint' })).toMatchObject({ status: 'unknown' });
  });

  test('L-427 L-428 recovery restores the probed paths and nothing else', async () => {
    repository.write('keep.txt', 'mine');
    const untracked = await untrackedSnapshot(root);
    repository.write('a.txt', 'changed\n');
    repository.write('staged.txt', 'x');
    repository.git('add', 'staged.txt');
    rmSync(path.join(root, 'src/b.txt'));
    repository.write(':(glob)**', 'odd');
    const probe = await probeTree(root, { mode: 'baseline', untracked });
    const after = await restoreTree(root, probe);
    expect(after).toMatchObject({ tracked: [], newUntracked: ['keep.txt'] });
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\n');
    expect(readFileSync(path.join(root, 'src/b.txt'), 'utf8')).toBe('two\n');
    expect(existsSync(path.join(root, 'staged.txt'))).toBe(false);
  });

  test('L-427 L-428 a project that is a package gets its own and its neighbours’ files back, whatever diffs are set to', async () => {
    repository.git('config', 'diff.relative', 'true');
    const project = path.join(root, 'src');
    repository.write('src/keep.txt', 'mine');
    const untracked = await untrackedSnapshot(project);
    repository.write('a.txt', 'changed\n');
    repository.write('src/b.txt', 'changed\n');
    repository.write('src/stray.txt', 'x');
    const probe = await probeTree(project, { mode: 'baseline', untracked });
    expect(probe).toMatchObject({ tracked: ['a.txt', 'src/b.txt'], newUntracked: ['src/stray.txt'] });
    const after = await restoreTree(project, probe);
    expect(after).toMatchObject({ tracked: [], newUntracked: ['src/keep.txt'] });
    expect(readFileSync(path.join(root, 'src/b.txt'), 'utf8')).toBe('two\n');
  });

  test('L-428 nothing to restore touches nothing, and paths that lead out are refused', async () => {
    expect(await restoreTree(root, { tracked: [], newUntracked: [] })).toMatchObject({
      status: 'clean',
    });
    repository.write('a.txt', 'changed');
    await expect(restoreTree(root, { tracked: ['a.txt'], newUntracked: ['../x'] })).rejects.toMatchObject({
      code: 'path-unsafe',
    });
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('changed');
  });
});
