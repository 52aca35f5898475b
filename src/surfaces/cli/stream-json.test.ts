import { afterAll, beforeAll, expect, test } from 'vitest';
import { featureDirectory } from '../../../test/support/feature-directory.ts';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { type WrittenRun, writeRun, writtenRunId } from '../../../test/support/web-run.ts';

let run: WrittenRun;
beforeAll(() => {
  run = writeRun({ status: 'done', exit: 0 });
  run.emit(
    { type: 'run-start', workflow: 'design', title: 'x' },
    { type: 'run-end', status: 'done', exit: 0 },
  );
});
afterAll(() => run.remove());

const stream = (...words: string[]) =>
  runCommandLine(...words, '--output', 'stream-json', '--cwd', run.home.project);
const whole = (...words: string[]) => runCommandLine(...words, '--json', '--cwd', run.home.project);

test.each([
  [['runs']],
  [['show', writtenRunId]],
  [['config']],
  [['skill', 'explain', 'CP003']],
  [['skill', 'new', 'x', '-y', '--dry-run']],
])('a command without events prints its result as one line: %j', async (words) => {
  const { exit, out } = await stream(...words);
  const lines = out.trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  const same = await whole(...words);
  expect(exit).toBe(same.exit);
  expect(JSON.parse(lines[0] ?? '')).toEqual(JSON.parse(same.out));
});

test('a prompt is one line, the one that --json prints', async () => {
  const { directory } = featureDirectory();
  const words = ['prompt', 'design', 'design-reviewer', '--feature', directory];
  const { exit, out } = await stream(...words);
  expect([exit, out.trimEnd().split('\n')]).toEqual([0, [expect.stringContaining('"prompt"')]]);
  expect(JSON.parse(out)).toEqual(JSON.parse((await whole(...words)).out));
});

test.each([
  [['show', 'none-such'], 4, 'run-not-found'],
  [['no-such-command'], 2, 'unknown-command'],
  [['runs', '--no-such-flag'], 2, 'unknown-flag'],
] as const)('an error is one line on stdout: %j', async (words, exit, code) => {
  const ended = await stream(...words);
  expect(ended.exit).toBe(exit);
  expect(ended.err).toBe('');
  expect(ended.out.trimEnd().split('\n')).toHaveLength(1);
  expect(JSON.parse(ended.out).error).toMatchObject({ code, fix: expect.stringMatching(/\.$/) });
  const joined = await runCommandLine(...words, '--output=stream-json', '--cwd', run.home.project);
  expect(joined.out).toBe(ended.out);
});

test('what has events prints them and nothing else', async () => {
  const { out } = await stream('watch', writtenRunId);
  const lines = out.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(['run-start', 'run-end']);
});

test('help and version are one line too', async () => {
  expect(JSON.parse((await stream('runs', '--help')).out).help).toContain('Usage: charrette runs');
  expect(JSON.parse((await runCommandLine('--version', '--output', 'stream-json')).out).version).toMatch(
    /^\d/,
  );
});
