import { afterAll, expect, test } from 'vitest';
import { runCommandLine } from '../../test/support/run-command-line.ts';
import { temporaryRepository } from '../../test/temporary-repository.ts';

const repository = temporaryRepository();
repository.commit('first');
afterAll(() => repository.remove());

test.each([
  [['design', '--from-step', '3', 'x'], '--from-step says nothing without --from-run.'],
  [['design', '--label', 'gpu', 'x'], '--label says nothing without --queue.'],
  [['lite-plan', '--priority', '2', 'x'], '--priority says nothing without --queue.'],
  [['lite-execute', '--label', 'gpu', 'x'], '--label says nothing without --queue.'],
])('%j is refused: the flag would be ignored', async (words, message) => {
  const [name = '', ...rest] = words;
  const { exit, out } = await runCommandLine(name, '--json', '--cwd', repository.root, ...rest);
  expect([exit, JSON.parse(out).error]).toEqual([2, expect.objectContaining({ code: 'usage', message })]);
});

test('a priority that is out of range is told the range', async () => {
  const words = ['lite-plan', '--json', '--cwd', repository.root, '--queue', '--priority', '9999999', 'x'];
  const { exit, out } = await runCommandLine(...words);
  const message = '--priority was "9999999"; it takes a whole number from -999999 to 999999.';
  expect([exit, JSON.parse(out).error.message]).toEqual([2, message]);
});

test('L-012 a flag that collects may stand twice, any other may not', async () => {
  const words = ['design', '--agents', 'static', '--queue', '--dry-run', '--json', '--cwd', repository.root];
  const several = await runCommandLine(...words, '--label', 'gpu', '--label', 'fast', 'x');
  expect(several.exit, several.out).toBe(0);
  const twice = await runCommandLine(...words, '--priority', '1', '--priority', '2', 'x');
  expect([twice.exit, JSON.parse(twice.out).error.message]).toEqual([2, '--priority was given twice.']);
});

test('together with the other flag it counts', async () => {
  const words = ['lite-plan', '--agents', 'static', '--queue', '--label', 'gpu', '--priority', '2'];
  const { exit, err } = await runCommandLine(...words, '--dry-run', '--cwd', repository.root, 'x');
  expect(exit, err).toBe(0);
});
