import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { CharretteError } from '../base/errors.ts';
import { systemClock } from './clock.ts';
import { readEvents } from './event-log.ts';
import { InboxReader, leaveMessage, type MessageHandler } from './inbox.ts';
import { LiveRun } from './live-run.ts';
import { type Home, homeOf, runDirectoryOf } from './run-directory.ts';

let home: Home;
let live: LiveRun;
let done: string[];
let refused: string[];
let trouble: unknown;

beforeEach(() => {
  home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-inbox-')));
  const directory = runDirectoryOf(home, 'r1');
  mkdirSync(directory.root, { recursive: true });
  live = new LiveRun(directory, systemClock, { onPause() {}, onContinue() {} });
  done = [];
  refused = [];
  trouble = undefined;
});

function reader(): InboxReader {
  const does = (what: string) => async () => {
    if (trouble !== undefined) throw trouble;
    done.push(what);
  };
  const handler: MessageHandler = {
    start: does('start'),
    async refuse(_run, _error, request) {
      refused.push(request);
      await does('refuse')();
    },
    answer: does('answer'),
    async cancel() {
      void live.stop();
      await does('cancel')();
    },
  };
  return new InboxReader(home.inbox, () => [live], handler);
}

const full = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
const waiting = (inbox: string) => (existsSync(inbox) ? readdirSync(inbox).length : 0);
const answers = [{ question: 'q1', value: 'x', source: 'person' as const }];

test('an answer that finds no room is kept, said once, and taken at a later look', async () => {
  const inbox = reader();
  await leaveMessage(live.directory.inbox, { type: 'answer', answers });
  trouble = full();
  await inbox.readAll();
  await inbox.readAll();
  expect(waiting(live.directory.inbox)).toBe(1);
  expect(readEvents(live.directory.events)).toMatchObject([{ type: 'warning', text: full().message }]);
  trouble = undefined;
  await inbox.readAll();
  expect(done).toEqual(['answer']);
  expect(waiting(live.directory.inbox)).toBe(0);
});

test('removes an unusable answer', async () => {
  await leaveMessage(live.directory.inbox, { type: 'answer', answers });
  trouble = new CharretteError({ code: 'usage', message: 'no answer to q1' });
  await reader().readAll();
  expect(waiting(live.directory.inbox)).toBe(0);
});

test('a cancel that found no room is tried again on the run that it stopped', async () => {
  const inbox = reader();
  await leaveMessage(live.directory.inbox, { type: 'cancel', reason: 'enough' });
  trouble = full();
  await inbox.readAll();
  expect(live.stopping).toBe(true);
  trouble = undefined;
  await inbox.readAll();
  expect(done).toEqual(['cancel']);
  expect(waiting(live.directory.inbox)).toBe(0);
});

test('keeps the request of a run that can neither start nor say why, and keeps polling', async () => {
  vi.useFakeTimers();
  try {
    const inbox = reader();
    await leaveMessage(home.inbox, { type: 'run', run: 'r2' });
    trouble = full();
    inbox.start();
    await vi.advanceTimersByTimeAsync(1000);
    inbox.stop();
    expect(waiting(home.inbox)).toBe(1);
    // One request, however often it is tried, emits one end.
    expect(refused.length).toBeGreaterThan(1);
    expect(new Set(refused).size).toBe(1);
    trouble = undefined;
    await inbox.readAll();
    expect(done).toEqual(['start']);
    expect(waiting(home.inbox)).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
