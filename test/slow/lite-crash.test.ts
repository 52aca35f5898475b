import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { proveStory } from '../crash/prove-story.ts';
import { makeLiteProject } from '../support/lite-project.ts';
import { startCharrette, until } from '../support/live-program.ts';
import { callsIn, charrette, runsOf } from '../support/program.ts';

const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 100_000);

test('P-165 P-166 lite/T-10 from the state before 4 random writes of an execution everything is completed, byte for byte, and no batch twice', async () => {
  const proof = await proveStory('lite-execute', { sample: { count: 4, seed } });
  expect(proof.failures, `seed ${seed}`).toEqual([]);
  expect(proof.tried).toBe(4);
});

test('P-126 P-165 lite/T-10 a batch in flight when the program is killed is put back to its start and repeated once; its agent does not live on', async () => {
  const { project, calls, git } = makeLiteProject('hang:TASK-002');
  const start = git('rev-parse', 'HEAD');
  const words = [
    'lite-plan',
    '-y',
    '--one-task-per-call',
    '--executor',
    'one',
    'add the numbers and their total',
  ];
  const program = startCharrette(words, { cwd: project });
  await until(() => existsSync(`${calls}.hung`));
  program.kill('SIGKILL');
  await program.ended;
  const [run = ''] = runsOf(project);
  const before = callsIn(calls);
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual([start, '']);

  const resumed = await charrette(['resume', run], { cwd: project });
  expect(resumed.stderr).toContain('convergence NOT VERIFIED');
  expect(resumed.code).toBe(0);
  expect(processesWith(calls)).toEqual([]);
  // The second attempt found the commit of the first wave and nothing else.
  const [commit = '', ...left] = readFileSync(`${calls}.second`, 'utf8').trim().split('\n');
  expect([git('log', '--format=%s', '-1', commit), left]).toEqual(['Add one and the total', []]);
  const after = callsIn(calls);
  const times = (call: string, list: string[]) => list.filter((each) => each === call).length;
  expect(times('execute execute-P1', after)).toBe(2);
  expect(times('execute execute-S1', after)).toBe(1);
  for (const call of new Set(
    before.filter((each) => each !== 'execute execute-P1' && each !== 'execute execute-P2'),
  ))
    expect(times(call, after), call).toBe(times(call, before));
  expect(git('ls-tree', '-r', '--name-only', 'HEAD').split('\n')).toEqual([
    '.gitignore',
    'package.json',
    'src/index.mjs',
    'src/one.mjs',
    'src/three.mjs',
    'src/two.mjs',
    'test/total.test.mjs',
  ]);
  expect(git('show', 'HEAD:src/index.mjs')).not.toContain('half');
  expect(git('status', '--porcelain')).toBe('');
  expect(git('worktree', 'list').split('\n')).toHaveLength(1);
});

test('P-083 a run that is cancelled in the middle leaves the tree as it was, says where its checkouts are, and is removed with them', async () => {
  const { project, calls, git } = makeLiteProject('hang:TASK-002');
  const start = git('rev-parse', 'HEAD');
  const program = startCharrette(
    ['lite-plan', '-y', '--one-task-per-call', 'add the numbers and their total'],
    { cwd: project },
  );
  await until(() => existsSync(`${calls}.hung`));
  const [run = ''] = runsOf(project);
  const cancelled = await charrette(['cancel', run, '--json'], { cwd: project });
  const ended = await program.ended;
  const { worktrees } = JSON.parse(cancelled.stdout) as { worktrees: string[] };
  expect(worktrees).toContainEqual(expect.stringMatching(/worktrees\/P1$/));
  expect(ended.stderr).toMatch(/Unmerged checkouts: .*worktrees\/P1/);
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('branch', '--show-current')]).toEqual([
    start,
    '',
    'main',
  ]);
  expect(processesWith(calls)).toEqual([]);
  const removed = await charrette(['runs', 'rm', run, '--unmerged'], { cwd: project });
  expect(removed.code).toBe(0);
  expect([git('worktree', 'list').split('\n').length, git('branch', '--list')]).toEqual([1, '* main']);
});

/** Processes of any namespace whose command line names this file. */
function processesWith(file: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(file);
    } catch {
      return false;
    }
  });
}
