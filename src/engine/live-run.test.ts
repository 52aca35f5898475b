import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { LiveRun } from './live-run.ts';
import { homeOf, runDirectoryOf } from './run-directory.ts';

function openRun(hooks: { keep?: () => Promise<void> } = {}): LiveRun {
  const directory = runDirectoryOf(homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-live-'))), 'r');
  mkdirSync(directory.root, { recursive: true });
  return new LiveRun(directory, systemClock, { onPause() {}, onContinue() {}, ...hooks });
}

test('a stop waits for the journal of finished steps, and not forever', async () => {
  const live = openRun();
  let journaled = false;
  void live
    .perform(async () => {})
    .then(() =>
      live.awaitJournal(
        sleep(50).then(() => {
          journaled = true;
        }),
      ),
    );
  live.awaitJournal(Promise.reject(new Error('cancelled')));
  await live.stop();
  expect(journaled).toBe(true);
  live.awaitJournal(new Promise<never>(() => {}));
  await live.stop();
  live.close();
});

test('a checkpoint saves what a step wrote, and ends a step that may begin nothing more', async () => {
  let saved = 0;
  const live = openRun({
    keep: async () => {
      saved += 1;
    },
  });
  let settled = false;
  const [half, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const step = live.perform(async () => {
    await live.checkpoint();
    half.resolve();
    await gate.promise;
    await live.checkpoint();
  });
  step.finally(() => {
    settled = true;
  });
  await half.promise;
  const resting = live.rest(new AbortController().signal);
  gate.resolve();
  await resting;
  await sleep(0);
  expect(saved).toBe(2);
  // The journal has nothing of the step, so resuming runs it again.
  expect(settled).toBe(false);
  live.close();
});
