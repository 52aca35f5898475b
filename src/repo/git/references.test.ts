import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  bareEnvironment,
  type TemporaryRepository,
  temporaryRepository,
  useBareGit,
} from '../../../test/temporary-repository.ts';
import { displaced, type References, referencesOf } from './references.ts';

useBareGit();
let repository: TemporaryRepository;
let first: string;
let second: string;
beforeEach(() => {
  repository = temporaryRepository();
  repository.write('a.txt', 'one\n');
  first = repository.commit('first');
  repository.write('a.txt', 'two\n');
  second = repository.commit('second');
});
afterEach(() => repository.remove());

async function look(): Promise<References> {
  const found = await referencesOf(repository.root);
  if (found === undefined) throw new Error('git says nothing');
  return found;
}

/** Runs the reported commands as the user would; everything must be restored. */
async function told(deed: () => void): Promise<string[]> {
  const before = await look();
  deed();
  const found = displaced(before, await look());
  for (const { command } of found)
    execFileSync('sh', ['-c', command], { cwd: repository.root, env: bareEnvironment, stdio: 'pipe' });
  const again = await look();
  for (const [name, id] of before) expect([name, again.get(name)]).toEqual([name, id]);
  return found.map(({ text }) => text);
}

test('reports moved or deleted branches and tags with a command that restores them', async () => {
  const { git } = repository;
  git('branch', 'develop', second);
  git('branch', "it's", first);
  git('tag', '--annotate', '--message', 'one', 'v1', first);
  const tag = git('rev-parse', 'v1');
  const lines = await told(() => {
    git('branch', '--force', 'develop', first);
    git('branch', '--delete', '--force', "it's");
    git('tag', '--delete', 'v1');
  });
  expect(lines).toEqual([
    `refs/heads/develop was moved from ${second} to ${first}`,
    `refs/heads/it's is gone; it was at ${first}`,
    `refs/tags/v1 is gone; it was at ${tag}`,
  ]);
});

test('reports a dropped or new stash, also below the newest', async () => {
  const { git, write } = repository;
  for (const text of ['older\n', 'newer\n']) {
    write('a.txt', text);
    git('stash', 'push', '--quiet');
  }
  const [newer, older] = git('rev-list', '--walk-reflogs', 'refs/stash').split('\n');
  expect(await told(() => git('stash', 'drop', '--quiet', 'stash@{1}'))).toEqual([
    `git stash has lost its entry ${older}`,
  ]);
  expect((await told(() => git('stash', 'clear'))).sort()).toEqual(
    [newer, older].map((id) => `git stash has lost its entry ${id}`).sort(),
  );
  write('a.txt', 'mine\n');
  const made = await told(() => git('stash', 'push', '--quiet'));
  expect(made).toEqual([`git stash has a new entry ${git('rev-parse', 'refs/stash')}`]);
});

test('ignores new branches and tags and moved run branches; reports a lost run branch', async () => {
  const { git } = repository;
  git('branch', 'charrette/one', first);
  git('branch', 'charrette/two', first);
  const before = await look();
  git('branch', 'new');
  git('tag', 'new');
  git('branch', '--force', 'charrette/one', second);
  expect(displaced(before, await look())).toEqual([]);
  expect(await told(() => git('branch', '--delete', '--force', 'charrette/two'))).toEqual([
    `refs/heads/charrette/two is gone; it was at ${first}`,
  ]);
});

test('where git cannot say it nothing is known', async () => {
  repository.remove();
  expect(await referencesOf(repository.root)).toBeUndefined();
});
