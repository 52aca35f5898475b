import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isLive, lockOnOtherHost, thisProcess } from './lock.ts';
import { type Home, homeOf, type RunDirectory, runDirectoryOf } from './run-directory.ts';
import type { RunRecord } from './run-record.ts';

const there = { pid: 7, started: '100', host: 'elsewhere' };
const gone = { pid: 2 ** 22 - 1, started: '1', host: hostname() };
let home: Home;
let directory: RunDirectory;

beforeEach(() => {
  home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-live-')));
  directory = runDirectoryOf(home, 'one-a');
  mkdirSync(directory.root, { recursive: true });
});
afterEach(() => rmSync(home.project, { recursive: true, force: true }));

const record = (change: Partial<RunRecord>): RunRecord => ({
  schemaVersion: 1,
  run: 'one-a',
  workflow: 'design',
  codeVersion: '1',
  title: '',
  inputs: {},
  status: 'running',
  created: new Date(0).toISOString(),
  ...change,
});
const live = (change: Partial<RunRecord>) => isLive(record(change), directory);
const lock = (file: string, holder: object) => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(holder));
};

test('a process of this host is seen to live, whatever locks say', () => {
  expect([live({ process: thisProcess() }), live({ process: gone }), live({})]).toEqual([true, false, false]);
  lock(home.lock, gone);
  expect(live({ process: gone })).toBe(false);
});

test.each([
  ['the store', () => home.lock],
  ['the run', () => directory.lock],
  ['the run that started it', () => runDirectoryOf(home, 'one').lock],
])('a process of another host has a run as long as it holds %s', (_, file) => {
  expect(live({ process: there })).toBe(false);
  lock(file(), there);
  expect(live({ process: there })).toBe(true);
  expect(lockOnOtherHost(record({ process: there }), directory)).toEqual({ holder: there, file: file() });
  expect(live({ process: there, status: 'done' })).toBe(false);
  lock(file(), { ...there, started: '200' });
  expect(live({ process: there })).toBe(false);
});

test('a run of the queue counts as worked on by its worker, whose lock may be in another clone', () => {
  expect(live({ process: there, queue: { labels: [], yes: false } })).toBe(true);
  expect(lockOnOtherHost(record({ process: there }), directory)).toBeUndefined();
});
