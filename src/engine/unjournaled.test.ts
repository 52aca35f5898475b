import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { beforeEach, expect, test, vi } from 'vitest';
import { type Home, homeOf, type RunDirectory, runDirectoryOf } from './run-directory.ts';
import { updateRunRecord } from './run-record.ts';
import { embeddedEngine, madeRun } from './testing.ts';
import { Unjournaled } from './unjournaled.ts';
import type { WorkflowDefinition } from './workflow.ts';

function temporary(): string {
  return mkdtempSync(path.join(tmpdir(), 'charrette-ahead-'));
}

test('a result is found again by whoever opens the file, and nobody changes it on its way', () => {
  const file = path.join(temporary(), 'unjournaled.jsonl');
  const first = new Unjournaled(file);
  const result = { list: ['a'], when: new Date(0), absent: undefined };
  const kept = first.keep('run#1', result);
  expect(kept).toEqual({ value: result });
  kept?.value.list.push('b');
  first.keep('run#2', undefined);
  first.close();
  const second = new Unjournaled(file);
  expect(second.find('run#1')).toEqual({ value: { list: ['a'], when: new Date(0), absent: undefined } });
  expect(second.find('run#2')).toEqual({ value: undefined });
  expect(second.find('run#3')).toBeUndefined();
});

test('what cannot be copied or written is not kept', () => {
  const kept = new Unjournaled(path.join(temporary(), 'unjournaled.jsonl'));
  expect(kept.keep('a', { call() {} })).toBeUndefined();
  expect(new Unjournaled(path.join(temporary(), 'missing', 'file')).keep('a', 1)).toBeUndefined();
  kept.keep('b', 1);
  kept.close();
  expect(kept.keep('c', 1)).toBeUndefined();
});

test('the file is empty once the journal has everything, and gone once nobody has it open', () => {
  const file = path.join(temporary(), 'unjournaled.jsonl');
  const kept = new Unjournaled(file);
  kept.keep('a', 1);
  kept.keep('b', 2);
  kept.journaled('a');
  expect(kept.find('b')).toEqual({ value: 2 });
  kept.journaled('b');
  expect(readFileSync(file, 'utf8')).toBe('');
  kept.keep('c', 3);
  kept.close();
  expect(existsSync(file)).toBe(true);
  const again = new Unjournaled(file);
  again.clear();
  again.close();
  expect(existsSync(file)).toBe(false);
});

test('an empty file that cannot be removed is left, and the run ends as it would', () => {
  const file = path.join(temporary(), 'unjournaled.jsonl');
  const kept = new Unjournaled(file);
  kept.keep('a', 1);
  kept.journaled('a');
  rmSync(file);
  mkdirSync(file);
  kept.close();
  expect(existsSync(file)).toBe(true);
});

let performed: string[] = [];
let during: () => void = () => {};
let odd: unknown;
let oddSignal: AbortSignal | undefined;
/** What the lane and the last step wait for before they end. */
let laneEnd: () => Promise<unknown>;
let lastEnd: (signal: AbortSignal) => Promise<unknown>;

const lane: WorkflowDefinition<null, { answer: string; attempt: number }> = {
  name: 'ahead-lane',
  async run(context) {
    const answer = await context.step('ask', async () => {
      performed.push('lane');
      await laneEnd();
      return 'answer';
    });
    attempts += 1;
    // Differs each time, as the time that a lane took does.
    return { answer, attempt: attempts };
  },
};
let attempts = 0;
const story: WorkflowDefinition<null, { status: 'done'; exit: 0; message: string }> = {
  name: 'ahead-story',
  async run(context) {
    odd = await context.step('odd', async (signal) => {
      performed.push('odd');
      oddSignal = signal;
      return { call() {}, name: 'odd' };
    });
    const one = await context.step('one', async () => {
      performed.push('one');
      return `one ${performed.length}`;
    });
    const [given] = await context.children(lane, [{ key: 'a', input: null }]);
    const two = await context.step('two', async (signal) => {
      performed.push('two');
      during();
      await lastEnd(signal);
      return 'two';
    });
    return { status: 'done', exit: 0, message: `${one}, ${given?.answer} ${given?.attempt}, ${two}` };
  },
};

const open = (home: Home) => embeddedEngine({ home, workflows: [story], children: [lane] });

async function run(home: Home, stop = new AbortController().signal): Promise<string> {
  const engine = await open(home);
  await engine.start('r');
  const { record } = await engine.wait('r', { signal: stop });
  await engine.close();
  return record.status;
}

