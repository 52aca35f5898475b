import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { madeRun } from '../../test/support/engine.ts';
import { cancelIdle } from './cancel-idle.ts';
import { EventLog, readEvents } from './event-log.ts';
import { thisProcess } from './lock.ts';
import { homeOf, type RunDirectory } from './run-directory.ts';
import { readRunRecordSync, updateRunRecord } from './run-record.ts';

const clock = { now: () => Date.parse('2026-01-02T00:00:00.000Z') };
const ended = new Date(clock.now()).toISOString();
let project: string;

beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), 'charrette-cancel-'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

async function pausedRun(id: string, more: object = {}): Promise<RunDirectory> {
  const directory = await madeRun(homeOf(project), id, 'design', null, { status: 'paused', ...more });
  const events = new EventLog(id, directory.events, clock);
  events.emit('run:start', { type: 'run-start', workflow: 'design', title: id });
  events.emit('run:pause-1', { type: 'run-pause', reason: 'question' });
  events.close();
  return directory;
}

const ends = ({ events }: RunDirectory) => readEvents(events).filter(({ type }) => type === 'run-end');

test('ends an idle run with an event and saves the end', async () => {
  const directory = await pausedRun('one');
  expect(await cancelIdle(directory, clock)).toMatchObject({ status: 'cancelled', exit: 1, ended });
  expect(readEvents(directory.events).at(-1)).toMatchObject({
    type: 'run-end',
    status: 'cancelled',
    exit: 1,
    seq: 3,
    time: ended,
  });
  expect(readdirSync(directory.root)).not.toContain('run.lock');
});

test('emits the end once: also after a kill between event and record, and when two processes cancel', async () => {
  const directory = await pausedRun('one');
  await cancelIdle(directory, clock);
  await updateRunRecord(directory, { status: 'paused', ended: undefined });
  expect(await cancelIdle(directory, clock)).toMatchObject({ status: 'cancelled', ended });
  expect(ends(directory)).toHaveLength(1);
  const other = await pausedRun('other');
  await Promise.all([cancelIdle(other, clock), cancelIdle(other, clock)]);
  expect(ends(other)).toHaveLength(1);
});

test('ends again a run that failed, was resumed and paused', async () => {
  const directory = await pausedRun('one');
  const events = new EventLog('one', directory.events, clock);
  events.emit('run:end', { type: 'run-end', status: 'failed', exit: 1 });
  events.emit('run:resume-3', { type: 'run-resume', attempt: 2 });
  events.close();
  await cancelIdle(directory, clock);
  expect(ends(directory).map((event) => event.type === 'run-end' && event.status)).toEqual([
    'failed',
    'cancelled',
  ]);
});

test('ends its child runs, except those that have ended', async () => {
  const directory = await pausedRun('one');
  const [open, done] = [await pausedRun('one-a'), await pausedRun('one-b', { status: 'done' })];
  const other = await pausedRun('onetwo');
  await cancelIdle(directory, clock);
  const statuses = [open, done, other].map((each) => readRunRecordSync(each).status);
  expect(statuses).toEqual(['cancelled', 'done', 'paused']);
  expect([open, done, other].map((each) => ends(each).length)).toEqual([1, 0, 0]);
});

test('a run that a process works on is left to it', async () => {
  const directory = await pausedRun('one', { process: thisProcess() });
  await expect(cancelIdle(directory, clock)).rejects.toThrow(/is running in process/);
  expect(ends(directory)).toEqual([]);
});
