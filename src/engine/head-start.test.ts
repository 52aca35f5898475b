import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import type { Engine } from './engine.ts';
import { readEvents } from './event-log.ts';
import { HeadStart, headStart } from './head-start.ts';
import { LiveRun } from './live-run.ts';
import { type Home, homeOf, runDirectoryOf } from './run-directory.ts';
import { readRunRecord } from './run-record.ts';
import { embeddedEngine, madeRun } from './testing.ts';
import type { WorkflowDefinition } from './workflow.ts';

let home: Home;
let begun: string[];
let onBegin = () => {};
let onSecond = () => {};
let laneMs = 30;
let engine: Engine | undefined;

type Lane = { name: string; fail?: boolean };

const lane: WorkflowDefinition<Lane, { name: string; second: number }> = {
  name: 'head-lane',
  async run(context, { name, fail }) {
    context.emit({ type: 'note', text: `lane ${name}` });
    await context.step('first', async () => {
      begun.push(name);
      onBegin();
      await sleep(laneMs);
      if (fail === true) throw new Error(`${name} fails`);
      return name;
    });
    const second = await context.step('second', async () => {
      onSecond();
      return begun.push(`${name} again`);
    });
    return { name, second };
  },
};

let lanes: readonly Lane[];
let outcome: unknown;
/** What whoever comes first to the story, its rehearsal, waits for. */
let late: Promise<void> | undefined;

const story: WorkflowDefinition<null, { status: 'done'; exit: 0 }> = {
  name: 'head-story',
  async run(context) {
    const rows = lanes.map((input) => ({ key: input.name, input }));
    const wait = late;
    late = undefined;
    await wait;
    outcome = await context.children(lane, rows).catch(({ message }: Error) => message);
    return { status: 'done', exit: 0 };
  },
};

beforeEach(() => {
  home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-head-')));
  begun = [];
  onBegin = () => {};
  onSecond = () => {};
  outcome = undefined;
});

afterEach(async () => {
  await engine?.close();
  engine = undefined;
  rmSync(home.project, { recursive: true, force: true });
});

async function runStory(signal = new AbortController().signal): Promise<Engine> {
  engine = await embeddedEngine({ home, workflows: [story], children: [lane], keepJournalsMs: 60_000 });
  await madeRun(home, 'r', story.name);
  await engine.start('r');
  await engine.wait('r', { signal });
  return engine;
}

test('children begin once, give their results in order, and all of them end in the journal', async () => {
  lanes = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
  await runStory();
  expect(begun.slice(0, 3)).toEqual(['a', 'b', 'c']);
  expect(begun).toHaveLength(6);
  expect(outcome).toMatchObject([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  const notes = readEvents(runDirectoryOf(home, 'r').events).filter(({ type }) => type === 'note');
  expect(notes.map(({ id }) => id)).toEqual(['a:1', 'b:1', 'c:1']);
  const children = async () =>
    (await DBOS.listWorkflows({ workflow_id_prefix: 'r.' })).map(
      ({ workflowID, status }) => `${workflowID} ${status}`,
    );
  await expect
    .poll(async () => (await children()).sort())
    .toEqual(['r.a SUCCESS', 'r.b SUCCESS', 'r.c SUCCESS']);
  // Only what a workflow does is counted: a run goes on under the numbers that an earlier program gave.
  const own = await DBOS.listWorkflowSteps('r');
  expect(own?.map(({ functionID, name }) => `${functionID} ${name}`)).toEqual([
    '0 head-lane',
    '1 head-lane',
    '2 head-lane',
    '3 await a, b, c',
  ]);
  const steps = await DBOS.listWorkflowSteps('r.b');
  expect(steps?.map(({ name, output }) => [name, output])).toEqual([
    ['first', 'b'],
    ['second', expect.any(Number)],
  ]);
});

test('a rehearsal that comes later than the execution begins nothing', async () => {
  lanes = [{ name: 'a' }];
  const rehearsal = Promise.withResolvers<void>();
  late = rehearsal.promise;
  onSecond = rehearsal.resolve;
  await runStory();
  expect(late).toBeUndefined();
  expect(outcome).toMatchObject([{ name: 'a' }]);
  expect(begun).toEqual(['a', 'a again']);
});

test('a child that fails in its first step fails once and where its parent waits', async () => {
  lanes = [{ name: 'a' }, { name: 'bad', fail: true }];
  await runStory();
  expect(outcome).toBe('bad fails');
  expect(begun.filter((name) => name === 'bad')).toHaveLength(1);
  expect((await DBOS.getWorkflowStatus('r.bad'))?.status).toBe('ERROR');
});

test('a run that was stopped while its children were being started goes on in the same process', async () => {
  lanes = [{ name: 'a' }, { name: 'b' }];
  const stop = new AbortController();
  onBegin = () => stop.abort();
  // Longer than the store takes to hear of them.
  laneMs = 3000;
  await runStory(stop.signal);
  expect((await readRunRecord(runDirectoryOf(home, 'r'))).status).toBe('stopped');
  onBegin = () => {};
  laneMs = 30;
  await engine?.start('r');
  const end = await engine?.wait('r', { signal: AbortSignal.timeout(20_000) });
  expect(end).toMatchObject({ kind: 'ended', record: { status: 'done' } });
  expect(outcome).toMatchObject([{ name: 'a' }, { name: 'b' }]);
});

test('whoever comes second to a first step gets what came of it', async () => {
  const head = new HeadStart();
  let times = 0;
  const body = async () => {
    times += 1;
    throw new Error('once');
  };
  void head.first(body);
  await sleep(1);
  await expect(head.first(body)).rejects.toThrow('once');
  expect(times).toBe(1);
});

test('a result is told at once, and its child goes on when it has been taken', async () => {
  const head = new HeadStart();
  let gone = false;
  const handed = head.handOver('value').then(() => {
    gone = true;
  });
  expect(await head.result).toBe('value');
  await sleep(1);
  expect(gone).toBe(false);
  head.taken();
  await handed;
  expect(gone).toBe(true);
});

test('a rehearsal begins the first step and does nothing after it or beside it', async () => {
  const directory = runDirectoryOf(home, 'r');
  mkdirSync(directory.root, { recursive: true });
  const live = new LiveRun(directory, systemClock, { onPause() {}, onContinue() {} });
  const input = { name: 'a' };
  headStart(live, lane, { key: 'a', input });
  const asks: WorkflowDefinition<null, void> = {
    name: 'asks',
    async run(context) {
      await context.ask([{ id: 'q', text: 'Which?', recommended: 'x' }]);
      begun.push('went on');
    },
  };
  headStart(live, asks, { key: 'q', input: null });
  lanes = [{ name: 'b' }, { name: 'c' }];
  headStart(live, story, { key: '', input: null });
  await live.idle();
  await sleep(1);
  expect(begun).toEqual(['a', 'b', 'c']);
  expect([...live.headStarts.keys()]).toEqual(['a', 'q', '', 'b', 'c']);
  live.close();
});
