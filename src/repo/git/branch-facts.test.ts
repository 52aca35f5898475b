import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { startedRepositories } from '../../../test/started-repository.ts';
import { type TemporaryRepository, useBareGit } from '../../../test/temporary-repository.ts';
import {
  branchFacts,
  branchFactsOf,
  branchInfoMismatches,
  branchName,
  decideBranch,
  detectMainBranch,
  entryGate,
  incompleteBranchInfo,
  parseBranchInfo,
  userPrefix,
} from './branches.ts';
import {
  isRecoverable,
  recoveryOptions,
  renderDirtyTree,
  renderPathList,
  renderProbe,
} from './tree-probe.ts';

test.each([
  ['Ann Example', 'ann-example'],
  ['Jürgen O’Neil', 'jrgen-oneil'],
  ['A Very Long Name Indeed It Is', 'a-very-long-name-ind'],
  ['Nineteen Character X', 'nineteen-character-x'],
  ['ends with dash here -', 'ends-with-dash-here'],
  ['-x', 'x'],
  ['王-', 'dev'],
  ['王', 'dev'],
  ['', 'dev'],
])('L-105 the prefix of %j is %s', (name, prefix) => {
  expect(userPrefix(name)).toBe(prefix);
});

test('L-103 L-104 facts from a branch name', () => {
  expect(branchFactsOf('', 'ann')).toMatchObject({ isMain: true, isUserBranch: false });
  expect(branchFactsOf('main', 'ann')).toMatchObject({ isMain: true });
  expect(branchFactsOf('ann/x', 'ann')).toMatchObject({ isMain: false, isUserBranch: true });
  expect(branchFactsOf('annother/x', 'ann')).toMatchObject({ isMain: false, isUserBranch: false });
  expect(branchFactsOf('trunk', 'ann', 'trunk')).toMatchObject({ isMain: true });
});

test('L-009 L-101 branch info needs all four keys', () => {
  const facts = branchFactsOf('ann/x', 'ann');
  const value = 'IS_MAIN=false IS_USER_BRANCH=true USER_PREFIX=ann CURRENT_BRANCH=ann/x';
  expect(parseBranchInfo(value)).toEqual(facts);
  for (const pair of value.split(' ')) expect(parseBranchInfo(value.replace(pair, ''))).toBeUndefined();
  expect(parseBranchInfo(value.replace('=false', '=maybe'))).toBeUndefined();
  expect(
    parseBranchInfo('IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX=ann CURRENT_BRANCH=')?.currentBranch,
  ).toBe('');
});

test('L-010 panel/C-29 supplied facts that do not hold are named', () => {
  const actual = branchFactsOf('main', 'ann');
  expect(branchInfoMismatches(actual, actual)).toEqual([]);
  expect(branchInfoMismatches(branchFactsOf('ann/x', 'ann'), actual)).toContain(
    'currentBranch is "main", not "ann/x"',
  );
});

const facts = { currentBranch: 'x', isMain: false, userPrefix: 'ann' };

test.each([
  ['design', false, true, 'continue'],
  ['design', true, true, 'continue'],
  ['design', true, false, 'continue'],
  ['design', false, false, 'strict'],
] as const)(
  'L-106 L-107 L-970 mode %s, user branch %s, branch info %s: %s',
  (mode, isUserBranch, branchInfoSupplied, gate) => {
    expect(entryGate({ mode, isUserBranch, branchInfoSupplied, ...facts }).entryGate).toBe(gate);
  },
);

test.each([
  [true, 'continue'],
  [false, 'strict'],
] as const)('L-107 mode implement, user branch %s: %s', (isUserBranch, gate) => {
  expect(entryGate({ mode: 'implement', isUserBranch, ...facts }).entryGate).toBe(gate);
});

test('L-109 L-970 the two keys always say the same', () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      fc.string(),
      (isMain, isUserBranch, branchInfoSupplied, currentBranch) => {
        const decision = entryGate({
          mode: 'design',
          isMain,
          isUserBranch,
          branchInfoSupplied,
          currentBranch,
          userPrefix: 'a',
        });
        expect(decision.skipBranchCheck).toBe(decision.entryGate === 'continue');
      },
    ),
  );
});

test('L-111 a detached HEAD is strict', () => {
  const detached = branchFactsOf('', 'ann');
  expect(entryGate({ mode: 'design', branchInfoSupplied: false, ...detached }).entryGate).toBe('strict');
});

