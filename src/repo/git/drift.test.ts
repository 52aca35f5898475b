import { rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { startedRepositories } from '../../../test/started-repository.ts';
import { type TemporaryRepository, useBareGit } from '../../../test/temporary-repository.ts';
import { driftOfPlan, driftSince } from './drift.ts';

useBareGit();
const { copy, empty: emptyRepository, folder } = startedRepositories();
let repository: TemporaryRepository;
let root: string;
beforeEach(() => {
  repository = copy();
  root = repository.root;
});

test('what changed since the base of a plan is named', async () => {
  const base = repository.git('rev-parse', 'HEAD');
  expect(await driftSince(root, base)).toMatchObject({
    relation: 'same',
    commits: 0,
    files: [],
  });
  repository.write('a.txt', 'changed\n');
  repository.write('new.txt', 'x');
  repository.commit('more');
  rmSync(path.join(root, 'src/b.txt'));
  repository.write('loose.txt', 'x');
  const drift = await driftSince(root, base);
  expect(drift).toMatchObject({ relation: 'ahead', commits: 1 });
  expect(drift.files).toEqual([
    { path: 'a.txt', change: 'modified' },
    { path: 'loose.txt', change: 'added' },
    { path: 'new.txt', change: 'added' },
    { path: 'src/b.txt', change: 'deleted' },
  ]);
  expect(driftOfPlan(drift, ['a.txt', 'other.txt'])).toEqual([{ path: 'a.txt', change: 'modified' }]);
});

test('reports the drift of a package by its own paths, without neighbours', async () => {
  const base = repository.git('rev-parse', 'HEAD');
  repository.write('a.txt', 'changed\n');
  repository.write('src/b.txt', 'changed\n');
  repository.commit('both');
  repository.write('src/loose.txt', 'x');
  repository.write('loose.txt', 'x');
  const drift = await driftSince(path.join(root, 'src'), base);
  expect(drift.files).toEqual([
    { path: 'b.txt', change: 'modified' },
    { path: 'loose.txt', change: 'added' },
  ]);
  expect(driftOfPlan(drift, ['b.txt'])).toEqual([{ path: 'b.txt', change: 'modified' }]);
});

test('does not report a lost base without git or a repository', async () => {
  const base = repository.git('rev-parse', 'HEAD');
  vi.stubEnv('PATH', folder());
  await expect(driftSince(root, base)).rejects.toMatchObject({ code: 'git-missing' });
  vi.unstubAllEnvs();
  await expect(driftSince(folder(), base)).rejects.toMatchObject({ code: 'not-a-repository' });
});

test('a rewritten history has diverged, an unknown commit is lost, and so is every one before the first', async () => {
  const base = repository.git('rev-parse', 'HEAD');
  repository.git('commit', '--quiet', '--amend', '--message', 'rewritten');
  expect(await driftSince(root, base)).toMatchObject({ relation: 'diverged' });
  expect(await driftSince(root, 'f'.repeat(40))).toMatchObject({ relation: 'lost' });
  expect(await driftSince(root, '--output=/tmp/x')).toMatchObject({ relation: 'lost' });
  const empty = emptyRepository();
  expect(await driftSince(empty.root, base)).toMatchObject({ relation: 'lost', head: undefined });
});
