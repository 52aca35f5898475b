import { expect, test } from 'vitest';
import { Semaphore } from './once.ts';

const never = new AbortController().signal;

test('so many bodies run at the same time, the others in the order in which they came', async () => {
  const places = new Semaphore(2);
  const [begun, ends]: [number[], (() => void)[]] = [[], []];
  const bodies = [0, 1, 2, 3].map((number) =>
    places.run(() => {
      begun.push(number);
      return new Promise<void>((resolve) => ends.push(resolve));
    }, never),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await bodies[1];
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await bodies[0];
  await bodies[2];
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[3]?.();
  await bodies[3];
});

test('an aborted waiter leaves at once and takes no slot', async () => {
  const places = new Semaphore(1);
  let end = () => {};
  const first = places.run(() => new Promise<void>((resolve) => (end = resolve)), never);
  const stop = new AbortController();
  const second = places.run(async () => 'second', stop.signal);
  const third = places.run(async () => 'third', never);
  stop.abort(new Error('stopped'));
  await expect(second).rejects.toThrow('stopped');
  await expect(places.run(async () => 'late', stop.signal)).rejects.toThrow('stopped');
  end();
  await first;
  expect(await third).toBe('third');
  expect(await places.run(async () => 'fourth', never)).toBe('fourth');
});
