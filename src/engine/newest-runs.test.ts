import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newestRuns } from './newest-runs.ts';
import { type Home, homeOf, listRunIds } from './run-directory.ts';

let home: Home;

beforeEach(() => {
  home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-newest-')));
  mkdirSync(home.runs, { recursive: true });
});
afterEach(() => rmSync(home.project, { recursive: true, force: true }));

const idOf = (number: number) => `20260101-000000-run-${String(number).padStart(5, '0')}`;
const note = () => path.join(home.root, 'newest-runs.json');

function make(from: number, count: number): void {
  for (let number = from; number < from + count; number += 1) mkdirSync(path.join(home.runs, idOf(number)));
}

/** As if the last change of the folder of runs had been so many seconds ago. */
function age(seconds: number): void {
  const then = new Date(Date.now() - seconds * 1000);
  utimesSync(home.runs, then, then);
}

test('the newest come first, of none, few and many', async () => {
  expect(await newestRuns(homeOf(path.join(home.project, 'nothing')), 3)).toEqual({ ids: [], total: 0 });
  make(0, 2);
  expect(await newestRuns(home, 3)).toEqual({ ids: [idOf(1), idOf(0)], total: 2 });
  expect(existsSync(note())).toBe(false);
  make(2, 1098);
  expect(await newestRuns(home, 2)).toEqual({ ids: [idOf(1099), idOf(1098)], total: 1100 });
  expect((await newestRuns(home, 1050)).ids).toHaveLength(1050);
});

test('a long history is noted once it has settled, and the note is used until the folder changes', async () => {
  make(0, 1100);
  await newestRuns(home, 5);
  expect(existsSync(note())).toBe(false);
  age(60);
  await newestRuns(home, 5);
  // Something that only the note says shows that the names were not read.
  writeFileSync(note(), readFileSync(note(), 'utf8').replace('"total":1100', '"total":7777'));
  expect(await newestRuns(home, 1)).toEqual({ ids: [idOf(1099)], total: 7777 });
  expect((await newestRuns(home, 500)).total).toBe(1100);
  make(1100, 1);
  expect(await newestRuns(home, 1)).toEqual({ ids: [idOf(1100)], total: 1101 });
  age(30);
  rmSync(path.join(home.runs, idOf(1100)), { recursive: true });
  expect(await newestRuns(home, 1)).toEqual({ ids: [idOf(1099)], total: 1100 });
});

test('ignores a truncated or invalid run index', async () => {
  make(0, 1100);
  age(60);
  await newestRuns(home, 5);
  const good = readFileSync(note(), 'utf8');
  for (const bad of ['', '{', '[]', good.slice(0, 50), good.replace(idOf(1099), '../../outside')]) {
    writeFileSync(note(), bad);
    expect(await newestRuns(home, 1)).toEqual({ ids: [idOf(1099)], total: 1100 });
  }
});

test('property: whatever comes and goes, the answer is what the folder has', async () => {
  make(0, 1000);
  const change = fc.record({ add: fc.boolean(), number: fc.nat(1100), settled: fc.boolean() });
  let tick = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 6 }),
      fc.integer({ min: 0, max: 300 }),
      async (changes, count) => {
        for (const { add, number, settled } of changes) {
          const folder = path.join(home.runs, idOf(number));
          if (add) mkdirSync(folder, { recursive: true });
          else rmSync(folder, { recursive: true, force: true });
          // No two changes are of the same time, as those that lie more than two seconds apart are not.
          tick += 1;
          if (settled) utimesSync(home.runs, tick, tick);
          const all = (await listRunIds(home)).reverse();
          expect(await newestRuns(home, count)).toEqual({ ids: all.slice(0, count), total: all.length });
        }
      },
    ),
    { numRuns: 40 },
  );
});
