import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { startedRepositories } from '../../../test/started-repository.ts';
import { bareEnvironment, type TemporaryRepository } from '../../../test/temporary-repository.ts';
import { branchFacts, detectMainBranch } from './branch-facts.ts';

const git = { environment: bareEnvironment };
const { copy, folder } = startedRepositories();
let repository: TemporaryRepository;
let root: string;
beforeEach(() => {
  repository = copy();
  root = repository.root;
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
