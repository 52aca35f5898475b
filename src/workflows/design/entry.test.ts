import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TemporaryRepository, temporaryRepository } from '../../../test/temporary-repository.ts';
import { branchFits, enterRepository } from './step-1-branch.ts';

let repository: TemporaryRepository;
beforeEach(() => {
  repository = temporaryRepository();
  repository.write('a.txt', 'one\n');
  repository.commit('start');
});
afterEach(() => repository.remove());

const enter = (git = {}) => enterRepository(repository.root, { feature: 'x', branch: true, git });

test('L-118 of the remedies for a changed tree on main the one that helps is named', async () => {
  repository.write('new.txt', 'two\n');
  await expect(enter()).rejects.toMatchObject({
    code: 'dirty-tree',
    message: expect.stringMatching(
      /^PREFLIGHT_ERROR=the tree is not clean .*\n.*\n +\(a\).*\n +\(b\).*\n +\(c\)/,
    ),
    fix: expect.stringMatching(/^Here \(c\) helps; --no-branch accepts/),
  });
});

test('L-118 on another branch (a) and (b) help, and without the remote none does', async () => {
  await expect(enter({ mainBranch: 'trunk' })).rejects.toMatchObject({
    code: 'preflight-failed',
    fix: expect.stringMatching(/^Here \(a\) or \(b\) helps/),
  });
  await expect(enter({ remote: 'gone', remoteRequired: true })).rejects.toMatchObject({
    code: 'preflight-failed',
    fix: expect.stringMatching(/^Fix the git error above; --no-branch/),
  });
});

const about = (name: string, ...subjects: string[]) => ({ name: `ann/${name}`, prefix: 'ann', subjects });

test('L-152 L-156 a branch fits unless its name and its commits are plainly about something else', () => {
  const feature = 'add rate limiting to the API';
  for (const branch of [
    about('rate-limits', 'Count requests'),
    about('spike', 'Try a limiter in front of the router'),
    about('checkout-colours'),
    about('x', 'wip'),
    about('fix', 'Fix the tests'),
  ])
    expect(branchFits(branch, feature), branch.name).toBe(true);
  expect(branchFits(about('checkout-colours', 'Paint the button blue'), feature)).toBe(false);
  expect(branchFits(about('checkout-colours', 'Paint the button blue'), 'add the new')).toBe(true);
});
