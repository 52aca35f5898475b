import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../../test/support/run-command-line.ts';
import { type Home, homeOf } from '../engine/run-directory.ts';
import { findRun } from './project.ts';
import { listRuns } from './runs.ts';

let home: Home;

beforeEach(() => {
  home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-runs-')));
  for (let number = 0; number < 120; number += 1) record(idOf(number));
});
afterEach(() => rmSync(home.project, { recursive: true, force: true }));

const idOf = (number: number) => `20260101-000000-run-${String(number).padStart(3, '0')}`;

function record(run: string, fields: object = {}): void {
  mkdirSync(path.join(home.runs, run), { recursive: true });
  const known = { schemaVersion: 1, run, workflow: 'design', codeVersion: '1', title: run, inputs: {} };
  const value = { ...known, status: 'done', created: '2026-01-01T00:00:00Z', ...fields };
  writeFileSync(path.join(home.runs, run, 'run.json'), JSON.stringify(value));
}

const runs = (...words: string[]) => runCommandLine('--cwd', home.project, 'runs', ...words);

test('`runs` shows the newest and says how many more there are', async () => {
  const { out } = await runs();
  const lines = out.trimEnd().split('\n');
  expect(lines).toHaveLength(52);
  expect(lines[1]).toContain(idOf(119));
  expect(lines.at(-1)).toBe('70 more: --limit N, or --all');
  expect((await runs('--limit', '3')).out).toContain('117 more');
  const all = (await runs('list', '--all')).out.trimEnd().split('\n');
  expect(all).toHaveLength(121);
  expect(all.at(-1)).toContain(idOf(0));
});

test('`runs --json` has the newest and the number of all', async () => {
  const few = JSON.parse((await runs('--limit', '2', '--json')).out);
  expect(few.total).toBe(120);
  expect(few.runs.map(({ run }: { run: string }) => run)).toEqual([idOf(119), idOf(118)]);
  expect(JSON.parse((await runs('--all', '--json')).out).runs).toHaveLength(120);
});

test('a page in the middle, one past the end, and a record that is broken', async () => {
  writeFileSync(path.join(home.runs, idOf(70), 'run.json'), '{');
  const { runs: page, total } = await listRuns(home, { offset: 48, limit: 3 });
  expect(total).toBe(120);
  expect(page.map(({ run, status }) => [run, status])).toEqual([
    [idOf(71), 'done'],
    [idOf(70), 'unreadable'],
    [idOf(69), 'done'],
  ]);
  expect((await listRuns(home, { offset: 500, limit: 3 })).runs).toEqual([]);
});

test('a record that lacks its title, or has a broken ledger, hides no other run', async () => {
  record(idOf(119), { title: undefined });
  record(idOf(118), { error: 'none' });
  writeFileSync(path.join(home.runs, idOf(117), 'ledger.jsonl'), '{"id":"x"}\n');
  const { exit, out } = await runs('--limit', '3');
  expect(exit).toBe(0);
  expect(out.match(/unreadable/g)).toHaveLength(2);
  const { runs: listed } = JSON.parse((await runs('--limit', '3', '--json')).out);
  expect(listed).toMatchObject([
    { status: 'unreadable' },
    { status: 'unreadable' },
    // Of a call that cannot be read nothing is known but that it was made.
    { status: 'done', calls: 1, callsUnknown: 1 },
  ]);
});

test('only runs of a queue that are not over are asked about', async () => {
  record(idOf(3), { status: 'queued', queue: { labels: [], yes: true } });
  record(idOf(4), { status: 'done', queue: { labels: [], yes: true } });
  expect((await listRuns(home, { limit: 200 })).queued).toEqual([idOf(3)]);
  expect((await listRuns(home)).queued).toEqual([]);
});

test('the latest run is the newest with a record that no other run started', async () => {
  mkdirSync(path.join(home.runs, idOf(900)));
  for (let number = 0; number < 60; number += 1) record(`${idOf(119)}-solo-${number}`);
  expect((await findRun(home, undefined)).id).toBe(idOf(119));
  expect((await findRun(home, 'latest')).id).toBe(idOf(119));
  expect((await findRun(home, `${idOf(119)}-solo-7`)).id).toBe(`${idOf(119)}-solo-7`);
  expect((await findRun(home, 'run-118')).id).toBe(idOf(118));
  await expect(findRun(home, 'run-11')).rejects.toThrow(/matches 10 runs/);
  await expect(findRun(home, '../runs')).rejects.toThrow(/No run matches/);
});

test('prune removes by age and number, and names no more than people read', async () => {
  record(idOf(5), { status: 'paused' });
  const dry = await runs('prune', '--keep', '20', '--dry-run');
  expect(dry.out).toMatch(/^Would remove 99: .* and 49 more\n$/);
  const { out } = await runs('prune', '--keep', '20', '--json');
  expect(JSON.parse(out).removed).toHaveLength(99);
  expect((await listRuns(home)).runs).toHaveLength(21);
});

test('doctor estimates the room of a long history from a part of it, and says so', async () => {
  const sizes = async () =>
    JSON.parse((await runCommandLine('--cwd', home.project, 'doctor', '--json')).out).store;
  writeFileSync(path.join(home.project, 'charrette.config.json'), JSON.stringify({ detect: false }));
  expect(await sizes()).toMatchObject({ runs: 120, runBytesBasis: 'measured' });
  for (let number = 0; number < 1000; number += 1)
    record(`20260202-000000-run-${String(number).padStart(4, '0')}`);
  const { runs: count, runBytes, runBytesBasis } = await sizes();
  expect([count, runBytesBasis]).toEqual([1120, 'estimated']);
  expect(runBytes / 1120).toBeGreaterThan(150);
  expect(runBytes / 1120).toBeLessThan(250);
});
