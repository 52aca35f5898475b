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

test('together with the other flag it counts', async () => {
  const words = ['lite-plan', '--agents', 'static', '--queue', '--label', 'gpu', '--priority', '2'];
  const { exit, err } = await runCommandLine(...words, '--dry-run', '--cwd', repository.root, 'x');
  expect(exit, err).toBe(0);
});
