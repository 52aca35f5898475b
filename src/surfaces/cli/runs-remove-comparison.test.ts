import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { type WrittenRun, writeRun, writtenRunId } from '../../../test/support/web-run.ts';

let comparison: WrittenRun;
const cwd = () => comparison.home.project;
const design = `${writtenRunId}-t1-panel`;
const alone = '20260101-000000-alone-00000002';

beforeEach(() => {
  comparison = writeRun({ status: 'stopped', workflow: 'compare' });
  for (const run of [design, alone]) writeRun({ run, status: 'done' }, cwd());
});
afterEach(() => comparison.remove());

const runs = () => readdirSync(comparison.home.runs).sort();

test('`runs prune` leaves the designs of a comparison that is not over', async () => {
  const { exit, out } = await runCommandLine('runs', 'prune', '--keep', '0', '--json', '--cwd', cwd());
  expect([exit, JSON.parse(out).removed]).toEqual([0, [alone]]);
  expect(runs()).toEqual([writtenRunId, design]);
  writeRun({ status: 'done', workflow: 'compare' }, cwd());
  await runCommandLine('runs', 'prune', '--keep', '0', '--cwd', cwd());
  expect(runs()).toEqual([]);
});

test('`runs rm` refuses a design of a comparison that is not over', async () => {
  const refused = await runCommandLine('runs', 'rm', design, '--json', '--cwd', cwd());
  expect(refused.exit).toBe(2);
  expect(JSON.parse(refused.out).error.message).toContain(`The run ${writtenRunId} started ${design}`);
  writeRun({ status: 'done', workflow: 'compare' }, cwd());
  expect((await runCommandLine('runs', 'rm', design, '--cwd', cwd())).exit).toBe(0);
  expect(runs()).toEqual([alone, writtenRunId].sort());
});
