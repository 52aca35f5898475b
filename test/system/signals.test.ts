import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startCharrette, until } from '../support/live-program.ts';
import { callsIn, charrette, hurry, makeProject, olderNode, runsOf } from '../support/program.ts';

const slow = ['design', '--auto', '--yes', '--quick', '--dialectic', 'off', '--no-branch'];

/** A run whose agents keep running for a long time. */
async function liveRun(flags: readonly string[] = [], node: readonly string[] = []) {
  const { project, calls } = await makeProject({ delayMs: 2500 });
  const live = startCharrette([...slow, ...flags, 'slow'], { cwd: project, node });
  await until(() => callsIn(calls).length >= 2, 100_000);
  return { project, calls, live, run: runsOf(project)[0] ?? '' };
}

function statusOf(project: string, run: string): unknown {
  return JSON.parse(readFileSync(path.join(project, '.charrette', 'runs', run, 'run.json'), 'utf8')).status;
}

/** Command lines of all processes that name the file. */
function processesNaming(file: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => (existsSync(`/proc/${pid}/cmdline`) ? commandLine(pid) : ''))
    .filter((line) => line.includes(file));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

test.concurrent('Ctrl-C once: saved, exit 130, no agent left, and resume continues', async () => {
  const { project, calls, live, run } = await liveRun(['--json']);
  live.kill('SIGINT');
  const ended = await live.ended;
  expect(ended.code).toBe(130);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    run,
    status: 'stopped',
    resume: `charrette resume ${run}`,
  });
  expect(ended.stderr).toContain(`charrette resume ${run}`);
  expect(statusOf(project, run)).toBe('stopped');
  expect(processesNaming(calls)).toEqual([]);
  hurry(calls);
  const resumed = await charrette(['resume', run], { cwd: project });
  expect(resumed.code).toBe(0);
});

test.concurrent('Ctrl-C twice: ends at once with 130, and the run can still be resumed', async () => {
  const { project, calls, live, run } = await liveRun();
  live.kill('SIGINT');
  live.kill('SIGINT');
  expect((await live.ended).code).toBe(130);
  hurry(calls);
  const resumed = await charrette(['resume', run], { cwd: project });
  expect(resumed.code).toBe(0);
});

test.concurrent.each([['SIGTERM'], ['SIGHUP']] as const)('%s: saved, exit 143', async (signal) => {
  const { project, calls, live, run } = await liveRun();
  live.kill(signal);
  expect((await live.ended).code).toBe(143);
  expect(statusOf(project, run)).toBe('stopped');
  expect(processesNaming(calls)).toEqual([]);
});

test.concurrent.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s to an older Node without a terminal reaches the newer one: saved, exit %i',
  async (signal, exit) => {
    const { project, calls, live, run } = await liveRun([], olderNode);
    live.kill(signal);
    expect((await live.ended).code).toBe(exit);
    expect(statusOf(project, run)).toBe('stopped');
    expect(processesNaming(calls)).toEqual([]);
  },
);

test.concurrent('--timeout: saved, exit 3, and the resume command', async () => {
  const { project, calls } = await makeProject({ delayMs: 60_000 });
  const ended = await charrette(['--timeout', '15', ...slow, '--json', 'slow'], { cwd: project });
  expect(ended.code).toBe(3);
  const [run = ''] = runsOf(project);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    error: { code: 'timed-out', fix: expect.stringContaining(`charrette resume ${run}`) },
  });
  expect(statusOf(project, run)).toBe('stopped');
  expect(processesNaming(calls)).toEqual([]);
});

test.concurrent.each([
  ['Ctrl-C', [], 130, {}],
  [
    '--timeout',
    ['--timeout', '5'],
    3,
    { error: expect.objectContaining({ message: 'The time limit of 5s passed.' }) },
  ],
])('%s waited for the writer of a pipe that a flag named', async (_, flags, exit, said) => {
  const { project } = await makeProject();
  const pipe = path.join(project, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const live = startCharrette(['skill', 'new', 'x', '--answers', pipe, '--json', ...flags], { cwd: project });
  let writer: number | undefined;
  await until(() => {
    writer = opened(pipe);
    return writer !== undefined;
  });
  if (flags.length === 0) live.kill('SIGINT');
  const ended = await live.ended;
  if (writer !== undefined) closeSync(writer);
  expect(ended.code).toBe(exit);
  expect(JSON.parse(ended.stdout)).toEqual(said);
});

/** A pipe for writing, as soon as it has a reader. */
function opened(pipe: string): number | undefined {
  try {
    return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