test('L-151 L-155 branch names stay under 50 characters, also with a number', () => {
  expect(branchName('ann', 'Add user auth')).toBe('ann/add-user-auth');
  expect(branchName('ann', 'Add user auth', 3)).toBe('ann/add-user-auth-3');
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,18}[a-z0-9]$/),
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 1, max: 99 }),
      (prefix, feature, number) => {
        const name = branchName(prefix, feature, number);
        expect(name.length).toBeLessThan(50);
        expect(name).toMatch(/^[a-z0-9-]+\/[a-z0-9-]*[a-z0-9]$/);
      },
    ),
  );
});

test('L-151 L-152 L-153 L-156 panel/C-27 panel/C-28 what step 1 does', () => {
  const rules = { interactive: true };
  expect(decideBranch(branchFactsOf('main', 'ann'), rules)).toEqual({ action: 'create' });
  expect(decideBranch(branchFactsOf('ann/x', 'ann'), rules)).toEqual({ action: 'keep', branch: 'ann/x' });
  expect(decideBranch(branchFactsOf('ann/x', 'ann'), { ...rules, fits: false }).action).toBe('ask');
  expect(decideBranch(branchFactsOf('ann/x', 'ann'), { interactive: false, fits: false })).toMatchObject({
    action: 'keep',
    warning: expect.stringContaining('may not match'),
  });
  expect(
    decideBranch(branchFactsOf('ann/x', 'ann'), { interactive: false, fits: false, leaveUnrelated: true }),
  ).toEqual({
    action: 'create',
    warning:
      "**⚠ Current branch 'ann/x' may not match the requested feature. Creating a new branch from main.**",
  });
  expect(decideBranch(branchFactsOf('feature', 'ann'), rules)).toEqual({
    action: 'create',
    warning:
      "**⚠ Currently on branch 'feature' which doesn't match the expected 'ann/*' pattern. Creating a new branch from main.**",
  });
});

test('L-421 the lines of a probe', () => {
  const probe = {
    status: 'dirty' as const,
    mode: 'baseline' as const,
    untrackedBaseline: 'present' as const,
    tracked: ['a'],
    newUntracked: [],
    reason: 'tracked-paths-changed',
  };
  expect(renderProbe(probe, { tracked: 't', newUntracked: 'n' })).toBe(
    'STATUS=dirty\nMODE=baseline\nUNTRACKED_BASELINE=present\nTRACKED_PATHS_FILE=t\nNEW_UNTRACKED_PATHS_FILE=n\nREASON=tracked-paths-changed\n',
  );
  expect(renderPathList(['a b', 'c'])).toBe('a b\0c\0');
});

test('L-424 the record of a dirty tree', () => {
  expect(renderDirtyTree({ status: 'dirty', stage: 'sketch-collection', recoveryRequired: true })).toBe(
    'STATUS=dirty\nSTAGE=sketch-collection\nRECOVERY_REQUIRED=true\n',
  );
});

test('L-427 panel/C-11 what may be offered', () => {
  expect(recoveryOptions('dirty', true)).toEqual(['restore', 'cancel']);
  expect(recoveryOptions('unknown', true)).toEqual(['continue', 'cancel']);
  expect(recoveryOptions('dirty', false)).toEqual(['cancel']);
});

test.each(['/etc/passwd', '../x', 'a/../../b', '.git/config', '.GIT/x', '', 'a\0b'])(
  'L-428 %j is never given to git',
  (file) => {
    expect(isRecoverable(file)).toBe(false);
  },
);

test('L-009 the line about facts that are not complete', () => {
  expect(incompleteBranchInfo).toBe(
    '**⚠ --branch-info is incomplete. Falling back to create-branch.sh --check.**',
  );
});

useBareGit();
const { copy, folder } = startedRepositories();
let repository: TemporaryRepository;
let root: string;
beforeEach(() => {
  repository = copy();
  root = repository.root;
});

test('L-103 L-104 branch facts from a real repository, without side effects', async () => {
  expect(await branchFacts(root, 'main')).toEqual({
    currentBranch: 'main',
    isMain: true,
    isUserBranch: false,
    userPrefix: 'ann-example',
  });
  repository.git('checkout', '--quiet', '-b', 'ann-example/thing');
  expect(await branchFacts(root, 'main')).toMatchObject({ isUserBranch: true });
  repository.git('checkout', '--quiet', '--detach');
  expect(await branchFacts(root, 'main')).toMatchObject({ currentBranch: '', isMain: true });
});

test('the main branch is what the remote says, else main, else master', async () => {
  expect(await detectMainBranch(root, 'origin')).toBe('main');
  repository.git('branch', '--move', 'master');
  expect(await detectMainBranch(root, 'origin')).toBe('master');
  const clone = path.join(folder(), 'c');
  repository.git('clone', '--quiet', '--origin', 'upstream', root, clone);
  expect(await detectMainBranch(clone, 'upstream')).toBe('master');
});
