import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { runCommandLine } from '../../test/support/run-command-line.ts';
import { temporaryRepository } from '../../test/temporary-repository.ts';
import { command } from './lite-plan.ts';
import { withTextLast } from './text-words.ts';

const repository = temporaryRepository();
repository.commit('first');
afterAll(() => repository.remove());

/** What `lite-plan` would be started with. */
async function planned(...words: string[]) {
  const flags = ['--json', '--dry-run', '--agents', 'static', '--cwd', repository.root];
  const { exit, out } = await runCommandLine('lite-plan', ...flags, ...words);
  expect(exit, out).toBe(0);
  const { inputs } = JSON.parse(out) as { inputs: { task: string; flags: Record<string, boolean> } };
  return { task: inputs.task, ...inputs.flags };
}

test.each<[string[], boolean, string]>([
  [['-y', 'fix', 'bug'], true, 'fix bug'],
  [['fix', 'bug', '-y'], true, 'fix bug'],
  [['--yes', 'fix'], true, 'fix'],
  [['draw', 'x-y', 'plot'], false, 'draw x-y plot'],
  [['pick-y', 'eater'], false, 'pick-y eater'],
  [['foo--yes'], false, 'foo--yes'],
  [['explain', 'the', '-y', 'flag'], false, 'explain the -y flag'],
  [['explain', '-e', '--yes', 'too'], false, 'explain -e --yes too'],
  [['fix "quoted -y" text'], false, 'fix "quoted -y" text'],
  [['fix bug -y'], false, 'fix bug -y'],
  [['-y', '--', '-y', 'is', 'the', 'flag'], true, '-y is the flag'],
  [['fix', 'it', '--', '-y'], false, 'fix it -y'],
  [['--', 'fix', 'it', '-y'], false, 'fix it -y'],
  [['fix', '--parallel', '2', 'bug', '-y'], true, 'fix bug'],
])('lite/T-01 P-011 lite-plan %j', async (words, autoYes, task) => {
  expect(await planned(...words)).toEqual({ task, autoYes, forceExplore: false });
});

test('P-012 the explore flag goes with -y, in all three forms', async () => {
  for (const flag of ['-e', '--explore', '--force-explore'])
    expect(await planned('-y', 'do', 'it', flag)).toEqual({
      task: 'do it',
      autoYes: true,
      forceExplore: true,
    });
});

test('P-011 no word is lost, and words in order stay as they are', () => {
  const word = fc.constantFrom('-y', '--yes', '-e', '--dry-run', '--parallel', '--agents=x', '--', 'a', 'b');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 9 }), (words) => {
      const ordered = withTextLast(command, words);
      const plain = (list: readonly string[]) => list.filter((each) => each !== '--').sort();
      expect(plain(ordered)).toEqual(plain(words));
      expect(withTextLast(command, ordered)).toEqual(ordered);
    }),
  );
});
