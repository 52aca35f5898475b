import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { embeddedEngine, madeRun } from '../../../test/support/engine.ts';
import type { Agent, LaneResult } from '../../agents/port.ts';
import type { Engine } from '../../engine/engine.ts';
import { type Question, readQuestions } from '../../engine/question.ts';
import { type Home, homeOf, runDirectoryOf } from '../../engine/run-directory.ts';
import { readRunRecordSync } from '../../engine/run-record.ts';
import type { WorkflowDefinition } from '../../engine/workflow.ts';
import { callAll, type Seat, type Task, textAnswer } from './call.ts';
import type { LimitRule } from './limits.ts';
import { Semaphore } from './once.ts';

let home: Home;
let engine: Engine | undefined;
let asked: string[];
/** When each account may be called again; one that is missing answers. */
let usedUp: Record<string, number>;
/** For how long an account is used up from its first call on. */
let pauseMs: Record<string, number>;
let rule: LimitRule;
let seats: Seat[];
let given: Record<string, string>;
let questions: Question[];
let outcome: string[];
/** How often the workflow asks its seats. */
let rounds: number;
let mayAsk: boolean;
let crashing: string[];
let kind: string;

const usage = { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 } as const;

function agent(id: string): Agent {
  return {
    ...{ id, family: id, title: id.toUpperCase() },
    capabilities: { trust: 'terminal-event' } as Agent['capabilities'],
    async call(task): Promise<LaneResult> {
      asked.push(`${id} ${path.basename(task.laneDirectory)}`);
      const common = { usage, toolCalls: 0, durationMs: 1 };
      if (crashing.includes(id)) return { ...common, kind: 'auth', text: '', message: 'no login' };
      const pause = pauseMs[id];
      if (pause !== undefined) usedUp[id] ??= Date.now() + pause;
      const openUntil = usedUp[id];
      if (openUntil === undefined || Date.now() >= openUntil)
        return { ...common, kind: 'ok', text: `by ${id}` };
      return { ...common, kind: 'quota', text: '', message: 'used up', limit: { openUntil } };
    },
    probe: async () => ({ healthy: true }),
  };
}

const story: WorkflowDefinition<null, { status: 'done'; exit: 0 }> = {
  name: 'calls',
  async run(context) {
    const services = {
      agents: new Map(['one', 'two', 'three', 'author'].map((id) => [id, agent(id)])),
      slots: new Semaphore(8),
      ...{ project: home.project, overrides: {}, earlierLanes: undefined, nonceSeed: 'r' },
      ...{ limitRule: rule, mayAsk },
    };
    outcome = [];
    for (let round = 1; round <= rounds; round += 1) {
      const calls = seats.map((seat): [Seat, Task<string>] => {
        const limits = { wallMs: 60_000, idleMs: 60_000 };
        const key = round === 1 ? seat.id : `${seat.id}-r${round}`;
        return [seat, { key, kind, phase: '1', prompt: 'Say.', answer: textAnswer, limits }];
      });
      for (const { lane, value, agent: by } of await callAll({ context, services }, calls))
        outcome.push(`${lane}: ${value === undefined ? 'empty' : by}`);
    }
    return { status: 'done', exit: 0 };
  },
};

const seat = (id: string, agents: string[], standIn?: string): Seat => ({ id, label: id, agents, standIn });

async function work(at = home, signal = AbortSignal.timeout(60_000)): Promise<string> {
  engine = await embeddedEngine({ home: at, workflows: [story], clock: { now: () => Date.now() } });
  await engine.start('r');
  const { record } = await engine.wait('r', {
    signal,
    async answer(open) {
      questions.push(...open);
      const answers = open.flatMap(({ id }) => {
        const value = given[id];
        return value === undefined ? [] : [{ question: id, value, source: 'person' as const }];
      });
      return answers.length === 0 ? undefined : answers;
    },
  });
  await engine.close();
  engine = undefined;
  return record.status;
}

beforeEach(async () => {
  home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-limits-')));
  [asked, usedUp, given, questions, outcome, rounds, mayAsk] = [[], {}, {}, [], [], 1, true];
  [crashing, kind] = [[], 'review'];
  pauseMs = {};
  rule = { onLimit: 'ask', maxWaitHours: 6 };
  seats = [seat('arch', ['one', 'two', 'author'], 'author'), seat('edge', ['two', 'author'], 'author')];
  await madeRun(home, 'r', story.name);
});

afterEach(async () => {
  await engine?.close();
  engine = undefined;
  rmSync(home.project, { recursive: true, force: true });
});

test('Q-021: with `wait` the run sleeps until the reset, says so, and asks only what has no answer', async () => {
  rule.onLimit = 'wait';
  pauseMs['one'] = 8000;
  const working = work();
  const directory = runDirectoryOf(home, 'r');
  const sleeping = () => readRunRecordSync(directory).sleeping;
  while (sleeping() === undefined) await sleep(20);
  expect(sleeping()).toEqual({ until: new Date(usedUp['one'] ?? 0).toISOString(), reason: 'ONE: used up' });
  expect(asked.toSorted()).toEqual(['one arch-1', 'two edge-1']);
  expect(await working).toBe('done');
  expect(asked.slice(2)).toEqual(['one arch-2']);
  expect(outcome).toEqual(['arch: one', 'edge: two']);
  expect(sleeping()).toBeUndefined();
});

