import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { type WrittenRun, writeRun, writtenRunId } from '../../../test/support/web-run.ts';

let run: WrittenRun;
let project: string;
const asking = '20260101-000001-asking-00000002';

beforeAll(async () => {
  run = writeRun({ status: 'done' });
  project = run.home.project;
  execFileSync('git', ['init', '--quiet', project]);
  writeRun({ run: asking, status: 'paused' }, project);
  mkdirSync(path.join(project, 'folder'));
  writeFileSync(path.join(project, 'file'), 'x');
  writeFileSync(path.join(project, 'answers.json'), '{"scope": "api"}');
  expect((await runCommandLine('skill', 'new', 'made', '-y', '--cwd', project)).exit).toBe(0);
});
afterAll(() => run.remove());

test.each([
  [['skill', 'new', 'x', '-y', '--answers', 'none.json'], 4, 'not-found'],
  [['skill', 'new', 'x', '-y', '--answers', 'folder'], 4, 'not-found'],
  [['skill', 'new', 'x', '-y', '--from-config', 'none.json'], 4, 'not-found'],
  [['skill', 'new', 'y', '-y', '--emit-config', 'folder'], 2, 'usage'],
  [['skill', 'lint', '--all', '.claude/skills', '--baseline', 'none.json'], 4, 'not-found'],
  [['skill', 'lint', '--all', '.claude/skills', '--write-baseline', 'folder'], 2, 'usage'],
  [['skill', 'test', '.claude/skills/made', '--scenario', 'none.json'], 4, 'not-found'],
  [['skill', 'show', '.claude/skills/made', '--to', 'folder'], 2, 'usage'],
  [['skill', 'pack', '.claude/skills/made', '--to', 'folder'], 2, 'usage'],
  [['report', writtenRunId, '--out', 'folder'], 2, 'usage'],
  [['report', writtenRunId, '--out', 'file/report.md'], 2, 'usage'],
  [['report', writtenRunId, '--out', 'n'.repeat(300)], 2, 'usage'],
  [['runs', 'export', writtenRunId, 'none/run.tar.gz'], 2, 'usage'],
  [['serve', '--host', ''], 2, 'usage'],
  ...['', 'https://build.example', 'build.example:8443', 'a b'].map(
    (name) => [['serve', '--allow-host', name], 2, 'usage'] as const,
  ),
  ...['', ' ', '0x0', '1e9', '-1', '1.5'].flatMap(
    (number) =>
      [
        [['runs', 'prune', '--keep', number], 2, 'usage'],
        [['runs', 'prune', '--older-than', number], 2, 'usage'],
        [['runs', '--limit', number], 2, 'usage'],
        [['worker', '--limit', number], 2, 'usage'],
        [['lite-plan', '--parallel', number, 'x'], 2, 'usage'],
        [['refine', '--max-iterations', number, 'x'], 2, 'usage'],
      ] as const,
  ),
  ...['', ' ', '0x10', '1e9'].flatMap(
    (number) =>
      [
        [['runs', '--timeout', number], 2, 'usage'],
        [['design', '--max-usd', number, 'x'], 2, 'usage'],
        [['refine', '--threshold', number, 'x'], 2, 'usage'],
      ] as const,
  ),
  ...['', ' '].flatMap(
    (name) =>
      [
        [['runs', 'rm', name], 2, 'usage'],
        [['cancel', name], 2, 'usage'],
        [['answer', name, 'scope=api'], 2, 'usage'],
        [['resume', name], 2, 'usage'],
        [['show', name], 2, 'usage'],
        [['design', '--from-run', name, 'x'], 2, 'usage'],
      ] as const,
  ),
] as const)('%j is not called a defect of ours, and says what to do', async (words, exit, code) => {
  const ended = await runCommandLine(...words, '--json', '--cwd', project);
  expect([ended.exit, JSON.parse(ended.out).error]).toEqual([
    exit,
    expect.objectContaining({ code, fix: expect.stringMatching(/\.$/) }),
  ]);
});

test('none of them removed or ended a run', () => {
  expect(readdirSync(run.home.runs).sort()).toEqual([writtenRunId, asking].sort());
  expect(JSON.parse(readFileSync(path.join(run.home.runs, asking, 'run.json'), 'utf8')).status).toBe(
    'paused',
  );
});

test('a file of answers is looked for from --cwd', async () => {
  const words = ['answer', asking, '--file', 'answers.json', '--no-resume', '--json', '--cwd', project];
  const { exit, out } = await runCommandLine(...words);
  expect([exit, JSON.parse(out).error.message]).toEqual([4, expect.stringContaining('none called "scope"')]);
  const resumed = await runCommandLine(
    ...['resume', asking, '--answers', 'answers.json', '--dry-run', '--cwd', project],
  );
  expect(resumed.exit, resumed.err).toBe(0);
  expect(resumed.err).toBe('Not asked so far, and kept in case it is: scope. No question is open.\n');
  const plan = await runCommandLine(
    'plan',
    'edit',
    writtenRunId,
    '--file',
    'file',
    '--json',
    '--cwd',
    project,
  );
  expect(JSON.parse(plan.out).error.code).toBe('plan-invalid');
});

test.each([
  [['design', '--agents', 'static', '--answers', 'none.json', 'limits']],
  [['lite-plan', '--agents', 'static', '--answers', 'none.json', 'limits']],
  [['skill', 'run', 'skills/made', 'x', '--force', '--answers', 'none.json']],
])('a file of answers that is not there leaves no run behind: %j', async (words) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-answers-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  git('init', '--quiet');
  mkdirSync(path.join(folder, '.charrette'));
  const agents = { own: { protocol: 'exec', command: ['true'] } };
  writeFileSync(path.join(folder, '.charrette', 'config.json'), JSON.stringify({ detect: false, agents }));
  await runCommandLine('skill', 'new', 'made', '-y', '--out', 'skills', '--cwd', folder);
  git('commit', '--quiet', '--allow-empty', '--message', 'first');
  try {
    const { exit, out } = await runCommandLine('--json', '--cwd', folder, ...words);
    expect(JSON.parse(out).error).toMatchObject({ code: 'not-found' });
    expect(exit).toBe(4);
    expect(JSON.parse(out).error.message).toContain('none.json');
    expect(readdirSync(path.join(folder, '.charrette'))).toEqual(['config.json']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
