import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { runProgram } from '../../main/program.ts';

const output = (facts: { isTTY?: boolean; columns?: number; rows?: number }) =>
  Object.assign(new PassThrough(), facts);

test('a terminal that reports no size is written to as one of the usual size, not one character a line', async () => {
  const [stdin, stderr] = [new PassThrough(), output({ isTTY: true, columns: 0, rows: 0 })];
  const stdout = output({ isTTY: true, columns: 0 });
  expect(await runProgram(['runs', '--help'], { stdin, stdout, stderr, env: {} })).toBe(0);
  expect([stdout.columns, stderr.columns, stderr.rows]).toEqual([80, 80, 24]);
  const longest = Math.max(
    ...String(stdout.read())
      .split('\n')
      .map((line) => line.length),
  );
  expect(longest).toBeGreaterThan(60);
});

test('a size that is there stays, and a pipe has none', async () => {
  const [stdin, stderr] = [new PassThrough(), output({})];
  const stdout = output({ isTTY: true, columns: 40, rows: 10 });
  await runProgram(['runs', '--help'], { stdin, stdout, stderr, env: {} });
  expect([stdout.columns, stdout.rows, stderr.columns]).toEqual([40, 10, undefined]);
});
