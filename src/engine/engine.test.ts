import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { embeddedEngine, madeRun } from '../../test/support/engine.ts';
import { cancelIdle } from './cancel-idle.ts';
import { systemClock } from './clock.ts';
import { type Engine, openEngine } from './engine.ts';
import { EventLog, readEvents } from './event-log.ts';
import { leaveMessage } from './inbox.ts';
import type { LiveRun, RunLease } from './live-run.ts';
import { type Home, homeOf, runDirectoryOf } from './run-directory.ts';
import { readRunRecord, updateRunRecord } from './run-record.ts';
import type { WorkflowContext, WorkflowDefinition } from './workflow.ts';

let home: Home;
let calls: string[];
let journaled: string[];
let hold: { promise: Promise<void>; release: () => void };
let engine: Engine | undefined;

/** Replaces an agent call: one step, with events numbered apart from those of the workflow. */
async function call({ live, step }: { live: LiveRun; step: WorkflowContext['step'] }, name: string) {
  const answer = await step(`call ${name}`, async (signal) => {
    live.events.emit(`${name}:1`, { type: 'note', text: `call ${name}` });
    calls.push(name);
    if (name === 'slow') await Promise.race([hold.promise, aborted(signal)]);
    return `${name}!`;
  });
  journaled.push(name);
  return answer;
}

const story: WorkflowDefinition<{ ask: boolean; fail?: boolean }, { status: 'done'; exit: 0 }> = {
  name: 'test-story',
  async run(context, input) {
    context.emit({ type: 'phase-start', phase: '1', line: 'one' });
    const one = await context.step('one', async () => {
      calls.push('one');
      return 1;
    });
    const step: WorkflowContext['step'] = (name, body) => context.step(name, body);
    const answers = await Promise.all(
      ['a', 'slow', 'b'].map((name) => call({ live: context.live, step }, name)),
    );
    if (input.fail === true) throw new Error('the story fails');
    const answer = input.ask
      ? (await context.ask([{ id: 'q1', text: 'Which?', recommended: 'x' }])).get('q1')?.value
      : 'none';
    await context.artifact('result.txt', `${one} ${answers.join(' ')} ${answer}\n`);
    return { status: 'done', exit: 0 };
  },
};

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );
}

async function open(guard?: RunLease): Promise<Engine> {
  const guarded = guard === undefined ? {} : { guard };
  engine = await embeddedEngine({ home, workflows: [story], ...guarded });
  return engine;
}

async function createRun(id: string, inputs: unknown, workflow = 'test-story'): Promise<void> {
  await madeRun(home, id, workflow, inputs, { kept: 'unknown fields survive' });
}

const artifact = (id: string) =>
  readFileSync(path.join(runDirectoryOf(home, id).artifacts, 'result.txt'), 'utf8');
const eventTypes = (id: string) => readEvents(runDirectoryOf(home, id).events).map((event) => event.type);

beforeEach(() => {
  home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-engine-')));
  calls = [];
  journaled = [];
  let release = () => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  hold = { promise, release };
});

afterEach(async () => {
  await engine?.close();
  engine = undefined;
  rmSync(home.project, { recursive: true, force: true });
});

test('runs a workflow with parallel calls and leaves a record', async () => {
  hold.release();
  const opened = await open();
  await createRun('r1', { ask: false });
  await opened.start('r1');
  const end = await opened.wait('r1', { signal: new AbortController().signal });
  expect(end.record).toMatchObject({ status: 'done', exit: 0, kept: 'unknown fields survive' });
  expect(artifact('r1')).toBe('1 a! slow! b! none\n');
  expect(eventTypes('r1').at(0)).toBe('run-start');
  expect(eventTypes('r1').at(-1)).toBe('run-end');
});

test('stopping in the middle of a call and resuming repeats only what was running', async () => {
  const opened = await open();
  await createRun('r2', { ask: false });
  await opened.start('r2');
  await until(() => calls.includes('slow') && journaled.includes('a') && journaled.includes('b'));
  const stop = new AbortController();
  const waiting = opened.wait('r2', { signal: stop.signal });
  stop.abort();
  expect((await waiting).kind).toBe('stopped');
  await opened.close();

  hold.release();
  const again = await open();
  await again.start('r2');
  const end = await again.wait('r2', { signal: new AbortController().signal });
  expect(end.record.status).toBe('done');
  expect(calls.filter((call) => call === 'one')).toHaveLength(1);
  expect(calls.filter((call) => call === 'a')).toHaveLength(1);
  expect(calls.filter((call) => call === 'b')).toHaveLength(1);
  expect(calls.filter((call) => call === 'slow')).toHaveLength(2);
  const notes = eventTypes('r2').filter((type) => type === 'note');
  expect(notes).toHaveLength(3);
});

