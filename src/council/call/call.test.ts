import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { embeddedEngine, madeRun } from '../../../test/support/engine.ts';
import type { Agent, LaneResult } from '../../agents/port.ts';
import type { Judgement } from '../../base/schema/judgements.ts';
import type { Engine } from '../../engine/engine.ts';
import { readEvents } from '../../engine/event-log.ts';
import { type Home, homeOf, runDirectoryOf } from '../../engine/run-directory.ts';
import type { WorkflowDefinition } from '../../engine/workflow.ts';
import { callAll, type Seat, type Task } from './call.ts';
import { judgementForm } from './judgement.ts';
import { Semaphore } from './once.ts';

/** What an agent does at its next call: the answer, or the kind of its failure. */
type Turn = (signal: AbortSignal) => Promise<'answer' | Exclude<LaneResult['kind'], 'ok'>>;

let home: Home;
let engine: Engine | undefined;
let asked: string[];
let turns: Turn[];
/** Turns of certain calls, whenever they come. */
let planned: Record<string, Turn>;
let seats: string[];
let now: number;

const usage = { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 } as const;
const diagram = { mermaid: 'flowchart TD\n  A-->B\n' };

function agent(id: string): Agent {
  return {
    id,
    family: id,
    title: id,
    capabilities: { trust: 'terminal-event' } as Agent['capabilities'],
    async call(task, { signal }): Promise<LaneResult> {
      const call = `${id} ${path.basename(task.laneDirectory)}`;
      asked.push(call);
      const kind = await (planned[call] ?? turns.shift() ?? answer)(signal);
      const common = { usage, toolCalls: 0, durationMs: 1 };
      if (kind !== 'answer') return { ...common, kind, text: '', message: `${kind}!` };
      return { ...common, kind: 'ok', text: JSON.stringify(diagram), value: diagram };
    },
    probe: async () => ({ healthy: true }),
  };
}

const answer: Turn = async () => 'answer';
const crash: Turn = async () => 'crash';
const untilStopped: Turn = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

const story: WorkflowDefinition<null, { status: 'done'; exit: 0 }> = {
  name: 'calls',
  async run(context) {
    const services = {
      agents: new Map(['one', 'two'].map((id) => [id, agent(id)])),
      slots: new Semaphore(4),
      project: home.project,
      overrides: {},
      earlierLanes: undefined,
      nonceSeed: 'r',
    };
    const calls = seats.map((key): [Seat, Task<Judgement<'diagram'>>] => {
      const limits = { wallMs: 60_000, idleMs: 60_000 };
      const answer = judgementForm('diagram', { kind: 'diagram', facts: {} });
      return [
        { id: key, label: key, agents: ['one', 'two'] },
        { key, kind: 'diagram', phase: '1', prompt: 'Draw.', facts: {}, answer, limits },
      ];
    });
    const answers = await callAll({ context, services }, calls);
    context.emit({ type: 'note', text: 'after the calls' });
    const failed = answers.find(({ kind }) => kind !== 'ok');
    if (failed !== undefined) throw new Error(`${failed.agent}: ${failed.message}`);
    return { status: 'done', exit: 0 };
  },
};

/** Works on the run until it ends or the signal fires. */
async function work(at = home, signal = AbortSignal.timeout(60_000)): Promise<string> {
  engine = await embeddedEngine({
    home: at,
    workflows: [story],
    clock: { now: () => now + performance.now() },
  });
  await engine.start('r');
  const { record } = await engine.wait('r', { signal });
  await engine.close();
  engine = undefined;
  return record.status;
}

/** Ids and facts of the events of calls. */
function laneEvents(at = home): string[] {
  return readEvents(runDirectoryOf(at, 'r').events).flatMap((event) => {
    if (event.type === 'lane-start') return [`${event.id} start ${event.agent} ${event.attempt}`];
    if (event.type === 'lane-retry') return [`${event.id} retry ${event.kind}`];
    return event.type === 'lane-end' ? [`${event.id} end ${event.kind}`] : [];
  });
}

const noteIds = (at = home) =>
  readEvents(runDirectoryOf(at, 'r').events).flatMap(({ type, id }) => (type === 'note' ? [id] : []));

/** What a kill at this moment would leave. */
function killedCopy(): Home {
  const copy = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-killed-')));
  cpSync(home.root, copy.root, { recursive: true });
  rmSync(copy.lock, { recursive: true, force: true });
  return copy;
}

