import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { temporaryRepository } from '../../../test/temporary-repository.ts';

const repository = temporaryRepository();
repository.commit('first');
afterAll(() => repository.remove());

test.each([
  [['design', '--from-step', '3', 'x'], '--from-step requires --from-run.'],
  [['design', '--label', 'gpu', 'x'], '--label requires --queue.'],
  [['lite-plan', '--priority', '2', 'x'], '--priority requires --queue.'],
  [['lite-execute', '--label', 'gpu', 'x'], '--label requires --queue.'],
])('%j is refused: the flag would be ignored', async (words, message) => {
  const [name = '', ...rest] = words;
  const { exit, out } = await runCommandLine(name, '--json', '--cwd', repository.root, ...rest);
  expect([exit, JSON.parse(out).error]).toEqual([2, expect.objectContaining({ code: 'usage', message })]);
});

test('a priority out of range is refused with the valid range', async () => {
  const words = ['lite-plan', '--json', '--cwd', repository.root, '--queue', '--priority', '9999999', 'x'];
  const { exit, out } = await runCommandLine(...words);
  const message = '--priority is "9999999"; expected a whole number from -999999 to 999999.';
  expect([exit, JSON.parse(out).error.message]).toEqual([2, message]);
});

test('L-012 a flag that collects may be given twice, any other may not', async () => {
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

/** What a command would be started with. */
async function planned(name: string, ...words: string[]) {
  const flags = ['--json', '--agents', 'static', '--cwd', repository.root];
  const { exit, out } = await runCommandLine(name, ...flags, ...words);
  expect(exit, out).toBe(0);
  type Inputs = { task: string; feature: string; quick: boolean; flags: Record<string, boolean> };
  return (JSON.parse(out) as { inputs: Inputs }).inputs;
}

/** The code, message and fix that a command line is refused with. */
async function refused(...words: string[]) {
  const [name = '', ...rest] = words;
  const { exit, out } = await runCommandLine(name, '--json', '--cwd', repository.root, ...rest);
  return { exit, ...(JSON.parse(out) as { error: { code: string; message: string; fix: string } }).error };
}

test.each<[string[], boolean, string]>([
  [['-y', 'fix', 'bug'], true, 'fix bug'],
  [['fix', 'bug', '-y'], true, 'fix bug'],
  [['fix', '-y', 'bug'], true, 'fix bug'],
  [['--yes', 'fix'], true, 'fix'],
  [['draw', 'x-y', 'plot'], false, 'draw x-y plot'],
  [['pick-y', 'eater'], false, 'pick-y eater'],
  [['foo--yes'], false, 'foo--yes'],
  [['fix "quoted -y" text'], false, 'fix "quoted -y" text'],
  [['fix bug -y'], false, 'fix bug -y'],
  [['-y', '--', '-y', 'is', 'the', 'flag'], true, '-y is the flag'],
  [['fix', 'it', '--', '-y'], false, 'fix it -y'],
  [['--', 'fix', 'it', '-y'], false, 'fix it -y'],
  [['fix', '--parallel', '2', 'bug', '-y'], true, 'fix bug'],
])('lite/T-01 P-011: lite-plan reads known flags anywhere before --: %j', async (words, autoYes, task) => {
  const inputs = await planned('lite-plan', '--dry-run', ...words);
  expect({ task: inputs.task, ...inputs.flags }).toEqual({ task, autoYes, forceExplore: false });
});

test('P-012: the explore flag goes with -y, in all three forms', async () => {
  for (const flag of ['-e', '--explore', '--force-explore']) {
    const { task, flags } = await planned('lite-plan', '--dry-run', '-y', 'do', 'it', flag);
    expect({ task, ...flags }).toEqual({ task: 'do it', autoYes: true, forceExplore: true });
  }
});

test.each(['design', 'lite-plan', 'lite-execute'])(
  '%s: --dry-run after the description starts nothing',
  async (name) => {
    const inputs = await planned(name, 'rename', 'the', 'logger', '--dry-run');
    expect(inputs.feature ?? inputs.task).toBe('rename the logger');
    expect(existsSync(path.join(repository.root, '.charrette', 'runs'))).toBe(false);
  },
);

test('feature new: --dry-run after the name makes no directory', async () => {
  const words = ['feature', 'new', 'search', 'by', 'tag', '--dry-run', '--cwd', repository.root];
  expect(await runCommandLine(...words)).toMatchObject({
    exit: 0,
    out: expect.stringContaining('would make'),
  });
  expect(existsSync(path.join(repository.root, 'docs'))).toBe(false);
});

test('L-001: with --session-env flags end at the first word of the description', async () => {
  const before = ['--dry-run', '--session-env', path.join(repository.root, 'session.env')];
  const inputs = await planned('design', ...before, '--quick', 'explain', '--auto', '--', '--quik');
  expect(inputs.feature).toBe('explain --auto -- --quik');
  expect(inputs).toMatchObject({ quick: true });
  expect((await refused('design', ...before, '--quik', 'x')).message).toMatch(/^Unknown option --quik\./);
});

test.each([
  [['design', 'split', 'billing', '--agnets', 'static'], '--agnets', '--agents'],
  [['lite-plan', 'x', '--parallell=2'], '--parallell=2', '--parallel'],
  [['lite-execute', 'x', '--revew', 'y'], '--revew', '--review'],
  [['feature', 'new', 'x', '--mod', 'light'], '--mod', '--mode'],
  [['runs', '--jsno'], '--jsno', '--json'],
  [['skill', 'run', 'x', '--agent', 'static'], '--agent', '--agents'],
  [['skill', 'convert', 'x', '--agent', 'static'], '--agent', '--agents'],
])('an unknown flag is an error with a suggestion: %j', async (words, found, near) => {
  expect(await refused(...words)).toMatchObject({
    exit: 2,
    code: 'unknown-flag',
    message: `Unknown option ${found}. Did you mean ${near}?`,
  });
});

test.each(['design', 'lite-plan', 'lite-execute'])(
  '%s: the error for a description that begins with a dash names --',
  async (name) => {
    const text = "-fix what isn't right";
    const { exit, message, fix } = await refused(name, text);
    expect([exit, message]).toEqual([2, `Unknown option ${text}.`]);
    expect(fix).toBe(`If this is text, put -- before it: \`charrette ${name} [flags] -- …\`.`);
    const inputs = await planned(name, '--dry-run', '--', text);
    expect(inputs.feature ?? inputs.task).toBe(text);
  },
);

test('words after -- are text for the error form and for finding the command, too', async () => {
  const { exit, err } = await runCommandLine('design', '--cwd', repository.root, '--quik', '--', '--json');
  expect([exit, err]).toEqual([2, expect.stringContaining('Unknown option --quik.')]);
  expect((await refused('runs', '--', 'prune')).exit).toBe(2);
});

test('L-012: a flag given twice is refused on every command', async () => {
  const { message } = await refused('lite-plan', '--agents', 'a', 'x', '--agents', 'b');
  expect(message).toBe('--agents was given twice.');
});
