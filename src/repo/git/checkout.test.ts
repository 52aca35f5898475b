import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type TemporaryRepository,
  temporaryRepository,
  useBareGit,
} from '../../../test/temporary-repository.ts';
import { commitAll, ignoredIn, keepWork, moveCheckout, openCheckout, restoreWork } from './checkout.ts';
import { openRunBranch, takeWork } from './run-branch.ts';
import { listWorktrees, removeWorktree } from './worktrees.ts';

let repository: TemporaryRepository;
let start: string;
let checkout: string;
useBareGit();
const branch = 'charrette/run';

beforeEach(async () => {
  repository = temporaryRepository();
  repository.write('a.txt', 'a\n');
  repository.write('packages/one/b.txt', 'b\n');
  repository.write('.gitignore', 'trees/\n*.log\n');
  start = repository.commit('begin');
  await openRunBranch(repository.root, branch, start);
  checkout = path.join(repository.root, 'trees', 'one');
  await openCheckout(repository.root, checkout, start);
});
afterEach(() => repository.remove());

const inCheckout = (...args: string[]) => repository.git('-C', checkout, ...args);
const put = (file: string, text: string) => {
  mkdirSync(path.dirname(path.join(checkout, file)), { recursive: true });
  writeFileSync(path.join(checkout, file), text);
};

describe('a checkout that is none any more', () => {
  /** Everything of the person's that could be touched. */
  const state = () => [
    repository.git('rev-parse', 'HEAD', branch),
    repository.git('for-each-ref'),
    repository.git('status', '--porcelain'),
    readFileSync(path.join(repository.root, 'a.txt'), 'utf8'),
    readFileSync(path.join(repository.root, 'notes.txt'), 'utf8'),
  ];

  const damages: Record<string, () => void> = {
    'without its .git': () => rmSync(path.join(checkout, '.git')),
    'with a nested repository that runs programs': () => {
      rmSync(path.join(checkout, '.git'));
      inCheckout('init', '--quiet', '--template=');
      inCheckout('config', 'filter.evil.clean', `touch ${path.join(repository.root, 'notes.txt.evil')}; cat`);
      put('.gitattributes', '* filter=evil\n');
    },
    'that points at the person’s own repository': () =>
      put('.git', `gitdir: ${path.join(repository.root, '.git')}\n`),
    'that points at another worktree': () => {
      repository.git('worktree', 'add', '--quiet', '--detach', 'trees/other');
      put('.git', readFileSync(path.join(repository.root, 'trees', 'other', '.git'), 'utf8'));
    },
    'whose .git is a link': () => {
      renameSync(path.join(checkout, '.git'), path.join(checkout, 'pointer'));
      symlinkSync('pointer', path.join(checkout, '.git'));
    },
    'whose record leads to another repository': () => {
      const foreign = path.join(checkout, 'foreign');
      cpSync(path.join(repository.root, '.git'), foreign, { recursive: true });
      writeFileSync(path.join(repository.root, '.git', 'worktrees', 'one', 'commondir'), `${foreign}\n`);
    },
  };

  for (const [name, damage] of Object.entries(damages)) {
    test(`${name} is refused; nothing of the person’s is touched and the folder stays`, async () => {
      repository.write('a.txt', 'my own change\n');
      repository.write('notes.txt', 'mine\n');
      put('work.txt', 'work of an agent\n');
      damage();
      const before = state();
      const { root } = repository;
      const refusal = { code: 'checkout-unusable', message: expect.stringContaining(checkout) };
      const message = 'Work\n';
      await expect(moveCheckout(root, checkout, start)).rejects.toMatchObject(refusal);
      await expect(commitAll(root, checkout, start, message)).rejects.toMatchObject(refusal);
      await expect(takeWork(root, checkout, { branch, start, message })).rejects.toMatchObject(refusal);
      await expect(keepWork(root, checkout, start, 'refs/charrette/kept')).rejects.toMatchObject(refusal);
      await expect(openCheckout(root, checkout, start)).rejects.toMatchObject(refusal);
      expect(state()).toEqual(before);
      expect(readFileSync(path.join(checkout, 'work.txt'), 'utf8')).toBe('work of an agent\n');
      expect(existsSync(path.join(root, 'notes.txt.evil'))).toBe(false);
    });
  }

  test('is created again when only a half-made .git is left', async () => {
    rmSync(checkout, { recursive: true });
    put('.git', 'gitdir: nowhere\n');
    await openCheckout(repository.root, checkout, start);
    expect(readFileSync(path.join(checkout, 'a.txt'), 'utf8')).toBe('a\n');
  });
});