beforeEach(async () => {
  home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-call-')));
  [asked, turns, planned, seats, now] = [[], [], {}, ['arch'], Date.parse('2026-01-01')];
  await madeRun(home, 'r', story.name);
});

afterEach(async () => {
  await engine?.close();
  engine = undefined;
  rmSync(home.project, { recursive: true, force: true });
});

test('a run killed between the attempts of a call repeats no finished attempt and no event', async () => {
  let copy = home;
  turns = [
    crash,
    async () => {
      copy = killedCopy();
      return 'answer';
    },
  ];
  expect(await work()).toBe('done');
  const events = ['arch:1 start one 1', 'arch:2 retry crash', 'arch:3 start one 2', 'arch:4 end ok'];
  expect(laneEvents()).toEqual(events);
  expect(asked).toEqual(['one arch-1', 'one arch-2']);

  asked = [];
  expect(await work(copy)).toBe('done');
  expect(asked).toEqual(['one arch-2']);
  expect(laneEvents(copy)).toEqual(events);
  expect(noteIds(copy)).toEqual(noteIds());
});

test('a run killed while one of two parallel calls is running asks only that one again', async () => {
  seats = ['arch', 'sec'];
  let copy = home;
  const first = Promise.withResolvers<void>();
  turns = [
    async () => {
      setTimeout(first.resolve, 300);
      return 'answer';
    },
    async () => {
      await first.promise;
      copy = killedCopy();
      return 'answer';
    },
  ];
  expect(await work()).toBe('done');
  asked = [];
  expect(await work(copy)).toBe('done');
  expect(asked).toEqual(['one sec-1']);
  expect(laneEvents(copy).toSorted()).toEqual(laneEvents().toSorted());
  expect(noteIds(copy)).toEqual(noteIds());
});

test('a stop within a call keeps its failed attempts, and resuming continues with the next one', async () => {
  turns = [crash, crash, untilStopped];
  const stop = new AbortController();
  const stopped = work(home, stop.signal);
  await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(3);
  stop.abort();
  expect(await stopped).toBe('stopped');
  turns = [answer];
  expect(await work()).toBe('done');
  expect(asked).toEqual(['one arch-1', 'one arch-2', 'two arch-3', 'two arch-3']);
  expect(laneEvents()).toEqual([
    'arch:1 start one 1',
    'arch:2 retry crash',
    'arch:3 start one 2',
    'arch:4 retry crash',
    'arch:5 start two 3',
    'arch:6 end ok',
  ]);
});

test('a stop within the wait for a retry ends it at once, and resuming waits only for the rest', async () => {
  turns = [async () => 'rate_limit'];
  const stop = new AbortController();
  const stopped = work(home, stop.signal);
  await expect.poll(() => laneEvents().length, { timeout: 20_000 }).toBe(2);
  const before = performance.now();
  stop.abort();
  expect(await stopped).toBe('stopped');
  expect(performance.now() - before).toBeLessThan(4000);
  now += 4900;
  const resumed = performance.now();
  expect(await work()).toBe('done');
  expect(performance.now() - resumed).toBeLessThan(4900);
  expect(asked).toEqual(['one arch-1', 'one arch-2']);
});

test('a run that failed asks again when it starts again, and its new attempts have events', async () => {
  seats = ['arch', 'sec'];
  planned = { 'one arch-1': async () => 'auth', 'two arch-2': async () => 'auth' };
  expect(await work()).toBe('failed');
  expect(asked.toSorted()).toEqual(['one arch-1', 'one sec-1', 'two arch-2']);
  [asked, planned] = [[], {}];
  expect(await work()).toBe('done');
  // The answer that was there is not asked for again; the failed attempts are, and stay on disk.
  expect(asked).toEqual(['one arch-3']);
  expect(laneEvents().slice(-2)).toEqual(['arch~2:1 start one 3', 'arch~2:2 end ok']);
  expect(laneEvents().filter((event) => event.startsWith('sec'))).toHaveLength(2);
});

test('an error of the program ends the run only when no call is running any more', async () => {
  seats = ['arch', 'sec'];
  let ended = false;
  turns = [
    async () => {
      throw new Error('a defect');
    },
    async () => {
      await sleep(500);
      ended = true;
      return 'answer';
    },
  ];
  expect(await work()).toBe('failed');
  expect(ended).toBe(true);
});
