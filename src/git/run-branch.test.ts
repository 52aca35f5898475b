import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { temporaryRepository } from '../../test/temporary-repository.ts';
import {
  branchTip,
  commitAll,
  findLanded,
  landCheckout,
  moveCheckout,
  openCheckout,
  openRunBranch,
} from './run-branch.ts';

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

test('P-115 the work of checkouts lands in order; the branch of the person does not move', async () => {
  const { root, git, start, open } = await begin();
  const [one, two] = [await open('one'), await open('two')];
  writeFileSync(path.join(one, 'one.txt'), '1\n');
  writeFileSync(path.join(two, 'two.txt'), '2\n');
  expect(await commitAll(one, start, 'One\n\nBatch: one.\n')).toMatchObject({ files: ['one.txt'] });
  expect(await landCheckout(root, one, 'charrette/run', start)).toMatchObject({ kind: 'landed' });
  await commitAll(two, start, 'Two\n\nBatch: two.\n');
  const landed = await landCheckout(root, two, 'charrette/run', start);
  expect(landed).toEqual({ kind: 'landed', commit: await branchTip(root, 'charrette/run') });
  expect(git('log', '--format=%s', 'charrette/run')).toBe('Two\nOne\nbegin');
  expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([start, '']);
  expect(await findLanded(root, 'charrette/run', start, 'Batch: one.')).toMatchObject({ files: ['one.txt'] });
  expect(await findLanded(root, 'charrette/run', start, 'Batch: three.')).toBeUndefined();
});

test('P-126 a conflict leaves branch and checkout as they were and tells what collides', async () => {
  const { root, git, start, open } = await begin();
  const [one, two] = [await open('one'), await open('two')];
  writeFileSync(path.join(one, 'a.txt'), 'one\n');
  writeFileSync(path.join(two, 'a.txt'), 'two\n');
  await commitAll(one, start, 'One\n');
  await landCheckout(root, one, 'charrette/run', start);
  const tip = await branchTip(root, 'charrette/run');
  const work = await commitAll(two, start, 'Two\n');
  const landing = await landCheckout(root, two, 'charrette/run', start);
  expect(landing).toMatchObject({ kind: 'conflict', files: ['a.txt'], text: expect.stringContaining('two') });
  expect(await branchTip(root, 'charrette/run')).toBe(tip);
  expect(git('-C', two, 'rev-parse', 'HEAD')).toBe(work?.commit);
});

test('P-165 landing twice, opening twice and committing nothing change nothing', async () => {
  const { root, start, open } = await begin();
  const one = await open('one');
  expect(await commitAll(one, start, 'Nothing\n')).toBeUndefined();
  writeFileSync(path.join(one, 'one.txt'), '1\n');
  await open('one');
  expect(existsSync(path.join(one, 'one.txt'))).toBe(true);
  await commitAll(one, start, 'One\n');
  const first = await landCheckout(root, one, 'charrette/run', start);
  expect(await landCheckout(root, one, 'charrette/run', start)).toEqual(first);
  expect(await openRunBranch(root, 'charrette/run', start)).toBe(await branchTip(root, 'charrette/run'));
  await moveCheckout(one, start);
  expect(existsSync(path.join(one, 'one.txt'))).toBe(false);
});
