import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import type { RunLease } from './live-run.ts';
import { type Home, homeOf, runDirectoryOf } from './run-directory.ts';
import { readRunRecordSync } from './run-record.ts';
import { RunRegistry } from './run-registry.ts';

let home: Home;
beforeEach(() => {
  home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-known-')));
});
afterEach(() => rmSync(home.project, { recursive: true, force: true }));

test('reports and retries a record that cannot be written when a run asks', async () => {
  const directory = runDirectoryOf(home, 'r');
  mkdirSync(directory.root, { recursive: true });
  const told: string[] = [];
  const guard = {
    changed: (run, state) => void told.push(`${run} ${state}`),
    troubled: (run) => void told.push(`${run} in trouble`),
  } as Partial<RunLease> as RunLease;
  const runs = new RunRegistry({ home, clock: systemClock, guard, store: 'shared' });
  const live = runs.open('r');
  // Without a record there is nothing to change, as on a disk that takes no more.
  live.pause([]);
  await expect.poll(() => told).toEqual(['r in trouble']);
  const known = { schemaVersion: 1, run: 'r', workflow: 'design', codeVersion: '1', title: 'r', inputs: {} };
  writeFileSync(directory.record, JSON.stringify({ ...known, status: 'running', created: '2026-01-01' }));
  await expect.poll(() => told, { timeout: 20_000 }).toEqual(['r in trouble', 'r waiting']);
  expect(readRunRecordSync(directory).status).toBe('paused');
  live.resumeFromPause();
  await expect.poll(() => told.at(-1)).toBe('r running');
  expect(readRunRecordSync(directory).status).toBe('running');
  runs.close();
});
