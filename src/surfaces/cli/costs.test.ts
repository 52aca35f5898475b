import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';

const project = mkdtempSync(path.join(tmpdir(), 'charrette-costs-'));
const older = '20260101-000000-older-4f2a90c1';
const newer = '20260102-000000-newer-5f2a90c1';

/** A finished run with one call. */
function record(run: string, day: string, phase: string): void {
  const folder = path.join(project, '.charrette/runs', run);
  mkdirSync(folder, { recursive: true });
  const known = { schemaVersion: 1, run, workflow: 'design', codeVersion: '1', title: run, inputs: {} };
  writeFileSync(
    path.join(folder, 'run.json'),
    JSON.stringify({ ...known, status: 'done', created: `${day}T00:00:00Z` }),
  );
  const usage = { basis: 'measured', inputTokens: 10, cachedInputTokens: 0, outputTokens: 2, usd: 1 };
  const call = { v: 1, id: run, time: `${day}T10:00:00.000Z`, phase, task: 'sketch', seat: 's' };
  writeFileSync(
    path.join(folder, 'ledger.jsonl'),
    `${JSON.stringify({ ...call, agent: 'one', family: 'one', durationMs: 1, usage })}\n`,
  );
}

beforeAll(() => {
  record(older, '2026-01-01', '2a');
  record(newer, '2026-01-02', '3');
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test.each([
  [[], 'phase', ['3']],
  [['latest'], 'phase', ['3']],
  [['older'], 'phase', ['2a']],
  [['4f2a90c1', '--by', 'agent'], 'agent', ['one']],
  [['--all'], 'day', ['2026-01-01', '2026-01-02']],
  [['--until', '2026-01-01', '--by', 'run'], 'run', [older]],
])('costs %j adds up by %s: %j', async (words, by, names) => {
  const { exit, out } = await runCommandLine('costs', ...words, '--json', '--cwd', project);
  expect(exit).toBe(0);
  const list = JSON.parse(out) as { by: string; rows: { name: string }[] };
  expect([list.by, list.rows.map(({ name }) => name)]).toEqual([by, names]);
});

test.each([
  [['nope'], 4, 'run-not-found', '"nope"'],
  [['latest', '--all'], 2, 'usage', '"latest" is one run'],
  [['--since', 'today'], 2, 'usage', '"today"'],
])('costs %j exits %i', async (words, exit, code, message) => {
  const failed = await runCommandLine('costs', ...words, '--json', '--cwd', project);
  expect([failed.exit, JSON.parse(failed.out).error]).toEqual([
    exit,
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  ]);
});
