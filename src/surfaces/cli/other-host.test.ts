import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { type WrittenRun, writeRun, writtenRunId } from '../../../test/support/web-run.ts';
import { readEvents } from '../../engine/event-log.ts';
import { readRunRecordSync } from '../../engine/run-record.ts';

const there = { pid: 7, started: '100', host: 'a-container-that-is-gone' };
const since = '2026-02-03T04:05:06.000Z';
let run: WrittenRun;

beforeEach(() => {
  run = writeRun({ status: 'running', process: there });
  run.emit({ type: 'run-start', workflow: 'design', title: 'a written run' });
});
afterEach(() => run.remove());

const charrette = (...words: string[]) => runCommandLine(...words, '--cwd', run.home.project);
const errorOf = async (...words: string[]) => {
  const { exit, out } = await charrette(...words, '--json');
  return { exit, ...JSON.parse(out).error };
};

/** The lock as the other host has it, or left it. */
function held(): string {
  const { lock } = run.home;
  writeFileSync(lock, JSON.stringify(there));
  utimesSync(lock, new Date(since), new Date(since));
  return lock;
}

const known = `process 7 on a-container-that-is-gone since ${since}`;

test.each([
  [['resume', writtenRunId]],
  [['resume', writtenRunId, '--dry-run']],
  [['runs', 'rm', writtenRunId]],
  [['runs', 'export', writtenRunId]],
])('%j of a run that another host holds says which, since when, and what to do', async (words) => {
  const lock = held();
  const { exit, code, message, fix } = await errorOf(...words);
  expect([exit, code]).toEqual([1, 'store-locked']);
  expect(message).toBe(`The run ${writtenRunId} is held by ${known} (says ${lock}); this is ${hostname()}.`);
  expect(fix).toContain(`remove ${lock}`);
  expect(readRunRecordSync(run.directory).status).toBe('running');
});

test('`cancel` asks a process on another host to end the run and reports when it does not respond', async () => {
  const lock = held();
  const rehearsed = await charrette('cancel', writtenRunId, '--dry-run');
  expect(rehearsed.out).toContain(`running in ${known}`);
  expect(readdirSync(run.directory.inbox)).toEqual([]);
  const { exit, code, message, fix } = await errorOf('cancel', writtenRunId);
  expect([exit, code]).toEqual([1, 'store-locked']);
  expect(message).toContain(`The run ${writtenRunId} was asked to end and has not: it is held by ${known}`);
  expect(fix).toContain(`remove ${lock}. Then cancel the run again.`);
  expect(readdirSync(run.directory.inbox)).toHaveLength(1);
  expect(readRunRecordSync(run.directory).status).toBe('running');

  rmSync(lock);
  expect((await charrette('cancel', writtenRunId)).exit).toBe(0);
  expect(readRunRecordSync(run.directory).status).toBe('cancelled');
  expect(readEvents(run.directory.events).at(-1)).toMatchObject({ type: 'run-end', status: 'cancelled' });
});

test('`cancel` waits for a process on another host that ends the run', async () => {
  held();
  const cancelling = charrette('cancel', writtenRunId, '--json');
  while (readdirSync(run.directory.inbox).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  writeRun({ status: 'cancelled', exit: 1 }, run.home.project);
  const { exit, out } = await cancelling;
  expect([exit, JSON.parse(out)]).toEqual([0, { run: writtenRunId, status: 'cancelled' }]);
});

test('`watch` names the host that holds the run before it waits, and does not say that it continues', async () => {
  const lock = held();
  const { exit, out, err } = await charrette('watch', '--timeout', '0.3', '--json');
  expect(exit).toBe(3);
  expect(err).toContain(`The run is held by ${known}`);
  expect(err).toContain(`remove ${lock}`);
  expect(JSON.parse(out).error.message).toContain(`The run is held by ${known}`);
  expect(JSON.parse(out).error.message).not.toContain('continues');
});

test('a run that a process on another host released is interrupted: it can be watched, listed and removed', async () => {
  const watched = await charrette('watch', '--json');
  expect([watched.exit, JSON.parse(watched.out).status]).toEqual([7, 'interrupted']);
  expect(JSON.parse((await charrette('runs', '--json')).out).runs[0].status).toBe('interrupted');
  expect((await charrette('resume', writtenRunId, '--dry-run')).out).toContain('Would resume');
  expect((await charrette('runs', 'rm', writtenRunId)).exit).toBe(0);
  expect(readdirSync(run.home.runs)).toEqual([]);
});
