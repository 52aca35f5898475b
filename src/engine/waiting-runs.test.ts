import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../../test/support/run-command-line.ts';
import { writeRun } from '../../test/support/web-run.ts';
import { listRunsAndWaiting } from '../service/runs.ts';
import { type Home, homeOf, markedWaiting } from './run-directory.ts';
import { type RunStatus, updateRunRecord } from './run-record.ts';

let home: Home;
beforeEach(() => {
  home = homeOf(mkdtempSync(path.join(tmpdir(), 'charrette-waiting-')));
});
afterEach(() => rmSync(home.project, { recursive: true, force: true }));

const idOf = (number: number) => `20260101-000000-run-${number}`;

async function make(number: number, ...course: RunStatus[]): Promise<void> {
  const { directory } = writeRun({ run: idOf(number) }, home.project);
  for (const status of course) await updateRunRecord(directory, { status });
}

test('old runs that wait for a person were not listed when there were many newer ones', async () => {
  await make(1, 'running', 'paused');
  await make(2, 'running', 'paused', 'running', 'done');
  await make(3, 'running', 'paused');
  for (const number of [4, 5, 6]) await make(number);
  const { runs, total } = await listRunsAndWaiting(home, 2);
  expect(runs.map(({ run }) => run)).toEqual([6, 5, 3, 1].map(idOf));
  expect(total).toBe(6);
  expect((await listRunsAndWaiting(home, 10)).runs).toHaveLength(6);
});

test('a mark that is stale lists nothing, and `runs rm` takes that of its run along', async () => {
  await make(1, 'paused');
  await make(2, 'paused');
  await make(3);
  // As a process leaves it that was killed between the record and the mark.
  writeRun({ run: idOf(2), status: 'failed' }, home.project);
  const removed = await runCommandLine('runs', 'rm', idOf(1), '--yes', '--cwd', home.project);
  expect(removed, removed.err).toMatchObject({ exit: 0 });
  expect((await listRunsAndWaiting(home, 1)).runs.map(({ run }) => run)).toEqual([idOf(3)]);
  expect(markedWaiting(home)).toEqual([idOf(2)]);
});