test('names copies of the project as a possible cause of an unusable checkout', async () => {
  const copy = `${repository.root}-copy`;
  cpSync(repository.root, copy, { recursive: true, verbatimSymlinks: true });
  try {
    await expect(openCheckout(copy, path.join(copy, 'trees', 'one'), start)).rejects.toMatchObject({
      code: 'checkout-unusable',
      message: expect.stringContaining('the project was copied or renamed'),
      fix: expect.stringContaining('move it away'),
    });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

test('a branch that an agent checked out in its checkout is not moved', async () => {
  repository.git('branch', 'develop', start);
  repository.git('switch', '--quiet', '--create', 'later');
  repository.write('later.txt', 'later\n');
  const later = repository.commit('later');
  inCheckout('switch', '--quiet', 'develop');
  put('work.txt', 'work\n');
  inCheckout('add', '--all');
  inCheckout('commit', '--quiet', '--message', 'mine');
  const develop = repository.git('rev-parse', 'develop');
  put('more.txt', 'more\n');
  const work = await commitAll(repository.root, checkout, start, 'Work\n');
  expect(work?.files).toEqual(['more.txt', 'work.txt']);
  inCheckout('switch', '--quiet', 'develop');
  await moveCheckout(repository.root, checkout, later);
  expect(repository.git('rev-parse', 'develop')).toBe(develop);
  expect(inCheckout('rev-parse', 'HEAD')).toBe(later);
  expect(existsSync(path.join(checkout, 'later.txt'))).toBe(true);
});

test('what an attempt left goes, wherever in the repository it is; what git ignores stays', async () => {
  put('packages/one/new.txt', 'x\n');
  put('packages/two/new.txt', 'x\n');
  put('packages/two/made/file.txt', 'x\n');
  put('build.log', 'x\n');
  repository.git('init', '--quiet', '--template=', path.join(checkout, 'packages/two/made'));
  await moveCheckout(repository.root, checkout, start);
  expect(inCheckout('status', '--porcelain')).toBe('');
  expect(existsSync(path.join(checkout, 'packages/two'))).toBe(false);
  expect(existsSync(path.join(checkout, 'build.log'))).toBe(true);
});

describe('work that git does not take', () => {
  test('rejects a nested repository each time and keeps it', async () => {
    put('made/index.txt', 'work\n');
    const nested = (...args: string[]) => repository.git('-C', path.join(checkout, 'made'), ...args);
    nested('init', '--quiet', '--template=');
    nested('add', '--all');
    nested('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '--message', 'scaffold');
    for (const _ of [1, 2])
      await expect(
        takeWork(repository.root, checkout, { branch, start, message: 'Work\n' }),
      ).rejects.toMatchObject({ code: 'checkout-unusable', message: expect.stringContaining('made') });
    expect(readFileSync(path.join(checkout, 'made/index.txt'), 'utf8')).toBe('work\n');
    expect(repository.git('rev-parse', branch)).toBe(start);
  });

  test('files in the folder of a submodule are refused and stay until the checkout is put back', async () => {
    repository.git('update-index', '--add', '--cacheinfo', `160000,${start},sub`);
    repository.git('commit', '--quiet', '--message', 'with a submodule');
    start = repository.git('rev-parse', 'HEAD');
    await moveCheckout(repository.root, checkout, start);
    expect(await commitAll(repository.root, checkout, start, 'Nothing\n')).toBeUndefined();
    put('sub/work.txt', 'work\n');
    await expect(commitAll(repository.root, checkout, start, 'Work\n')).rejects.toMatchObject({
      code: 'checkout-unusable',
      message: expect.stringContaining('submodule sub'),
    });
    expect(existsSync(path.join(checkout, 'sub/work.txt'))).toBe(true);
    await moveCheckout(repository.root, checkout, start);
    expect(await commitAll(repository.root, checkout, start, 'Nothing\n')).toBeUndefined();
  });

  test('ignored files are named, whether anything landed or not', async () => {
    put('run.log', 'work\n');
    put('logs/deep/x.log', 'work\n');
    const { root } = repository;
    const taken = await takeWork(root, checkout, { branch, start, message: 'Work\n' });
    expect(taken).toEqual({ kind: 'nothing', ignored: ['logs/', 'run.log'] });
    put('b.txt', 'b\n');
    expect(await takeWork(root, checkout, { branch, start, message: 'Work\n' })).toMatchObject({
      kind: 'landed',
      files: ['b.txt'],
      ignored: ['logs/', 'run.log'],
    });
    expect(await ignoredIn(root, checkout)).toEqual(['logs/', 'run.log']);
  });

  test('an ignored file that the agent added by force lands', async () => {
    put('wanted.log', 'work\n');
    inCheckout('add', '--force', 'wanted.log');
    expect(await commitAll(repository.root, checkout, start, 'Work\n')).toMatchObject({
      files: ['wanted.log'],
    });
  });

  test('a merge that was left half-done is refused; one whose conflicts are resolved becomes an ordinary commit', async () => {
    const commit = (text: string) => {
      put('a.txt', text);
      inCheckout(
        '-c',
        'user.name=A',
        '-c',
        'user.email=a@b',
        'commit',
        '--quiet',
        '--all',
        '--message',
        'its own',
      );
    };
    inCheckout('switch', '--quiet', '--create', 'side');
    commit('side\n');
    inCheckout('switch', '--quiet', '--detach', start);
    commit('other\n');
    expect(() => inCheckout('merge', 'side')).toThrow();
    await expect(commitAll(repository.root, checkout, start, 'Work\n')).rejects.toMatchObject({
      code: 'checkout-unusable',
      message: expect.stringContaining('a merge was left half-done in a.txt'),
    });
    put('a.txt', 'both\n');
    const work = await commitAll(repository.root, checkout, start, 'Work\n');
    expect(work?.files).toEqual(['a.txt']);
    expect(repository.git('show', `${work?.commit}:a.txt`)).toBe('both');
    expect(repository.git('rev-list', '--parents', '-1', work?.commit ?? '')).toBe(
      `${work?.commit} ${start}`,
    );
  });

  test('a change to a file that the agent told git to overlook lands', async () => {
    inCheckout('update-index', '--assume-unchanged', 'a.txt');
    inCheckout('update-index', '--skip-worktree', 'packages/one/b.txt');
    put('a.txt', 'changed\n');
    put('packages/one/b.txt', 'changed\n');
    expect(await commitAll(repository.root, checkout, start, 'Work\n')).toMatchObject({
      files: ['a.txt', 'packages/one/b.txt'],
    });
  });

  test('a file in place of the folder of an overlooked one ended the whole run', async () => {
    inCheckout('update-index', '--skip-worktree', 'packages/one/b.txt');
    rmSync(path.join(checkout, 'packages'), { recursive: true });
    put('packages', 'a file\n');
    expect(await commitAll(repository.root, checkout, start, 'Work\n')).toMatchObject({
      files: ['packages', 'packages/one/b.txt'],
    });
  });

  test('a link in place of the folder of a file in conflict ended the whole run', async () => {
    const commit = (text: string) => {
      put('packages/one/b.txt', text);
      inCheckout('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '-a', '-m', 'its own');
    };
    inCheckout('switch', '--quiet', '--create', 'side');
    commit('side\n');
    inCheckout('switch', '--quiet', '--detach', start);
    commit('other\n');
    expect(() => inCheckout('merge', 'side')).toThrow();
    rmSync(path.join(checkout, 'packages/one'), { recursive: true });
    symlinkSync(tmpdir(), path.join(checkout, 'packages/one'));
    expect(await commitAll(repository.root, checkout, start, 'Work\n')).toMatchObject({
      files: ['packages/one', 'packages/one/b.txt'],
    });
  });

  test('in a sparse checkout a file outside the cone is taken, and nothing that is not checked out is removed', async () => {
    repository.git('sparse-checkout', 'set', '--cone', 'packages/two');
    const sparse = path.join(repository.root, 'trees', 'sparse');
    await openCheckout(repository.root, sparse, start);
    expect(existsSync(path.join(sparse, 'packages/one'))).toBe(false);
    mkdirSync(path.join(sparse, 'packages/three'), { recursive: true });
    writeFileSync(path.join(sparse, 'packages/three/c.txt'), 'c\n');
    const work = await commitAll(repository.root, sparse, start, 'Work\n');
    expect(work?.files).toEqual(['packages/three/c.txt']);
  });
});

test('kept work comes back after the checkout was moved', async () => {
  put('work.txt', 'work\n');
  await keepWork(repository.root, checkout, start, 'refs/charrette/kept');
  await moveCheckout(repository.root, checkout, start);
  await restoreWork(repository.root, checkout, 'refs/charrette/kept');
  expect(readFileSync(path.join(checkout, 'work.txt'), 'utf8')).toBe('work\n');
});

test('a name that only the environment has signs the commits of a run', async () => {
  repository.git('config', '--unset', 'user.name');
  repository.git('config', '--unset', 'user.email');
  put('work.txt', 'work\n');
  vi.stubEnv('GIT_AUTHOR_NAME', 'Bot');
  vi.stubEnv('GIT_AUTHOR_EMAIL', 'bot@example.com');
  vi.stubEnv('GIT_COMMITTER_NAME', 'Builder');
  vi.stubEnv('GIT_COMMITTER_EMAIL', 'builder@example.com');
  const work = await commitAll(repository.root, checkout, start, 'Work\n');
  expect(repository.git('log', '-1', '--format=%an <%ae> %cn <%ce>', work?.commit ?? '')).toBe(
    'Bot <bot@example.com> Builder <builder@example.com>',
  );
  vi.unstubAllEnvs();
  const other = await commitAll(repository.root, checkout, start, 'Work\n');
  expect(repository.git('log', '-1', '--format=%an', other?.commit ?? '')).toBe('Charrette');
});

test('keeps worktrees on unmounted disks; reuses and removes its own entries', async () => {
  const disk = realpathSync(mkdtempSync(path.join(tmpdir(), 'charrette-disk-')));
  const place = path.join(disk, 'tree');
  const gone = path.join(repository.root, 'trees', 'gone');
  try {
    repository.git('worktree', 'add', '--quiet', place, '-b', 'far');
    writeFileSync(path.join(place, 'dirty.txt'), 'mine\n');
    repository.git('-C', place, 'add', 'dirty.txt');
    renameSync(place, `${place}.unmounted`);
    await openCheckout(repository.root, gone, start);
    rmSync(gone, { recursive: true });
    await openCheckout(repository.root, gone, start);
    rmSync(path.join(gone, '.git'));
    await removeWorktree(repository.root, gone);
    rmSync(checkout, { recursive: true });
    await removeWorktree(repository.root, checkout);
    await removeWorktree(repository.root, checkout);
    expect((await listWorktrees(repository.root)).map((worktree) => worktree.path)).toEqual([
      repository.root,
      place,
    ]);
    renameSync(`${place}.unmounted`, place);
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: place, encoding: 'utf8' })).toBe(
      'A  dirty.txt\n',
    );
  } finally {
    rmSync(disk, { recursive: true, force: true });
  }
});