test('a run given to another worker never journals that as the end of a call', async () => {
  await createRun('r1', { ask: false });
  hold.release();
  let kept = 0;
  let tell = () => {};
  const lost = new Promise<void>((resolve) => {
    tell = resolve;
  });
  // `one` and two calls are kept; the third call ends after the run was lost.
  const losing = await open({
    ready: async () => {},
    async keep(live) {
      kept += 1;
      if (kept <= 3) return;
      void live.stop();
      tell();
      throw new Error('The run was given to another worker.');
    },
    answered: async () => {},
    changed: () => {},
    troubled: () => {},
  });
  await losing.start('r1');
  await lost;
  // Time for an end to be written down that must not be.
  await sleep(500);
  await losing.close();
  const next = await open();
  await next.start('r1');
  expect(await next.wait('r1', { signal: new AbortController().signal })).toMatchObject({
    kind: 'ended',
    record: { status: 'done' },
  });
  expect(new Set(calls)).toEqual(new Set(['a', 'b', 'one', 'slow']));
  expect(calls).toHaveLength(5);
});

test('a question without anybody to answer pauses; an answer left by another process continues it', async () => {
  hold.release();
  const opened = await open();
  await createRun('r3', { ask: true });
  await opened.start('r3');
  const end = await opened.wait('r3', { signal: new AbortController().signal });
  expect(end.kind).toBe('paused');
  expect(end.record.status).toBe('paused');
  await opened.close();

  await leaveMessage(runDirectoryOf(home, 'r3').inbox, {
    type: 'answer',
    answers: [{ question: 'q1', value: 'left', source: 'person' }],
  });
  const again = await open();
  await again.start('r3');
  const next = await again.wait('r3', { signal: new AbortController().signal });
  expect(next.record.status).toBe('done');
  expect(artifact('r3')).toBe('1 a! slow! b! left\n');
  expect(calls.filter((call) => call === 'one')).toHaveLength(1);
});

test('an answer that comes before its question is kept', async () => {
  hold.release();
  const opened = await open();
  await createRun('r4', { ask: true });
  await opened.answer('r4', [{ question: 'q1', value: 'early', source: 'person' }]);
  await opened.start('r4');
  const end = await opened.wait('r4', { signal: new AbortController().signal });
  expect(end.record.status).toBe('done');
  expect(artifact('r4')).toContain('early');
});

test('a failed run says why, and continues when started again', async () => {
  hold.release();
  const opened = await open();
  await createRun('r5', { ask: false, fail: true });
  await opened.start('r5');
  const end = await opened.wait('r5', { signal: new AbortController().signal });
  expect(end.record).toMatchObject({ status: 'failed', error: { message: 'the story fails' } });
});

test('cancelling ends what runs', async () => {
  const opened = await open();
  await createRun('r6', { ask: false });
  await opened.start('r6');
  await until(() => calls.includes('slow'));
  const record = await opened.cancel('r6', 'no longer wanted');
  expect(record.status).toBe('cancelled');
  expect(eventTypes('r6').at(-1)).toBe('run-end');
});

/** As a kill or a full disk leaves it: the end is among the events but not saved. */
async function unrecorded(id: string): Promise<void> {
  await updateRunRecord(runDirectoryOf(home, id), {
    status: 'running',
    ended: undefined,
    exit: undefined,
    process: undefined,
  });
}

const turns = (id: string) =>
  readEvents(runDirectoryOf(home, id).events).flatMap((event) =>
    event.type === 'run-end' ? [event.status] : event.type.startsWith('run-') ? [event.type] : [],
  );

test('emits an unsaved cancel once however often it is retried, and again after a resume', async () => {
  const opened = await open();
  await createRun('r9', { ask: false });
  await opened.start('r9');
  await until(() => calls.includes('slow'));
  await opened.cancel('r9', 'no longer wanted');
  await unrecorded('r9');
  // Warnings of the failed attempt follow the end.
  const late = new EventLog('r9', runDirectoryOf(home, 'r9').events, systemClock);
  late.emit('inbox:1', { type: 'warning', text: 'no room' });
  late.close();
  expect(await opened.cancel('r9', 'once more')).toMatchObject({ status: 'cancelled' });
  await unrecorded('r9');
  await opened.close();
  await unrecorded('r9');
  expect(await cancelIdle(runDirectoryOf(home, 'r9'), systemClock)).toMatchObject({ status: 'cancelled' });
  expect(turns('r9')).toEqual(['run-start', 'cancelled']);

  await unrecorded('r9');
  const again = await open();
  await again.start('r9');
  await until(() => calls.filter((call) => call === 'slow').length === 2);
  await again.cancel('r9', 'now it is');
  expect(turns('r9')).toEqual(['run-start', 'cancelled', 'run-resume', 'cancelled']);
});

