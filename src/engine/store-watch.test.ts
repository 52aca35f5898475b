import { expect, test } from 'vitest';
import { StoreWatch } from './store-watch.ts';

/** A watch over a store that answers as long as `answers` is true. */
function watched(patienceMs: number) {
  const state = { answers: true, asked: 0 };
  const news: string[] = [];
  const watch = new StoreWatch(
    async () => {
      state.asked += 1;
      if (!state.answers) throw new AggregateError([new Error('refused'), new Error('refused too')]);
    },
    {
      patienceMs,
      intervalMs: 5,
      news: { away: (reason) => news.push(`away: ${reason}`), back: () => news.push('back') },
    },
  );
  const asked = async (times: number) => {
    const end = state.asked + times;
    while (state.asked < end) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  return { state, news, watch, asked };
}

test('a reachable store is never reported and never lost', async () => {
  const { watch, news, asked } = watched(20);
  watch.start();
  await asked(10);
  watch.stop();
  expect([news, watch.isAway, watch.isLost]).toEqual([[], false, false]);
});

test('a store that stops answering is named with its reason, counts as lost, and is forgiven when it is back', async () => {
  const { watch, news, state, asked } = watched(20);
  watch.start();
  state.answers = false;
  expect(await watch.lost(new AbortController().signal)).toBe('lost');
  expect(watch.reason).toBe('refused; refused too');
  state.answers = true;
  await asked(2);
  expect(watch.isLost).toBe(false);
  watch.stop();
  expect(news).toEqual(['away: refused; refused too', 'back']);
});

test('does not notify or keep a waiter that is done', async () => {
  const { watch, state } = watched(20);
  watch.start();
  const left = new AbortController();
  let told = false;
  void watch.lost(left.signal).then(() => {
    told = true;
  });
  left.abort();
  state.answers = false;
  await watch.lost(new AbortController().signal);
  watch.stop();
  expect(told).toBe(false);
});

test('does not report a single missed poll', async () => {
  const { watch, news, state, asked } = watched(60_000);
  watch.start();
  state.answers = false;
  await asked(1);
  state.answers = true;
  await asked(2);
  watch.stop();
  expect([news, watch.isAway]).toEqual([[], false]);
});
