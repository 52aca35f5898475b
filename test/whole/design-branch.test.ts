import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeExampleRepository } from '../../scripts/example-repository.mjs';
import { charrette, runsOf } from '../support/program.ts';

function git(cwd: string, ...words: string[]): string {
  const identity = ['-c', 'user.name=Ann Example', '-c', 'user.email=ann@example.com'];
  return execFileSync('git', [...identity, ...words], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** A repository of Ann's, with our files out of git's sight. */
function repository(): string {
  const place = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-branch-')), 'shop');
  makeExampleRepository(place);
  git(place, 'config', 'user.name', 'Ann Example');
  writeFileSync(path.join(place, '.git', 'info', 'exclude'), '.home\nanswers.json\n');
  return place;
}

/** On a branch of Ann's that is about something else. */
function unrelated(): string {
  const place = repository();
  git(place, 'checkout', '--quiet', '-b', 'ann-example/checkout-colours');
  git(place, 'commit', '--quiet', '--allow-empty', '-m', 'Paint the button blue');
  return place;
}

const words = ['design', '--solo', '--agents', 'static'];
const feature = 'let customers cancel an order';
const branchOf = (place: string) => git(place, 'branch', '--show-current');

test('L-152, L-156, panel/C-28: an unrelated branch is kept with a warning, left when asked for, and asked about where a user answers', async () => {
  const kept = unrelated();
  const auto = await charrette([...words, '--auto', feature], { cwd: kept });
  expect(auto.code, auto.stderr).toBe(0);
  expect(auto.stderr).toContain('> **🔶 1: branch — using existing: ann-example/checkout-colours**');
  expect(auto.stderr).toContain("'ann-example/checkout-colours' may not match the requested feature.");
  expect(branchOf(kept)).toBe('ann-example/checkout-colours');

  const left = unrelated();
  const leave = await charrette([...words, '--auto', '--unrelated-branch', 'leave', feature], { cwd: left });
  expect(leave.code, leave.stderr).toBe(0);
  expect(branchOf(left)).toBe('ann-example/let-customers-cancel-an-order');
  expect(git(left, 'log', '-1', '--format=%s')).not.toBe('Paint the button blue');

  const asked = unrelated();
  writeFileSync(path.join(asked, 'answers.json'), '{"unrelated-branch": "keep"}');
  const answered = await charrette([...words, '--answers', 'answers.json', feature], { cwd: asked });
  expect(answered.code, answered.stderr).toBe(0);
  expect(answered.stderr).toContain('✅ 1: branch — using existing: ann-example/checkout-colours');
  expect(branchOf(asked)).toBe('ann-example/checkout-colours');
});

test('L-152: a fitting branch is kept without a message', async () => {
  const place = repository();
  git(place, 'checkout', '--quiet', '-b', 'ann-example/cancel-orders');
  git(place, 'commit', '--quiet', '--allow-empty', '-m', 'Begin');
  const ended = await charrette([...words, '--auto', feature], { cwd: place });
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).not.toContain('may not match');
  expect(branchOf(place)).toBe('ann-example/cancel-orders');
});

test('L-104, L-116: --dry-run leaves the repository alone; names of branch and remote, and a missing remote, follow the configuration', async () => {
  const origin = repository();
  const place = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-behind-')), 'shop');
  git(path.dirname(place), 'clone', '--quiet', `file://${origin}`, place);
  git(origin, 'commit', '--quiet', '--allow-empty', '-m', 'Newer');
  writeFileSync(path.join(place, '.git', 'info', 'exclude'), '.home\n');
  const refs = () => git(place, 'for-each-ref');
  const before = refs();
  const rehearsed = await charrette([...words, '--auto', '--dry-run', feature], { cwd: place });
  expect(rehearsed.code, rehearsed.stderr).toBe(0);
  expect(refs()).toBe(before);

  const config = (git: object) =>
    writeFileSync(path.join(place, 'charrette.config.json'), JSON.stringify({ git }));
  config({ mainBranch: 'trunk' });
  const elsewhere = await charrette([...words, '--auto', feature], { cwd: place });
  expect(elsewhere.code).toBe(5);
  expect(elsewhere.stderr).toContain('PREFLIGHT_ERROR=not on trunk: on main');
  expect(elsewhere.stderr).toContain('(a) go to a clean trunk: git switch trunk');
  config({ remote: 'upstream', mainBranch: 'main', remoteRequired: true });
  const alone = await charrette([...words, '--auto', feature], { cwd: place });
  expect(alone.code).toBe(5);
  expect(alone.stderr).toContain('PREFLIGHT_ERROR=git fetch upstream main failed');
});

test('L-151, L-154: the run uses the commit of its new branch, which includes main’s additional commits; main stays', async () => {
  const origin = repository();
  const place = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-ahead-')), 'shop');
  git(path.dirname(place), 'clone', '--quiet', `file://${origin}`, place);
  git(place, 'config', 'user.name', '-Ann Example');
  writeFileSync(path.join(place, '.git', 'info', 'exclude'), '.home\n');
  git(place, 'commit', '--quiet', '--allow-empty', '-m', 'Not pushed yet');
  git(origin, 'commit', '--quiet', '--allow-empty', '-m', 'Newer');
  const main = git(place, 'rev-parse', 'main');
  const ended = await charrette([...words, '--auto', '--json', feature], { cwd: place });
  expect(ended.code, ended.stderr).toBe(0);
  expect(branchOf(place)).toBe('ann-example/let-customers-cancel-an-order');
  expect(git(place, 'rev-parse', 'main')).toBe(main);
  const subjects = git(place, 'log', '-4', '--format=%s').split('\n');
  expect(subjects).toEqual(expect.arrayContaining(['Not pushed yet', 'Newer']));
  const name = 'ann-example/let-customers-cancel-an-order';
  expect(ended.stderr).toContain(
    `Branch: ${name} (created by this run). Run \`git switch main\` to go back.\n`,
  );
  expect(JSON.parse(ended.stdout).branch).toMatchObject({ name, created: true, previous: 'main' });
  const [run = ''] = runsOf(place);
  const record = JSON.parse(
    readFileSync(path.join(place, '.charrette', 'runs', run, 'run.json'), 'utf8'),
  ) as { baseCommit: string; inputs: { baseCommit: string } };
  const head = git(place, 'rev-parse', 'HEAD');
  expect(head).not.toBe(git(place, 'rev-parse', 'main'));
  expect([record.baseCommit, record.inputs.baseCommit]).toEqual([head, head]);
});

test('a main behind its remote stays; the branch and the brief are those of the remote’s commit', async () => {
  const origin = repository();
  const place = path.join(mkdtempSync(path.join(tmpdir(), 'charrette-behind-')), 'shop');
  git(path.dirname(place), 'clone', '--quiet', `file://${origin}`, place);
  git(place, 'config', 'user.name', 'Ann Example');
  writeFileSync(path.join(place, '.git', 'info', 'exclude'), '.home\n');
  mkdirSync(path.join(origin, '.moai', 'design'), { recursive: true });
  writeFileSync(
    path.join(origin, '.moai', 'design', 'spec.md'),
    '# Spec\n\nRefunds need a receipt number.\n',
  );
  git(origin, 'add', '--all');
  git(origin, 'commit', '--quiet', '-m', 'Design documents');
  const main = git(place, 'rev-parse', 'main');
  const ended = await charrette([...words, '--auto', feature], { cwd: place });
  expect(ended.code, ended.stderr).toBe(0);
  expect(git(place, 'rev-parse', 'main')).toBe(main);
  expect(git(place, 'rev-parse', 'HEAD')).toBe(git(origin, 'rev-parse', 'HEAD'));
  const [run = ''] = runsOf(place);
  const lanes = path.join(place, '.charrette', 'runs', run, 'lanes');
  const prompts = readdirSync(lanes, { recursive: true, encoding: 'utf8' })
    .filter((file) => path.basename(file).startsWith('prompt'))
    .map((file) => readFileSync(path.join(lanes, file), 'utf8'));
  expect(prompts.some((prompt) => prompt.includes('Refunds need a receipt number.'))).toBe(true);
});

test('git.branch: never plans without a branch, and --branch makes one anyway', async () => {
  const place = repository();
  writeFileSync(path.join(place, 'charrette.config.json'), '{"git": {"branch": "never"}}');
  const ended = await charrette([...words, '--auto', feature], { cwd: place });
  expect(ended.code, ended.stderr).toBe(0);
  expect(branchOf(place)).toBe('main');
  expect(ended.stderr).not.toContain('Branch:');
  const asked = await charrette([...words, '--auto', '--branch', '--dry-run', '--json', feature], {
    cwd: place,
  });
  expect(JSON.parse(asked.stdout).inputs.branch).toBe(true);
});

test.each([
  ['existing', 'ann-example/let-customers-cancel-an-order'],
  ['new', 'ann-example/let-customers-cancel-an-order-2'],
  ['none', 'main'],
])('L-155: a taken branch name is asked about; %s', async (answer, branch) => {
  const place = repository();
  git(place, 'branch', 'ann-example/let-customers-cancel-an-order');
  const before = git(place, 'rev-parse', 'ann-example/let-customers-cancel-an-order');
  writeFileSync(path.join(place, 'answers.json'), JSON.stringify({ 'branch-name': answer }));
  const ended = await charrette([...words, '--answers', 'answers.json', feature], { cwd: place });
  expect(ended.code, ended.stderr).toBe(0);
  expect(branchOf(place)).toBe(branch);
  expect(git(place, 'rev-parse', 'ann-example/let-customers-cancel-an-order')).toBe(before);
});
