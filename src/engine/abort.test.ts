import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { raceAbort } from './live-run.ts';

const never = new Promise<never>(() => {});
const listeners = ({ signal }: AbortController) => getEventListeners(signal, 'abort').length;

test('work that ends is waited for, and leaves nothing on the signal', async () => {
  const stop = new AbortController();
  let done = false;
  const work = new Promise<void>((resolve) => setTimeout(resolve, 5)).then(() => {
    done = true;
  });
  await raceAbort(work, stop.signal);
  expect([done, listeners(stop)]).toEqual([true, 0]);
});

test('work that fails is heard, and leaves nothing on the signal', async () => {
  const stop = new AbortController();
  await expect(raceAbort(Promise.reject(new Error('full')), stop.signal)).rejects.toThrow('full');
  expect(listeners(stop)).toBe(0);
});

test('a signal ends the waiting, one that fired before too', async () => {
  const stop = new AbortController();
  const waiting = raceAbort(never, stop.signal);
  stop.abort();
  await waiting;
  await raceAbort(never, stop.signal);
  expect(listeners(stop)).toBe(0);
});
