import { expect, test } from 'vitest';
import type { QueueEntry } from './queued-run.ts';
import type { WorkerEntry } from './workers.ts';
import { heldNote, refusedNote, whyWaiting } from './workers.ts';

const entry: QueueEntry = {
  run: 'r',
  workflow: 'lite-execute',
  title: 't',
  codeVersion: '2',
  repository: 'shop',
  clone: 'here:/shop',
  travels: false,
  agents: ['one'],
  labels: ['gpu'],
  priority: 0,
  state: 'queued',
  epoch: 1,
};
const worker: WorkerEntry = {
  worker: 'w',
  host: 'h',
  pid: 1,
  labels: ['gpu'],
  places: [{ repository: 'shop', clone: 'here:/shop', agents: ['one'] }],
  codeVersion: '2',
  silentSeconds: 1,
};
const elsewhere = [{ repository: 'shop', clone: 'there:/shop', agents: ['one'] }];

test('a waiting run always has a named reason', () => {
  const why = (workers: Partial<WorkerEntry>[], change: Partial<QueueEntry> = {}) =>
    whyWaiting(
      { ...entry, ...change },
      workers.map((part) => ({ ...worker, ...part })),
      15,
    );
  expect(why([])).toBe('no worker is there');
  expect(why([{ silentSeconds: 16 }])).toBe('no worker is there');
  expect(why([{ codeVersion: '1' }])).toBe('no worker has workflow code 2');
  expect(why([{ labels: [] }])).toBe('no worker has the labels gpu');
  expect(why([{ places: [] }])).toBe('no worker has the repository shop');
  expect(why([{ places: elsewhere }])).toContain('its work stays in the clone here:/shop');
  expect(why([{ places: elsewhere }], { bound: 'plan.txt is larger' })).toContain('(plan.txt is larger)');
  expect(why([{}])).toBe('workers are busy');
  expect(why([{}], { note: 'its worker was stopped' })).toBe('workers are busy');
  expect(why([{}], { note: heldNote(12) })).toContain('process 12 of a worker that timed out still has it');
  expect(why([{}], { note: refusedNote('EACCES: permission denied') })).toBe(
    'it could not start: EACCES: permission denied',
  );
  expect(why([{}], { state: 'running', worker: 'w' })).toBeUndefined();
  expect(why([{}], { state: 'running', worker: 'other' })).toBe('its worker other is silent');
  expect(why([], { state: 'waiting', worker: 'w' })).toBe('its worker w is silent and no other is there');
  expect(why([], { state: 'ended' })).toBeUndefined();
});
