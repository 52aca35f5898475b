import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeEventSource } from '../../test/support/fake-event-source.ts';
import { watchRun } from './follow.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', FakeEventSource);
  vi.stubGlobal('document', { hidden: false, addEventListener() {}, removeEventListener() {} });
  FakeEventSource.opened = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const fetchMs = 50;

/** A run whose events lie on a server; an answer takes a while and holds what there was when it was asked for. */
async function watch(written: number) {
  const server = { written, reachable: true, fetches: 0 };
  const shown: number[] = [];
  const connected: boolean[] = [];
  const close = watchRun(
    'r',
    {
      events: (events) => shown.push(...events.map(({ seq }) => seq)),
      state() {},
      connected: (yes) => connected.push(yes),
    },
    async (after) => {
      server.fetches += 1;
      const { reachable } = server;
      const lines = Array.from(
        { length: server.written - after },
        (_, index) => `{"seq":${after + index + 1}}\n`,
      );
      await new Promise((resolve) => setTimeout(resolve, fetchMs));
      if (!reachable) throw new Error('The server cannot be reached.');
      return lines.join('');
    },
  );
  await vi.advanceTimersByTimeAsync(fetchMs);
  FakeEventSource.latest.accept();
  return { server, shown, connected, close };
}

/** What the run writes; the stream carries the last one alone, as to a tab that joins one that is ahead. */
const write = (server: { written: number }, count: number) => {
  server.written += count;
  FakeEventSource.latest.send(server.written);
};

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test('events that arrive while earlier ones are fetched are not lost', async () => {
  const { server, shown, close } = await watch(5);
  write(server, 3);
  await vi.advanceTimersByTimeAsync(fetchMs / 2);
  write(server, 1);
  write(server, 1);
  await vi.advanceTimersByTimeAsync(10 * fetchMs);
  expect(shown).toEqual(upTo(10));
  close();
});

test('a fetch that failed is repeated after a pause, and until then the connection counts as lost', async () => {
  const { server, shown, connected, close } = await watch(5);
  server.reachable = false;
  write(server, 3);
  await vi.advanceTimersByTimeAsync(2 * fetchMs);
  expect(connected).toEqual([true, false]);
  const asked = server.fetches;
  write(server, 1);
  await vi.advanceTimersByTimeAsync(2 * fetchMs);
  expect(server.fetches).toBe(asked);
  server.reachable = true;
  await vi.advanceTimersByTimeAsync(2000);
  expect(shown).toEqual(upTo(9));
  expect(connected).toEqual([true, false, true]);
  close();
});

test('a run without watchers is not asked for', async () => {
  const { server, close } = await watch(5);
  server.reachable = false;
  write(server, 3);
  await vi.advanceTimersByTimeAsync(2 * fetchMs);
  close();
  const asked = server.fetches;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(server.fetches).toBe(asked);
});

test('a server that does not have what its stream told is asked now and then, not all the time', async () => {
  const { server, shown, close } = await watch(5);
  const asked = server.fetches;
  FakeEventSource.latest.send(9);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(server.fetches - asked).toBeLessThan(6);
  server.written = 9;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(shown).toEqual(upTo(9));
  close();
});
