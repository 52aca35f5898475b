import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from './engine.ts';
import { createRunDirectory, type Home, homeOf, runDirectoryOf } from './run-directory.ts';
import { readRunRecord, writeRunRecord } from './run-record.ts';
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
  expect(kept).toEqual(result);
  kept.list.push('b');
  first.keep('run#2', undefined);
  first.close();
  const second = new Unjournaled(file);
  expect(second.find('run#1')).toEqual({ value: { list: ['a'], when: new Date(0), absent: undefined } });
  expect(second.find('run#2')).toEqual({ value: undefined });
  expect(second.find('run#3')).toBeUndefined();
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

let performed: string[] = [];
let during: () => void = () => {};

const lane: WorkflowDefinition<null, string> = {
  name: 'ahead-lane',
  run: (context) =>
    context.step('ask', async () => {
      performed.push('lane');
      return 'answer';
    }),
};
const story: WorkflowDefinition<null, { status: 'done'; exit: 0; message: string }> = {
  name: 'ahead-story',
  async run(context) {
    const one = await context.step('one', async () => {
      performed.push('one');
      return `one ${performed.length}`;
    });
    const [answer] = await context.children(lane, [{ key: 'a', input: null }]);
    const two = await context.step('two', async () => {
      performed.push('two');
      during();
      return 'two';
    });
    return { status: 'done', exit: 0, message: `${one}, ${answer}, ${two}` };
  },
};

async function run(home: Home): Promise<string> {
  const opening = await openEngine({
    home,
    store: 'embedded',
    codeVersion: '1',
    workflows: [story],
    children: [lane],
  });
  if (!opening.opened) throw new Error('the store is locked');
  await opening.engine.start('r');
  const signal = new AbortController().signal;
  const { record } = await opening.engine.wait('r', { signal });
  await opening.engine.close();
  return record.status;
}

test('a run killed before its journal had what it went ahead with repeats nothing', async () => {
  const [home, copy] = [homeOf(temporary()), homeOf(temporary())];
  const directory = runDirectoryOf(home, 'r');
  await createRunDirectory(directory);
  const record = { schemaVersion: 1, run: 'r', workflow: story.name, codeVersion: '1', title: 'r' } as const;
  await writeRunRecord(directory, { ...record, inputs: null, status: 'running', created: '' });
  let waiting = '';
  // What a kill at this moment leaves.
  during = () => {
    waiting = readFileSync(directory.unjournaled, 'utf8');
    cpSync(home.root, copy.root, { recursive: true });
  };
  expect(await run(home)).toBe('done');
  expect(existsSync(directory.unjournaled)).toBe(false);
  expect(performed).toEqual(['one', 'lane', 'two']);
  expect(waiting.split('\n').flatMap((line) => line.match(/"id":"[^"]+"/) ?? [])).toContain('"id":"a#1"');

  performed = [];
  during = () => {};
  rmSync(copy.lock, { recursive: true });
  expect(await run(copy)).toBe('done');
  expect(performed).toEqual(['two']);
  const there = runDirectoryOf(copy, 'r');
  expect(existsSync(there.unjournaled)).toBe(false);
  expect((await readRunRecord(there)).exit).toBe(0);
  const ends = [directory, there].map(({ events }) =>
    readFileSync(events, 'utf8').trimEnd().split('\n').at(-1),
  );
  expect(ends.map((line) => JSON.parse(line ?? '').message)).toEqual(Array(2).fill('one 1, answer, two'));
  for (const { project } of [home, copy]) rmSync(project, { recursive: true, force: true });
});