async function makeRun(): Promise<{ home: Home; directory: RunDirectory }> {
  const home = homeOf(temporary());
  return { home, directory: await madeRun(home, 'r', story.name) };
}

const lastEvent = ({ events }: RunDirectory) =>
  JSON.parse(readFileSync(events, 'utf8').trimEnd().split('\n').at(-1) ?? '');

beforeEach(() => {
  performed = [];
  attempts = 0;
  during = () => {};
  laneEnd = async () => {};
  lastEnd = async () => {};
});

test('a run killed before its journal had what it went ahead with repeats nothing and builds on the same', async () => {
  const { home, directory } = await makeRun();
  const copy = homeOf(temporary());
  let waiting = '';
  // What a kill at this moment leaves.
  during = () => {
    waiting = readFileSync(directory.unjournaled, 'utf8');
    cpSync(home.root, copy.root, { recursive: true });
  };
  expect(await run(home)).toBe('done');
  expect(existsSync(directory.unjournaled)).toBe(false);
  expect(performed).toEqual(['odd', 'one', 'lane', 'two']);
  const ids = waiting.split('\n').flatMap((line) => line.match(/(?<="id":")[^"]+/) ?? []);
  expect(ids.slice(-2)).toEqual(['a#1', 'run@1']);
  // The journal gives what it can.
  expect(odd).toMatchObject({ name: 'odd' });

  performed = [];
  during = () => {};
  rmSync(copy.lock, { recursive: true });
  expect(await run(copy)).toBe('done');
  expect(performed).toEqual(['two']);
  const there = runDirectoryOf(copy, 'r');
  expect(existsSync(there.unjournaled)).toBe(false);
  expect(attempts).toBe(2);
  expect([directory, there].map((each) => lastEvent(each).message)).toEqual(
    Array(2).fill('one 2, answer 1, two'),
  );
});

test('told to stop during its last step a run has stopped, and going on ends it without doing anything twice', async () => {
  const { home, directory } = await makeRun();
  const stop = new AbortController();
  during = () => stop.abort();
  // Not before whoever started the run has heard of the stop.
  lastEnd = async (signal) => {
    while (!signal.aborted) await sleep(20);
  };
  expect(await run(home, stop.signal)).toBe('stopped');
  expect(lastEvent(directory).type).toBe('run-pause');
  expect(await run(home)).toBe('done');
  expect(performed).toEqual(['odd', 'one', 'lane', 'two']);
});

test('a journal that refuses what a run went ahead with is heard, and the result stays where it was kept', async () => {
  const { home, directory } = await makeRun();
  const engine = await open(home);
  const runStep = DBOS.runStep.bind(DBOS);
  let file = '';
  vi.spyOn(DBOS, 'runStep').mockImplementation(async (body, config) => {
    const result = await runStep(body as () => Promise<unknown>, config);
    if (config?.name !== 'one') return result;
    file = readFileSync(directory.unjournaled, 'utf8');
    throw new Error('could not write a block');
  });
  try {
    // Not before the journal was heard, so that the next step comes after it.
    laneEnd = async () => {
      while (file === '') await sleep(20);
      await sleep(100);
    };
    await engine.start('r');
    const end = await engine.wait('r', { signal: new AbortController().signal });
    expect(end.record).toMatchObject({ status: 'failed', error: { message: /could not write a block/ } });
    expect(file).toContain('"id":"run#2"');
  } finally {
    vi.restoreAllMocks();
    await engine.close();
  }
});

test('a run that the store does not take has nothing under way', async () => {
  const { home } = await makeRun();
  const engine = await open(home);
  vi.spyOn(DBOS, 'startWorkflow').mockImplementation((() => async () => {
    await sleep(20);
    throw new Error('read-only');
  }) as never);
  try {
    await expect(engine.start('r')).rejects.toThrow('read-only');
    expect(performed).toEqual(['odd']);
    expect(oddSignal?.aborted).toBe(true);
  } finally {
    vi.restoreAllMocks();
    await engine.close();
  }
});

test('the journal of a run whose process died between its end and the store’s knowing it is swept', async () => {
  const { home } = await makeRun();
  const copy = homeOf(temporary());
  during = () => cpSync(home.root, copy.root, { recursive: true });
  await run(home);
  rmSync(copy.lock, { recursive: true });
  await updateRunRecord(runDirectoryOf(copy, 'r'), { status: 'done', exit: 0 });
  const engine = await open(copy);
  const journals = () => DBOS.listWorkflows({ workflow_id_prefix: 'r' });
  expect(await journals()).not.toEqual([]);
  await expect.poll(journals).toEqual([]);
  await engine.close();
});