test('Q-021 Q-061: a run killed while it sleeps continues the rest of the wait and repeats no call', async () => {
  rule.onLimit = 'wait';
  pauseMs['one'] = 8000;
  const working = work();
  while (readRunRecordSync(runDirectoryOf(home, 'r')).sleeping === undefined) await sleep(20);
  await sleep(300);
  const copy = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-killed-')));
  cpSync(home.root, copy.root, { recursive: true });
  rmSync(copy.lock, { recursive: true, force: true });
  expect(await working).toBe('done');
  const before = asked.length;
  usedUp['one'] = 0;
  expect(await work(copy)).toBe('done');
  expect(asked.slice(before)).toEqual(['one arch-2']);
  expect(outcome).toEqual(['arch: one', 'edge: two']);
});

test('Q-022: with `ask` there are four answers, and another agent takes the seat', async () => {
  usedUp['one'] = Date.now() + 3_600_000;
  given['limit-arch'] = 'use-two';
  expect(await work()).toBe('done');
  expect(questions[0]?.text).toContain('ONE: the account is used up until');
  expect(questions[0]?.options?.map(({ value }) => value)).toEqual([
    'wait',
    'use-two',
    'use-three',
    'empty',
    'stop',
  ]);
  expect(outcome).toEqual(['arch: two', 'edge: two']);
  expect(asked.filter((call) => call.startsWith('author'))).toEqual([]);
});

test('Q-022: a seat stays empty or the run stops when you say so, and a reset beyond the limit cannot be waited for', async () => {
  usedUp['one'] = Date.now() + 7 * 3_600_000;
  given['limit-arch'] = 'empty';
  expect(await work()).toBe('done');
  expect(outcome).toEqual(['arch: empty', 'edge: two']);
  expect(questions[0]?.options?.map(({ value }) => value)).toEqual([
    'use-two',
    'use-three',
    'empty',
    'again',
    'stop',
  ]);
});

test('Q-020: with `stop` the run ends', async () => {
  usedUp['one'] = Date.now() + 3_600_000;
  rule.onLimit = 'stop';
  expect(await work()).toBe('failed');
  expect(readRunRecordSync(runDirectoryOf(home, 'r')).error?.code).toBe('quota-used-up');
});

test('Q-020: without an answer the run pauses with the question', async () => {
  usedUp['one'] = Date.now() + 3_600_000;
  expect(await work()).toBe('paused');
  expect(readQuestions(runDirectoryOf(home, 'r')).questions.map(({ id }) => id)).toEqual(['limit-arch']);
});

test('Q-023: with `fallback` another agent takes the seat, and never the author', async () => {
  rule.onLimit = 'fallback';
  usedUp['one'] = Date.now() + 3_600_000;
  usedUp['two'] = usedUp['one'];
  expect(await work()).toBe('done');
  expect(asked.toSorted()).toEqual(['one arch-1', 'two arch-2', 'two edge-1']);
  expect(outcome).toEqual(['arch: empty', 'edge: empty']);
});

test('Q-023: a failure of another kind still goes to the author', async () => {
  rule.onLimit = 'fallback';
  crashing = ['one', 'two'];
  expect(await work()).toBe('done');
  expect(outcome).toEqual(['arch: author', 'edge: author']);
});

test('Q-022: accounts are asked about one after another, and an answer holds until the reset', async () => {
  rounds = 2;
  usedUp = { one: Date.now() + 3_600_000, two: Date.now() + 3_600_000 };
  given = { 'limit-arch': 'use-three', 'limit-edge': 'empty' };
  expect(await work()).toBe('done');
  expect(questions.map(({ id }) => id)).toEqual(['limit-arch', 'limit-edge']);
  expect(outcome).toEqual(['arch: three', 'edge: empty', 'arch-r2: three', 'edge-r2: empty']);
});

test('a run that no one watches is stopped instead of asked', async () => {
  mayAsk = false;
  usedUp['one'] = Date.now() + 3_600_000;
  expect(await work()).toBe('failed');
  expect(questions).toEqual([]);
});

test('Q-022: accounts that are all used up are not offered for each other’s seats, and nothing repeats without an answer', async () => {
  [usedUp['one'], usedUp['two']] = [Date.now() + 3_600_000, Date.now() + 3_600_000];
  seats = [seat('arch', ['one'], 'author'), seat('edge', ['two'], 'author')];
  Object.assign(given, { 'limit-arch': 'use-three', 'limit-edge': 'use-three' });
  expect(await work()).toBe('done');
  expect(outcome).toEqual(['arch: three', 'edge: three']);
  for (const { options = [] } of questions)
    expect(options.map(({ value }) => value)).toEqual(['wait', 'use-three', 'empty', 'stop']);
});

test('Q-022: an agent that took a seat and is used up too is not asked again for it', async () => {
  usedUp['one'] = Date.now() + 3_600_000;
  seats = [seat('arch', ['one'], 'author'), seat('edge', ['author'])];
  Object.assign(given, { 'limit-arch': 'use-two', 'limit-arch-2': 'use-three' });
  usedUp['two'] = Date.now() + 3_600_000;
  expect(await work()).toBe('done');
  expect(outcome).toEqual(['arch: three', 'edge: author']);
  expect(asked.filter((call) => call.startsWith('one') || call.startsWith('two'))).toEqual([
    'one arch-1',
    'two arch-2',
  ]);
});

test('Q-023: who votes already, or wrote the plan, is not offered the vote of another', async () => {
  kind = 'vote';
  usedUp['one'] = Date.now() + 3_600_000;
  seats = [seat('arch', ['one'], 'author'), seat('edge', ['two'])];
  given['limit-arch'] = 'empty';
  expect(await work()).toBe('done');
  expect(questions[0]?.options?.map(({ value }) => value)).toEqual(['wait', 'use-three', 'empty', 'stop']);
});
