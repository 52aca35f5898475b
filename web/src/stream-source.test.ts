import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeEventSource } from '../../test/support/fake-event-source.ts';
import { followRun } from './stream-source.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', FakeEventSource);
  FakeEventSource.opened = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function follow(after = 0) {
  const told: unknown[] = [];
  const stream = followRun('r', after, {
    lines: (lines, at) => told.push(['lines', lines, at]),
    state: (text) => told.push(['state', text]),
    connected: (yes, at) => told.push([yes, at]),
  });
  return { told, stream };
}

test('a stream that the server refuses is opened again after growing pauses, where it was', () => {
  const { told } = follow(4);
  FakeEventSource.latest.accept();
  FakeEventSource.latest.send(5, 'five');
  FakeEventSource.latest.refuse();
  expect(told).toEqual([
    [true, 4],
    ['lines', ['five'], 5],
    [false, 5],
  ]);
  const opened: number[] = [];
  for (let second = 1; second <= 40; second += 1) {
    const before = FakeEventSource.opened.length;
    vi.advanceTimersByTime(1000);
    if (FakeEventSource.opened.length === before) continue;
    opened.push(second);
    FakeEventSource.latest.refuse();
  }
  expect(opened).toEqual([1, 3, 7, 15, 30]);
  expect(FakeEventSource.latest.url).toBe('/api/runs/r/stream?after=5');
  vi.advanceTimersByTime(15_000);
  FakeEventSource.latest.accept();
  expect(told.at(-1)).toEqual([true, 5]);
  FakeEventSource.latest.refuse();
  const before = FakeEventSource.opened.length;
  vi.advanceTimersByTime(1000);
  expect(FakeEventSource.opened).toHaveLength(before + 1);
});

test('a stream that broke is left to the browser', () => {
  const { told } = follow();
  FakeEventSource.latest.accept();
  FakeEventSource.latest.drop();
  vi.advanceTimersByTime(60_000);
  expect(FakeEventSource.opened).toHaveLength(1);
  expect(told.at(-1)).toEqual([false, 0]);
});

test('a refused stream is opened at once when it is hurried, and never after it was closed', () => {
  const { stream } = follow();
  stream.hurry();
  expect(FakeEventSource.opened).toHaveLength(1);
  FakeEventSource.latest.refuse();
  stream.hurry();
  expect(FakeEventSource.opened).toHaveLength(2);
  FakeEventSource.latest.refuse();
  stream.close();
  vi.advanceTimersByTime(60_000);
  expect(FakeEventSource.opened).toHaveLength(2);
});

test('the state of the run comes after the events before it', () => {
  const { told } = follow();
  FakeEventSource.latest.accept();
  FakeEventSource.latest.send(1, 'one');
  FakeEventSource.latest.send(2, 'two');
  FakeEventSource.latest.sendState('running');
  expect(told.slice(1)).toEqual([
    ['lines', ['one', 'two'], 2],
    ['state', 'running'],
  ]);
});
