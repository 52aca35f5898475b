import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { type WrittenRun, writeRun, writtenRunId } from '../../../test/support/web-run.ts';
import { thisProcess } from '../../engine/lock.ts';
import type { RunRecord } from '../../engine/run-record.ts';

let run: WrittenRun;
const cwd = () => run.home.project;
const start = { type: 'run-start', workflow: 'design', title: 'a written run' } as const;

beforeEach(() => {
  run = writeRun({ status: 'running', process: thisProcess() });
  run.emit(start);
});
afterEach(() => run.remove());

/** Runs the program as a separate process and sends it `signal` once it has begun its work. */
async function stopped(signal: NodeJS.Signals, ...words: string[]) {
  const main = path.resolve(import.meta.dirname, '../../main/main.ts');
  const child = spawn(process.execPath, [main, ...words, '--cwd', cwd()], {
    env: { PATH: process.env['PATH'], HOME: cwd() },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  await new Promise<void>((resolve) => {
    child.stderr.on('data', () => resolve());
    const left = setInterval(() => {
      if (child.exitCode === null && readdirSync(run.directory.inbox).length === 0) return;
      clearInterval(left);
      resolve();
    }, 50);
  });
  child.kill(signal);
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

const record = () => JSON.parse(readFileSync(run.directory.record, 'utf8')) as RunRecord;
const statusOf = () => record().status;
const writeRecord = (change: Partial<RunRecord>) =>
  writeFileSync(run.directory.record, JSON.stringify({ ...record(), ...change }));

test('`cancel` that the time limit ends says so and not that the run was cancelled', async () => {
  const { exit, out } = await runCommandLine(
    'cancel',
    writtenRunId,
    '--timeout',
    '0.3',
    '--json',
    '--cwd',
    cwd(),
  );
  expect(exit).toBe(3);
  const { error } = JSON.parse(out);
  expect(error.code).toBe('timed-out');
  expect(error.message).toContain(
    `The run ${writtenRunId} received the request to end and is still running.`,
  );
  expect(error.fix).toContain(`charrette show ${writtenRunId}`);
  expect(statusOf()).toBe('running');
});

test('`cancel` that Ctrl-C ends exits with 130 and the status of the run', async () => {
  const { code, stdout, stderr } = await stopped('SIGINT', 'cancel', writtenRunId, '--json');
  expect(code, stderr).toBe(130);
  expect(JSON.parse(stdout)).toEqual({ run: writtenRunId, status: 'running' });
  expect(stderr).toContain('is still running');
});

test('`cancel` does not report a run as cancelled that ended in the meantime', async () => {
  const cancelling = runCommandLine('cancel', writtenRunId, '--json', '--cwd', cwd());
  await new Promise((resolve) => setTimeout(resolve, 200));
  writeRun({ status: 'done', exit: 0 }, cwd());
  const { exit, out } = await cancelling;
  expect(exit).toBe(2);
  expect(JSON.parse(out).error.message).toContain('has ended: done');
});

test('`watch` that the time limit ends exits with 3, one that a signal ends with 130 or 143', async () => {
  const limited = await runCommandLine('watch', '--timeout', '0.3', '--json', '--cwd', cwd());
  expect(limited.exit).toBe(3);
  expect(JSON.parse(limited.out).error).toMatchObject({
    code: 'timed-out',
    message: expect.stringContaining('The run continues.'),
    fix: expect.stringContaining(`charrette watch ${writtenRunId}`),
  });
  const interrupted = await stopped('SIGINT', 'watch', '--json');
  expect(interrupted.code, interrupted.stderr).toBe(130);
  expect(JSON.parse(interrupted.stdout)).toEqual({ run: writtenRunId, status: 'running' });
  expect((await stopped('SIGTERM', 'watch')).code).toBe(143);
});

test.each([
  ['stopped', {}],
  ['interrupted', { status: 'running' }],
  ['paused', {}],
] as const)('`watch` of a run that is %s exits with 7 and says how to continue', async (status, fields) => {
  writeRun({ status, ...fields } as Partial<RunRecord>, cwd());
  const { exit, out, err } = await runCommandLine('watch', '--json', '--cwd', cwd());
  expect(exit).toBe(7);
  const resume = `charrette resume ${writtenRunId}`;
  expect(JSON.parse(out)).toEqual({ run: writtenRunId, status, questions: [], resume });
  expect(err).toContain(`The run is ${status}. Continue with \`${resume}\`.`);
});

test('`watch` of a run that has ended exits as the run did', async () => {
  writeRun({ status: 'not-accepted', exit: 6 }, cwd());
  run.emit(start, { type: 'run-end', status: 'not-accepted', exit: 6 });
  expect((await runCommandLine('watch', '--cwd', cwd())).exit).toBe(6);
});

const failed = { type: 'run-end', status: 'failed', exit: 1 } as const;
const resume = { type: 'run-resume', attempt: 2 } as const;

test('`watch` of a run that failed and was resumed follows it to its end, not to the old one', async () => {
  run.emit(failed, resume);
  const watching = runCommandLine('watch', '--output', 'stream-json', '--cwd', cwd());
  await new Promise((resolve) => setTimeout(resolve, 600));
  run.emit({ type: 'note', text: 'continues' }, { type: 'run-end', status: 'done', exit: 0 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  writeRecord({ status: 'done', exit: 0 });
  const { exit, out } = await watching;
  const types = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type);
  expect(types).toEqual(['run-start', 'run-end', 'run-resume', 'note', 'run-end']);
  expect(exit).toBe(0);
});

test('`watch` of a queued run that failed and waits again waits too', async () => {
  run.emit(failed);
  writeRecord({ status: 'queued', process: undefined, queue: { labels: [], yes: false } });
  expect((await runCommandLine('watch', '--timeout', '1', '--cwd', cwd())).exit).toBe(3);
});

test.each([
  ['without a record', 4, 'run-not-found', () => rmSync(run.directory.record)],
  ['with a broken record', 2, 'json-invalid', () => writeFileSync(run.directory.record, '{')],
] as const)(
  '`watch` of a run %s ends with an error as `show` does, and with no stack',
  async (_, exit, code, damage) => {
    damage();
    for (const command of ['watch', 'show']) {
      const ended = await runCommandLine(command, writtenRunId, '--json', '--cwd', cwd());
      expect([command, ended.exit]).toEqual([command, exit]);
      expect(JSON.parse(ended.out).error.code).toBe(code);
    }
  },
);

test('a record that is removed while it is watched ends the watching', async () => {
  const watching = runCommandLine('watch', '--json', '--cwd', cwd());
  await new Promise((resolve) => setTimeout(resolve, 300));
  rmSync(run.directory.root, { recursive: true });
  const { exit, out } = await watching;
  expect(exit).toBe(4);
  expect(JSON.parse(out).error.code).toBe('run-not-found');
});
