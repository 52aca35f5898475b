import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { FakeEventSource } from '../../test/support/fake-event-source.ts';
import type { ToTab, ToWorker } from './stream-worker.ts';

let connect: (event: { ports: unknown[] }) => void = () => {};

beforeAll(async () => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', FakeEventSource);
  vi.stubGlobal('addEventListener', (_type: string, listener: typeof connect) => {
    connect = listener;
  });
  await import('./stream-worker.ts');
});

beforeEach(() => {
  FakeEventSource.opened = [];
});

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A tab: what it sends to the worker, and what it receives. */
function openTab() {
  const told: ToTab[] = [];
  const port = {
    postMessage: (message: ToTab) => told.push(message),
    start() {},
    onmessage: (_message: { data: ToWorker }) => {},
  };
  connect({ ports: [port] });
  return { told, post: (data: ToWorker) => port.onmessage({ data }) };
}

test('a tab that joins a refused stream learns it, and the stream is opened with the token it brought', () => {
  const old = openTab();
  old.post({ type: 'join', run: 'r', after: 7 });
  expect(old.told).toEqual([]);
  FakeEventSource.latest.refuse();
  expect(old.told).toEqual([{ type: 'connected', run: 'r', yes: false, at: 7 }]);
  const fresh = openTab();
  fresh.post({ type: 'join', run: 'r', after: 9 });
  expect(fresh.told).toEqual([{ type: 'connected', run: 'r', yes: false, at: 7 }]);
  expect(FakeEventSource.opened.map(({ url }) => url)).toEqual([
    '/api/runs/r/stream?after=7',
    '/api/runs/r/stream?after=7',
  ]);
  FakeEventSource.latest.accept();
  for (const { told } of [old, fresh])
    expect(told.at(-1)).toEqual({ type: 'connected', run: 'r', yes: true, at: 7 });
  for (const tab of [old, fresh]) tab.post({ type: 'close' });
});

test('a tab that joins a live stream learns where it is', () => {
  const [first, second] = [openTab(), openTab()];
  first.post({ type: 'join', run: 's', after: 0 });
  FakeEventSource.latest.accept();
  FakeEventSource.latest.send(1, 'one');
  FakeEventSource.latest.sendState('running');
  second.post({ type: 'join', run: 's', after: 0 });
  expect(second.told).toEqual([
    { type: 'connected', run: 's', yes: true, at: 1 },
    { type: 'state', run: 's', text: 'running' },
  ]);
  expect(FakeEventSource.opened).toHaveLength(1);
});
