import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { startedRepositories } from '../../../test/started-repository.ts';
import { type TemporaryRepository, useBareGit } from '../../../test/temporary-repository.ts';
import { normalOrigin, repositoryFacts, repositoryIdentity, repositoryNotes } from './repository-facts.ts';
import { addWorktree } from './worktrees.ts';

test('one repository has one name however its address is written, and the name carries no login', () => {
  for (const url of [
    'https://github.com/acme/shop.git',
    'https://someone:secret@GitHub.com/acme/shop',
    'ssh://git@github.com:22/acme/shop.git/',
    'git@github.com:acme/shop.git',
    'github.com:/acme/shop',
  ])
    expect(normalOrigin(url), url).toBe('github.com/acme/shop');
  for (const url of ['/srv/git/shop.git', '../shop', 'file:///srv/shop', 'C:/shop', ''])
    expect(normalOrigin(url), url).toBeUndefined();
});

test('clones of a folder are known by their first commit', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-identity-'));
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], { cwd, stdio: 'pipe' });
  try {
    git(folder, 'init', '--quiet', 'one');
    const one = path.join(folder, 'one');
    expect(await repositoryIdentity(one)).toContain('folder:');
    git(one, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    git(folder, 'clone', '--quiet', 'one', 'two');
    const identity = await repositoryIdentity(one);
    expect(identity).toMatch(/^commit:[0-9a-f]{40}$/);
    git(path.join(folder, 'two'), 'commit', '--quiet', '--allow-empty', '-m', 'second');
    expect(await repositoryIdentity(path.join(folder, 'two'))).toBe(identity);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

useBareGit();
const { copy, empty: emptyRepository, folder } = startedRepositories();
let repository: TemporaryRepository;
let root: string;
beforeEach(() => {
  repository = copy();
  root = repository.root;
});

test('an ordinary clone, seen from a subfolder', async () => {
  expect(await repositoryFacts(path.join(root, 'src'))).toMatchObject({
    root,
    subfolder: 'src',
    linkedWorktree: false,
    superproject: undefined,
    shallow: false,
    head: repository.git('rev-parse', 'HEAD'),
    branch: 'main',
  });
});

test('a folder whose name has a line end', async () => {
  const odd = path.join(folder(), 'two\nlines');
  repository.git('clone', '--quiet', root, odd);
  expect(await repositoryFacts(path.join(odd, 'src'))).toMatchObject({
    root: odd,
    subfolder: 'src',
    gitDirectory: path.join(odd, '.git'),
  });
});

test('L-111 a detached HEAD, no commits, a shallow clone, a bare repository', async () => {
  repository.git('checkout', '--quiet', '--detach');
  const detached = await repositoryFacts(root);
  expect(detached.branch).toBeUndefined();
  expect(repositoryNotes(detached)).toEqual(['HEAD is detached.']);
  const empty = emptyRepository();
  expect(await repositoryFacts(empty.root)).toMatchObject({ head: undefined, branch: 'main' });
  repository.write('c', '1');
  repository.commit('second');
  repository.git('checkout', '--quiet', '-B', 'main');
  const shallow = path.join(folder(), 's');
  repository.git('clone', '--quiet', '--depth=1', `file://${root}`, shallow);
  expect((await repositoryFacts(shallow)).shallow).toBe(true);
  const bare = path.join(folder(), 'b.git');
  repository.git('clone', '--quiet', '--bare', root, bare);
  await expect(repositoryFacts(bare)).rejects.toMatchObject({ code: 'not-a-repository' });
  await expect(repositoryFacts(path.join(root, '.git'))).rejects.toMatchObject({
    code: 'not-a-repository',
  });
});

test('linked worktrees and submodules', async () => {
  const linked = path.join(folder(), 'w');
  await addWorktree(root, linked, 'HEAD');
  expect(await repositoryFacts(linked)).toMatchObject({ linkedWorktree: true, branch: undefined });
  const outer = emptyRepository();
  outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', root, 'sub');
  expect((await repositoryFacts(path.join(outer.root, 'sub'))).superproject).toBe(outer.root);
});