test('emits an unsaved outcome once, and again after a failure', async () => {
  hold.release();
  const signal = new AbortController().signal;
  const first = await open();
  await createRun('r10', { ask: false });
  await first.start('r10');
  await first.wait('r10', { signal });
  await first.close();
  await unrecorded('r10');
  const second = await open();
  await second.start('r10');
  expect(await second.wait('r10', { signal })).toMatchObject({ record: { status: 'done' } });
  await second.close();
  expect(turns('r10')).toEqual(['run-start', 'done']);

  await unrecorded('r10');
  const late = new EventLog('r10', runDirectoryOf(home, 'r10').events, systemClock);
  late.emit(`run:failed-${late.count}`, { type: 'run-end', status: 'failed', exit: 1, message: 'no room' });
  late.close();
  const third = await open();
  await third.start('r10');
  expect(await third.wait('r10', { signal })).toMatchObject({ record: { status: 'done' } });
  expect(turns('r10')).toEqual(['run-start', 'done', 'failed', 'run-resume', 'done']);
});

test('a second engine gets the holder of the store', async () => {
  await open();
  const second = await openEngine({
    home,
    store: 'embedded',
    codeVersion: 'test-1',
    workflows: [],
  });
  expect(second).toMatchObject({ opened: false, holder: { pid: process.pid } });
});

test('a run of another process that cannot start here says why on its record', async () => {
  const opened = await open();
  const directory = await madeRun(home, 'r20', 'test-story', {}, { codeVersion: 'another' });
  await leaveMessage(home.inbox, { type: 'run', run: 'r20' });
  await leaveMessage(home.inbox, { type: 'run', run: 'no-such-run' });
  await until(() => readdirSync(home.inbox).length === 0);
  expect(await readRunRecord(directory)).toMatchObject({
    status: 'failed',
    exit: 1,
    error: { code: 'code-version-gone' },
  });
  expect(eventTypes('r20')).toEqual(['run-end']);
  await opened.close();
});

test('executes a run once when requested twice, and removes files of a killed writer', async () => {
  hold.release();
  const opened = await open();
  await createRun('r8', { ask: false });
  const { artifacts } = runDirectoryOf(home, 'r8');
  const unfinished = ['.oos.md.d30388395ba1.tmp', '.task/.TASK-002.json.8d7ec05355da.tmp'].map((name) =>
    path.join(artifacts, name),
  );
  mkdirSync(path.join(artifacts, '.task'));
  for (const file of unfinished) writeFileSync(file, '');
  await Promise.all([opened.start('r8'), opened.start('r8')]);
  const end = await opened.wait('r8', { signal: new AbortController().signal });
  expect(end.record.status).toBe('done');
  expect(calls.toSorted()).toEqual(['a', 'b', 'one', 'slow']);
  expect(unfinished.filter((file) => existsSync(file))).toEqual([]);
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

test('F-38: a run can run others: each has its own record, a failed one is an end, and stopping stops all', async () => {
  const parent: WorkflowDefinition<{ others: string[] }, { status: 'done'; exit: 0 }> = {
    name: 'test-parent',
    async run(context, { others }) {
      const ends = await context.runs(others);
      await context.artifact('ends.json', JSON.stringify(ends.map(({ run, status }) => `${run} ${status}`)));
      return { status: 'done', exit: 0 };
    },
  };
  const openBoth = async () => {
    engine = await embeddedEngine({ home, workflows: [story, parent] });
    return engine;
  };
  const others = ['run-1-good', 'run-1-bad'];
  await createRun('run-1', { others }, 'test-parent');
  await createRun('run-1-good', { ask: false });
  await createRun('run-1-bad', { ask: false, fail: true });
  const stop = new AbortController();
  const first = await openBoth();
  await first.start('run-1');
  const waiting = first.wait('run-1', { signal: stop.signal });
  await until(() => calls.filter((call) => call === 'slow').length === 2 && journaled.length === 4);
  stop.abort();
  expect((await waiting).kind).toBe('stopped');
  for (const id of others)
    expect(await readRunRecord(runDirectoryOf(home, id))).toMatchObject({ status: 'stopped' });
  await first.close();
  engine = undefined;

  hold.release();
  const again = await openBoth();
  await again.start('run-1');
  expect(await again.wait('run-1', { signal: new AbortController().signal })).toMatchObject({
    kind: 'ended',
    record: { status: 'done' },
  });
  expect(readFileSync(path.join(runDirectoryOf(home, 'run-1').artifacts, 'ends.json'), 'utf8')).toBe(
    '["run-1-good done","run-1-bad failed"]',
  );
  expect(await readRunRecord(runDirectoryOf(home, 'run-1-good'))).toMatchObject({ status: 'done', exit: 0 });
  // Steps finished before the stop were not repeated; running ones were.
  expect(calls.filter((call) => call === 'a')).toHaveLength(2);
  expect(calls.filter((call) => call === 'slow')).toHaveLength(4);
});

test('a store whose process was killed while it was being opened opens again', async () => {
  await (await open()).close();
  engine = undefined;
  // PostgreSQL makes its own lock file empty before it fills it.
  writeFileSync(path.join(home.store, 'postmaster.pid'), '');
  await expect(open()).resolves.toBeDefined();
});
