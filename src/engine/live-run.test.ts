import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { LiveRun } from './live-run.ts';
import { homeOf, runDirectoryOf } from './run-directory.ts';

function openRun(): LiveRun {
  const directory = runDirectoryOf(homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-live-'))), 'r');
  mkdirSync(directory.root, { recursive: true });
  return new LiveRun(directory, systemClock, { onPause() {}, onContinue() {} });
}

test('a stop does not wait for ever for a store that is away', async () => {
  const live = openRun();
  const away = new Promise<never>(() => {});
  let settled = false;
  const settle = () => {
    settled = true;
  };
  void live.store(() => away).then(settle, settle);
  await live.stop();
  await live.idle();
  // To the journal it has not happened.
  expect(settled).toBe(false);
  live.close();
});

test('what a store answers or refuses reaches whoever waits for it', async () => {
  const live = openRun();
  expect(await live.store(async () => 'kept')).toBe('kept');
  await expect(live.store(() => Promise.reject(new Error('full')))).rejects.toThrow('full');
  live.close();
});

test('what waits for a store that is away keeps nobody who waits for the rest', async () => {
  const live = openRun();
  const body = Promise.withResolvers<void>();
  void live.perform(() => body.promise);
  void live.store(() => new Promise<never>(() => {}));
  let rested = false;
  const resting = live.idleButForStore().then(() => {
    rested = true;
  });
  await sleep(0);
  expect(rested).toBe(false);
  body.resolve();
  await resting;
  await live.stop();
  live.close();
});

test('a stop waits for what the journal is being told, not for what never came to an end', async () => {
  const live = openRun();
  let journaled = false;
  void live
    .perform(async () => {})
    .then(() =>
      live.catchUp(
        sleep(50).then(() => {
          journaled = true;
        }),
      ),
    );
  live.catchUp(Promise.reject(new Error('cancelled')));
  await live.stop();
  expect(journaled).toBe(true);
  live.close();
});
