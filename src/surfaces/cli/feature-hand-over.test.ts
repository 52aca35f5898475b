import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { parseJson } from '../../base/safe-json.ts';
import { renderPullRequest, titleOf } from '../../workflows/feature/rules/finish-texts.ts';

const git = (cwd: string, ...words: string[]) =>
  execFileSync('git', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

const long = 'word '.repeat(30);

/** A feature whose work is done, on the branch that its state names. */
function doneFeature(state: object = {}): { root: string; directory: string } {
  const root = mkdtempSync(path.join(tmpdir(), 'hand-over-'));
  const directory = path.join(root, 'docs/features/001-search');
  git(root, 'init', '--quiet', '--initial-branch=main');
  git(root, 'config', 'user.name', 'Ann');
  git(root, 'config', 'user.email', 'ann@example.com');
  writeFileSync(path.join(root, '.gitignore'), '.charrette/\n');
  writeFileSync(path.join(root, 'code.txt'), 'one\n');
  commitAll(root, 'Begin');
  git(root, 'switch', '--quiet', '-c', 'feature/001-search');
  mkdirSync(directory, { recursive: true });
  const meta = {
    id: '001',
    status: 'active',
    branch: 'feature/001-search',
    lastCompletedPhase: 'implement',
    phases: { implement: { started: 'a', completed: 'b', iterations: 3, reviewerNotes: ['mind the gap'] } },
    ...state,
  };
  writeFileSync(path.join(directory, '.meta.json'), JSON.stringify(meta));
  writeFileSync(
    path.join(directory, 'spec.md'),
    `# Specification: Search by tag\n\n## Acceptance Criteria\n${long}`,
  );
  writeFileSync(path.join(directory, 'tasks.md'), `## Phase 1\n### Task 1: One\n${long}`);
  writeFileSync(path.join(directory, 'implementation-log.md'), '# Implementation Log\n## Task 1: One\n');
  writeFileSync(path.join(root, 'code.txt'), 'two\n');
  commitAll(root, 'Work');
  return { root, directory };
}

function commitAll(root: string, message: string): void {
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message', message);
}

const finish = (root: string, ...words: string[]) =>
  runCommandLine('feature', 'finish', '--no-checks', '--cwd', root, ...words);
const statusOf = (directory: string) =>
  (parseJson(readFileSync(path.join(directory, '.meta.json'), 'utf8'), 'state') as { status: string }).status;

/** Index and working tree, as git reports them. */
const treeOf = (root: string) => [
  git(root, 'ls-files', '--stage'),
  git(root, 'status', '--porcelain', '--untracked-files=all'),
];

test('§2B: finish --merge commits the records, merges, and deletes the branch', async () => {
  const { root, directory } = doneFeature();
  const { exit, out, err } = await finish(root, '--merge', '--json');
  expect(exit, err).toBe(0);
  expect(parseJson(out, 'stdout')).toMatchObject({ merged: { onto: 'main', commit: expect.any(String) } });
  expect(git(root, 'log', '--first-parent', '--format=%s').split('\n')).toEqual([
    'Merge feature 001-search: Search by tag',
    'Begin',
  ]);
  expect(git(root, 'log', '-1', '--format=%s', 'HEAD^2')).toBe('phase(finish): search - approved');
  expect(git(root, 'branch', '--format=%(refname:short)')).toBe('main');
  expect([git(root, 'status', '--porcelain'), statusOf(directory)]).toEqual(['', 'completed']);
  expect(existsSync(path.join(directory, 'retro.md'))).toBe(true);
});

test('§2B: finish --pull-request writes its text and says what to run; nothing leaves the machine', async () => {
  const { root, directory } = doneFeature();
  const { exit, out, err } = await finish(root, '--pull-request');
  expect(exit, err).toBe(0);
  const file = path.join(root, '.charrette/features/001-search/pull-request.md');
  expect(out).toContain(`pull request: ${file}\n`);
  expect(out).toContain('  git push --set-upstream origin feature/001-search\n');
  expect(out).toContain(`--title 'Search by tag' --body-file ${file}`);
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(/^# Search by tag\n/);
  expect(text).toContain('- Task 1: One\n');
  expect(text).toContain('- implement: 3 review rounds\n- tests: skipped\n');
  expect(text).toContain('- [suggestion] implement: mind the gap\n');
  expect(git(root, 'log', '--format=%s').split('\n')).toEqual([
    'phase(finish): search - approved',
    'Work',
    'Begin',
  ]);
  expect([git(root, 'status', '--porcelain'), statusOf(directory)]).toEqual(['', 'completed']);
});

test.each<[string, (root: string) => void, string[], number, string]>([
  [
    'a conflict',
    (root) => {
      git(root, 'switch', '--quiet', 'main');
      writeFileSync(path.join(root, 'code.txt'), 'three\n');
      commitAll(root, 'Elsewhere');
      git(root, 'switch', '--quiet', 'feature/001-search');
    },
    ['--merge'],
    6,
    'conflict in code.txt',
  ],
  [
    'an uncommitted change',
    (root) => writeFileSync(path.join(root, 'mine.txt'), ''),
    ['--merge'],
    5,
    'mine.txt',
  ],
  ['both', () => {}, ['--merge', '--pull-request'], 2, 'exclude each other'],
  ['no such branch', () => {}, ['--merge', '--onto', 'gone'], 4, 'branch gone does not exist'],
  [
    'an option for a branch',
    () => {},
    ['--merge', '--onto=--upload-pack=x'],
    4,
    'branch --upload-pack=x does not exist',
  ],
  ['itself', () => {}, ['--pull-request', '--onto', 'feature/001-search'], 2, 'its own branch'],
  [
    'the other branch checked out in another worktree',
    (root) => git(root, 'worktree', 'add', '--quiet', `${root}-other`, 'main'),
    ['--merge'],
    6,
    'main is checked out in ',
  ],
  [
    'a hook that refuses',
    (root) =>
      writeFileSync(path.join(root, '.git/hooks/pre-commit'), '#!/bin/sh\necho no >&2\nexit 1\n', {
        mode: 0o755,
      }),
    ['--merge'],
    1,
    'not finished, because its records could not be committed: no',
  ],
])(
  '§2B: finish with %s stops, and the feature is not completed',
  async (_name, damage, words, exit, message) => {
    const { root, directory } = doneFeature();
    damage(root);
    const before = treeOf(root);
    const result = await finish(root, ...words);
    expect([result.exit, result.err]).toEqual([exit, expect.stringContaining(message)]);
    expect(treeOf(root)).toEqual(before);
    expect(statusOf(directory)).toBe('active');
    expect(git(root, 'branch', '--show-current')).toBe('feature/001-search');
  },
);

/** A hook that says why in two lines. */
function refusing(root: string, hook: string, unless = ''): void {
  const text = `#!/bin/sh\n${unless}\necho check the style\necho never >&2\nexit 1\n`;
  writeFileSync(path.join(root, '.git/hooks', hook), text, { mode: 0o755 });
}

test.each<[string, (root: string) => void]>([
  ['a hook that refuses the merge', (root) => refusing(root, 'pre-merge-commit')],
  [
    'a hook that refuses its message',
    (root) => refusing(root, 'commit-msg', 'grep -q ^Merge "$1" || exit 0'),
  ],
  [
    'a switch that git refuses',
    (root) =>
      writeFileSync(path.join(root, '.git/hooks/post-commit'), '#!/bin/sh\ntouch .git/index.lock\n', {
        mode: 0o755,
      }),
  ],
])(
  '§2B: finish --merge with %s says that the feature is finished and committed, and how to merge it',
  async (_name, damage) => {
    const { root, directory } = doneFeature();
    damage(root);
    const { exit, err } = await finish(root, '--merge');
    expect([exit, err]).toEqual([
      1,
      expect.stringContaining('is finished and committed on feature/001-search'),
    ]);
    expect(err).toMatch(/but not merged into main: git (merge failed: check the style\nnever|switch)/);
    expect(err).toContain('git switch main && git merge --no-ff feature/001-search');
    expect(err).not.toContain('Nothing was changed');
    expect(statusOf(directory)).toBe('completed');
    expect(git(root, 'branch', '--show-current')).toBe('feature/001-search');
    expect(git(root, 'log', '-1', '--format=%s')).toBe('phase(finish): search - approved');
    expect(existsSync(path.join(root, '.git/MERGE_HEAD'))).toBe(false);
    expect(git(root, 'status', '--porcelain')).toBe('');
  },
);

test('§2C: reports a branch other than the feature’s; --branch decides, --yes switches', async () => {
  const { root, directory } = doneFeature();
  git(root, 'switch', '--quiet', '-c', 'other');
  const refused = await finish(root);
  expect([refused.exit, refused.err]).toEqual([
    2,
    expect.stringContaining('belongs to the branch feature/001-search; other is checked out'),
  ]);
  expect(statusOf(directory)).toBe('active');
  expect((await finish(root, '--branch', 'stay', '--dry-run')).exit).toBe(0);
  expect(git(root, 'branch', '--show-current')).toBe('other');
  const switched = await finish(root, '--yes');
  expect([switched.exit, switched.err]).toEqual([
    0,
    expect.stringContaining('switched from other to feature/001-search'),
  ]);
  expect(git(root, 'branch', '--show-current')).toBe('feature/001-search');
});

test.each(['feature/not-there', '--detach', 'a..b', '../x', ''])(
  '§2C: a state that names %j as its branch stops nothing and switches nowhere',
  async (branch) => {
    const { root } = doneFeature({ branch });
    const { exit, err } = await finish(root, '--yes');
    expect(exit, err).toBe(0);
    expect(git(root, 'branch', '--show-current')).toBe('feature/001-search');
  },
);

test('§2C: a switch that would lose a change is refused, and so is a branch without the feature', async () => {
  const { root } = doneFeature();
  git(root, 'switch', '--quiet', '-c', 'other');
  writeFileSync(path.join(root, 'code.txt'), 'committed here\n');
  commitAll(root, 'Here');
  writeFileSync(path.join(root, 'code.txt'), 'mine\n');
  expect((await finish(root, '--branch', 'switch')).exit).toBe(1);
  expect([git(root, 'branch', '--show-current'), readFileSync(path.join(root, 'code.txt'), 'utf8')]).toEqual([
    'other',
    'mine\n',
  ]);
  const { root: second } = doneFeature({ branch: 'main' });
  expect((await finish(second, '--branch', 'switch')).exit).toBe(4);
  expect(git(second, 'branch', '--show-current')).toBe('feature/001-search');
});

test('§2B: the title is what the specification is called, else the name of the folder', () => {
  expect(titleOf('001-a-b', '# Spec\n')).toBe('a b');
  expect(titleOf('001-a-b', '')).toBe('a b');
  expect(titleOf('001-a-b', "# Feature Spec — Bob's `x`\n")).toBe("Bob's `x`");
  const log = Array.from({ length: 100 }, (_, at) => `## Task ${at}: T`).join('\n');
  const meta = { dependsOnFeatures: [], skippedPhases: [], phases: {}, backwardTrips: [] };
  const text = renderPullRequest({ feature: '001-a', meta, spec: '', log, waivers: [], checks: 'passed' });
  expect(text).toContain('- and 40 more\n');
});

test('T-086: a finish that git refuses leaves the records in place, and the next one lists the work', async () => {
  const { root, directory } = doneFeature();
  const hook = path.join(root, '.git/hooks/pre-commit');
  writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  expect((await finish(root, '--pull-request')).exit).toBe(1);
  expect(existsSync(path.join(directory, 'implementation-log.md'))).toBe(true);
  rmSync(hook);
  expect((await finish(root, '--pull-request')).exit).toBe(0);
  expect(existsSync(path.join(directory, 'implementation-log.md'))).toBe(false);
  const text = readFileSync(path.join(root, '.charrette/features/001-search/pull-request.md'), 'utf8');
  expect(text).toContain('- Task 1: One\n');
});

test('T-086: a finish that was killed before its commit is handed over by the next one', async () => {
  const { root, directory } = doneFeature();
  expect((await finish(root)).exit).toBe(0);
  expect(git(root, 'status', '--porcelain')).not.toBe('');
  const { exit, out, err } = await finish(root, '--pull-request', '--feature', '001');
  expect([exit, out], err).toEqual([0, expect.stringContaining('pull request: ')]);
  expect([git(root, 'status', '--porcelain'), statusOf(directory)]).toEqual(['', 'completed']);
  const text = readFileSync(path.join(root, '.charrette/features/001-search/pull-request.md'), 'utf8');
  expect(text).toContain('- Task 1: One\n');
});

test('T-086: a finished feature whose records a hook does not let in is left as it was', async () => {
  const { root, directory } = doneFeature({ status: 'completed' });
  refusing(root, 'pre-commit');
  const before = treeOf(root);
  const { exit, err } = await finish(root, '--merge', '--feature', '001');
  expect([exit, err]).toEqual([1, expect.stringContaining('check the style\nnever')]);
  expect(treeOf(root)).toEqual(before);
  expect(existsSync(path.join(directory, 'implementation-log.md'))).toBe(true);
});

test('finish refuses a feature whose code was never merged, unless --unmerged is given', async () => {
  const { root } = doneFeature();
  const here = git(root, 'rev-parse', 'HEAD');
  git(root, 'switch', '--quiet', '-c', 'charrette/run');
  writeFileSync(path.join(root, 'new.txt'), 'new\n');
  commitAll(root, 'Code');
  const tip = git(root, 'rev-parse', 'HEAD');
  git(root, 'switch', '--quiet', 'feature/001-search');
  const state = path.join(root, 'docs/features/001-search/.meta.json');
  const meta = parseJson(readFileSync(state, 'utf8'), 'state') as object;
  const record = (implementation: object) =>
    writeFileSync(state, JSON.stringify({ ...meta, branch: 'feature/gone', implementation }));
  record({ branch: 'charrette/run', tip });
  const refused = await finish(root);
  expect([refused.exit, refused.err]).toEqual([6, expect.stringContaining('git merge charrette/run')]);
  expect(existsSync(path.join(root, 'docs/features/001-search/retro.md'))).toBe(false);
  expect((await finish(root, '--unmerged', '--dry-run')).exit).toBe(0);
  // The same change by another commit, as a squashed merge leaves it.
  git(root, 'merge', '--quiet', '--squash', 'charrette/run');
  git(root, 'commit', '--quiet', '-m', 'Squashed');
  const finished = await finish(root, '--json');
  expect(finished.exit, finished.err).toBe(0);
  expect(parseJson(finished.out, 'stdout')).toMatchObject({ branch: null });
  expect(here).not.toBe(tip);
});

test('a finish that could not keep the records left a retrospective behind, which the next one took for written by hand', async () => {
  const { root, directory } = doneFeature();
  const place = path.join(root, '.charrette/features/001-search');
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, 'in the way\n');
  expect((await finish(root)).exit).toBe(1);
  expect([statusOf(directory), existsSync(path.join(directory, 'retro.md'))]).toEqual(['active', false]);
});
