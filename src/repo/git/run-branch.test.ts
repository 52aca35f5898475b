import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { temporaryRepository } from '../../../test/temporary-repository.ts';
import { commitAll, moveCheckout, openCheckout } from './checkout.ts';
import { branchTip, findLanded, forwardTo, openRunBranch, takeWork } from './run-branch.ts';

const repositories: ReturnType<typeof temporaryRepository>[] = [];
afterEach(() => {
  for (const repository of repositories.splice(0)) repository.remove();
});

async function begin() {
  const repository = temporaryRepository();
  repositories.push(repository);
  repository.write('a.txt', 'a\n');
  repository.write('.gitignore', 'trees/\n');
  const start = repository.commit('begin');
  await openRunBranch(repository.root, 'charrette/run', start);
  const open = async (name: string) => {
    const checkout = path.join(repository.root, 'trees', name);
    await openCheckout(repository.root, checkout, start);
    return checkout;
  };
  return { ...repository, start, open };
}

const branch = 'charrette/run';

test('P-115 the work of checkouts lands in order; the branch of the person does not move', async () => {
  const { root, git, start, open } = await begin();
  const [one, two] = [await open('one'), await open('two')];
  writeFileSync(path.join(one, 'one.txt'), '1\n');
  writeFileSync(path.join(two, 'two.txt'), '2\n');
  expect(await takeWork(root, one, { branch, start, message: 'One\n\nBatch: one.\n' })).toMatchObject({
    kind: 'landed',
    files: ['one.txt'],
    ignored: [],
  });
  const landed = await takeWork(root, two, { branch, start, message: 'Two\n\nBatch: two.\n' });
  expect(landed).toMatchObject({ kind: 'landed', commit: await branchTip(root, branch) });
  expect(git('log', '--format=%s', branch)).toBe('Two\nOne\nbegin');
  expect(git('log', '-1', '--format=%B|%an|%cn', branch)).toBe(
    'Two\n\nBatch: two.\n|Ann Example|Ann Example',
  );
  expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([start, '']);
  expect(await findLanded(root, branch, start, 'Batch: one.')).toMatchObject({ files: ['one.txt'] });
  expect(await findLanded(root, branch, start, 'Batch: three.')).toBeUndefined();
});

test('words of an agent that name another piece of work do not mark it as landed', async () => {
  const { root, start, open } = await begin();
  const one = await open('one');
  writeFileSync(path.join(one, 'one.txt'), '1\n');
  const said = 'One\n\nBatch: two.\n\nAlso Batch: three. is done\n\nBatch: one.\n';
  await takeWork(root, one, { branch, start, message: said });
  expect(await findLanded(root, branch, start, 'Batch: one.')).toMatchObject({ files: ['one.txt'] });
  for (const mark of ['Batch: two.', 'Batch: three.', 'Batch: on'])
    expect(await findLanded(root, branch, start, mark)).toBeUndefined();
  // The last paragraph of an older commit counts, whatever a newer one says.
  const two = await open('two');
  writeFileSync(path.join(two, 'two.txt'), '2\n');
  await takeWork(root, two, { branch, start, message: 'Two\n\nBatch: one.\n\nBatch: two.\n' });
  expect(await findLanded(root, branch, start, 'Batch: one.')).toMatchObject({ files: ['one.txt'] });
  expect(await findLanded(root, branch, start, 'Batch: two.')).toMatchObject({ files: ['two.txt'] });
});

test('P-126 a conflict leaves branch and checkout as they were and tells what collides', async () => {
  const { root, git, start, open } = await begin();
  const [one, two] = [await open('one'), await open('two')];
  writeFileSync(path.join(one, 'a.txt'), 'one\n');
  writeFileSync(path.join(two, 'a.txt'), 'two\n');
  await takeWork(root, one, { branch, start, message: 'One\n' });
  const tip = await branchTip(root, branch);
  const landing = await takeWork(root, two, { branch, start, message: 'Two\n' });
  expect(landing).toMatchObject({
    kind: 'conflict',
    files: ['a.txt'],
    text: expect.stringMatching(/<<<<<<<[\s\S]*one[\s\S]*two/),
  });
  expect(await branchTip(root, branch)).toBe(tip);
  expect(git('-C', two, 'log', '--format=%s')).toBe('Two\nbegin');
  expect(git('-C', two, 'status', '--porcelain')).toBe('');
});

test('moves the files of a checked-out run branch and keeps the user’s changes', async () => {
  const { root, git, write, start, open } = await begin();
  const [one, two] = [await open('one'), await open('two')];
  git('switch', '--quiet', branch);
  write('a.txt', 'mine\n');
  write('two.txt', 'mine too\n');
  writeFileSync(path.join(one, 'one.txt'), '1\n');
  const landed = await takeWork(root, one, { branch, start, message: 'One\n' });
  expect(landed).toMatchObject({ kind: 'landed', commit: git('rev-parse', 'HEAD') });
  expect(git('status', '--porcelain')).toBe('M a.txt\n?? two.txt');
  writeFileSync(path.join(two, 'two.txt'), '2\n');
  await expect(takeWork(root, two, { branch, start, message: 'Two\n' })).rejects.toMatchObject({
    code: 'git-failed',
    message: expect.stringMatching(/charrette\/run is checked out in .* overwritten by merge: two\.txt/),
  });
  expect(readFileSync(path.join(root, 'two.txt'), 'utf8')).toBe('mine too\n');
  git('switch', '--quiet', 'main');
  expect(await takeWork(root, two, { branch, start, message: 'Two\n' })).toMatchObject({ kind: 'landed' });
  expect(git('log', '--format=%s', branch)).toBe('Two\nOne\nbegin');
});

test('P-165 landing twice, opening twice and committing nothing change nothing', async () => {
  const { root, start, open } = await begin();
  const [one, two] = [await open('one'), await open('two')];
  expect(await commitAll(root, one, start, 'Nothing\n')).toBeUndefined();
  for (const [checkout, name] of [
    [one, 'one.txt'],
    [two, 'two.txt'],
  ] as const) {
    writeFileSync(path.join(checkout, name), '1\n');
    await open(path.basename(checkout));
    const taken = await takeWork(root, checkout, { branch, start, message: `${name}\n` });
    expect(await takeWork(root, checkout, { branch, start, message: `${name}\n` })).toEqual(taken);
    expect(taken).toMatchObject({ kind: 'landed', commit: await branchTip(root, branch) });
  }
  expect(await openRunBranch(root, branch, start)).toBe(await branchTip(root, branch));
  await moveCheckout(root, one, start);
  expect(existsSync(path.join(one, 'one.txt'))).toBe(false);
});

describe('the result goes to the branch the run began on, or nowhere', () => {
  async function done() {
    const made = await begin();
    const checkout = await made.open('one');
    writeFileSync(path.join(checkout, 'a.txt'), 'new\n');
    writeFileSync(path.join(checkout, 'local.env'), 'theirs\n');
    const taken = await takeWork(made.root, checkout, { branch, start: made.start, message: 'One\n' });
    const tip = taken.kind === 'landed' ? taken.commit : '';
    return { ...made, tip, began: { base: made.start, onto: 'main' } };
  }

  test('it does when nothing is in the way; a second time it is there already', async () => {
    const { root, git, tip, began } = await done();
    expect(await forwardTo(root, tip, began)).toEqual({ merged: true, reason: '' });
    git('switch', '--quiet', '--create', 'elsewhere', began.base);
    expect(await forwardTo(root, tip, began)).toEqual({ merged: true, reason: '' });
    expect(git('rev-parse', 'main', 'elsewhere')).toBe(`${tip}\n${began.base}`);
  });

  test('another branch at the same commit does not get the work', async () => {
    const { root, git, tip, began } = await done();
    git('switch', '--quiet', '--create', 'other');
    const result = await forwardTo(root, tip, began);
    expect(result).toEqual({ merged: false, reason: 'other is checked out, the run began on main' });
    expect(git('rev-parse', 'other', 'main')).toBe(`${began.base}\n${began.base}`);
  });

  test('does not touch a rebase at the same commit', async () => {
    const { root, git, tip, began, write, commit } = await done();
    write('a.txt', 'mine\n');
    commit('mine');
    git('switch', '--quiet', '--create', 'side', began.base);
    write('a.txt', 'other\n');
    const side = commit('other');
    expect(() => git('rebase', '--quiet', 'main')).toThrow();
    const base = git('rev-parse', 'HEAD');
    const result = await forwardTo(root, tip, { base, onto: undefined });
    expect(result).toEqual({ merged: false, reason: 'git rebase is in progress' });
    git('rebase', '--abort');
    expect(git('rev-parse', 'HEAD')).toBe(side);
  });

  test('merge.autoStash does not turn a changed file into conflict markers', async () => {
    const { root, git, tip, began, write } = await done();
    git('config', 'merge.autoStash', 'true');
    write('a.txt', 'dirty\n');
    expect(await forwardTo(root, tip, began)).toMatchObject({ merged: false });
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('dirty\n');
    expect(git('rev-parse', 'main')).toBe(began.base);
  });

  test('an ignored file of the person is not overwritten', async () => {
    const { root, git, tip, began, write } = await done();
    write('.git/info/exclude', 'local.env\n');
    write('local.env', 'mine\n');
    expect(await forwardTo(root, tip, began)).toMatchObject({
      merged: false,
      reason: expect.stringContaining('local.env'),
    });
    expect(readFileSync(path.join(root, 'local.env'), 'utf8')).toBe('mine\n');
    expect(git('rev-parse', 'main')).toBe(began.base);
  });

  test('a hook that fails after the merge does not make it unmerged', async () => {
    const { root, tip, began, write } = await done();
    write('.git/hooks/post-merge', '#!/bin/sh\nexit 1\n');
    chmodSync(path.join(root, '.git/hooks/post-merge'), 0o755);
    expect(await forwardTo(root, tip, began)).toEqual({ merged: true, reason: '' });
  });
});
