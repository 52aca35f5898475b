import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DesignInputs } from '../../src/workflows/design/desk.ts';
import { charrette, makeProject, runsOf } from '../support/program.ts';

let project: string;

beforeAll(async () => {
  ({ project } = await makeProject());
});

type Dry = { inputs: DesignInputs; stderr: string };

/** What a run would be started with. */
async function dry(...words: string[]): Promise<Dry> {
  const ended = await charrette(['design', '--dry-run', '--json', ...words], { cwd: project });
  expect(ended.code, ended.stdout).toBe(0);
  return { inputs: (JSON.parse(ended.stdout) as Dry).inputs, stderr: ended.stderr };
}

/** The code and message that a command line is refused with. */
async function refused(...words: string[]): Promise<string> {
  const ended = await charrette(['design', '--json', ...words], { cwd: project });
  expect(runsOf(project)).toEqual([]);
  const { error } = JSON.parse(ended.stdout) as { error: { code: string; message: string } };
  return `${ended.code} ${error.code}: ${error.message}`;
}

test('L-001: known flags count in any order and place; text in quotes and after -- is description', async () => {
  for (const words of [
    ['--subagent', 'add', '--no-branch', '--', '--quick', 'and --auto'],
    ['add --quick and --auto', '--no-branch', '--subagent'],
  ]) {
    const { inputs } = await dry(...words);
    expect(inputs.feature).toBe('add --quick and --auto');
    expect(inputs).toMatchObject({ subagent: true, branch: false, quick: false });
  }
});

test('--dry-run after the description starts no run', async () => {
  const ended = await charrette(['design', 'add', 'limits', '--json', '--dry-run'], { cwd: project });
  expect([ended.code, JSON.parse(ended.stdout)]).toMatchObject([0, { dryRun: true }]);
  expect(runsOf(project)).toEqual([]);
});

test('L-002: every switch is off until its own flag turns it on, and turns on nothing else', async () => {
  const answers = path.join(project, '.charrette', 'no-answers.json');
  writeFileSync(answers, '{}');
  const plain = (await dry('--answers', answers, 'x')).inputs;
  expect(plain).toMatchObject({ auto: false, quick: false, subagent: false, branch: true });
  const changed = async (...flags: string[]) => {
    const { inputs } = await dry('--answers', answers, ...flags, 'x');
    return (Object.keys(inputs) as (keyof DesignInputs)[]).filter(
      (key) => JSON.stringify(inputs[key]) !== JSON.stringify(plain[key]),
    );
  };
  expect(await changed('--auto')).toEqual(['auto']);
  expect(await changed('--subagent')).toEqual(['subagent']);
  // Without a branch there is neither a preflight nor a note about it.
  expect(await changed('--no-branch')).toEqual(['branch', 'entry']);
  expect(await changed('--quick')).toEqual(['quick', 'sketches', 'estimate']);
});

test('L-003, L-377: the flags are on the help page, and everyone may use those for callers', async () => {
  const { stdout } = await charrette(['design', '--help', '--all'], { cwd: project });
  for (const flag of ['--auto', '--quick', '--subagent', '--session-env', '--step-prefix', '--branch-info'])
    expect(stdout).toContain(flag);
  const { inputs } = await dry('--step-prefix', '1.::design plan', '--session-env', 'session.env', 'x');
  expect(inputs.prefix).toEqual({ number: '1.', path: 'design plan' });
  expect(inputs.caller?.sessionEnvironment).toBe(path.join(project, 'session.env'));
  // L-377: the null device means "no caller".
  expect((await dry('--session-env', '/dev/null', 'x')).inputs.caller).toBeUndefined();
});

test('L-012: an unknown flag, or one given twice, is an error before anything happens', async () => {
  expect(await refused('--quik', 'x')).toMatch(
    /^2 unknown-flag: Unknown option --quik\. Did you mean --quick\?/,
  );
  expect(await refused('--auto', '--auto', 'x')).toBe('2 usage: --auto was given twice.');
  expect(await refused('--max-usd', '1', '--max-usd', '2', 'x')).toBe('2 usage: --max-usd was given twice.');
  expect(await refused('--solo', '--quick', 'x')).toMatch(/^2 usage: Two depths/);
});

test('panel/C-39: refuses an unusable --out folder before the run', async () => {
  writeFileSync(path.join(project, '.charrette', 'file'), '');
  expect(await refused('--out', '', 'x')).toMatch(/^2 usage: --out requires a folder/);
  for (const out of ['.charrette/file', '.charrette/file/below'])
    expect(await refused('--out', out, 'x')).toMatch(/^2 usage: .*\.charrette\/file is not a folder/);
});

test('L-013: an empty feature is refused before any side effect', async () => {
  expect(await refused('  ')).toBe('2 usage: The feature is empty.');
  expect(await refused('--auto')).toMatch(/^2 usage: missing required argument/);
});

describe('branch facts of a caller', () => {
  const combined = 'IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX=shop-keeper CURRENT_BRANCH=main';
  const apart = ['--current-branch', 'main', '--is-main', 'true', '--is-user-branch', 'false'];

  test('L-011: given one by one they are the same as combined; both ways at once are refused', async () => {
    const one = (await dry('--trust-branch-info', '--branch-info', combined, 'x')).inputs.entry;
    const other = await dry('--trust-branch-info', ...apart, '--user-prefix', 'shop-keeper', 'x');
    expect(other.inputs.entry).toEqual(one);
    expect(one?.facts).toMatchObject({ userPrefix: 'shop-keeper', currentBranch: 'main' });
    expect(await refused('--branch-info', combined, '--is-main', 'true', 'x')).toMatch(
      /^2 usage: .*both forms/,
    );
  });

  test('L-007, L-791: refuses a session environment in a missing directory and creates nothing', async () => {
    const missing = path.join(project, 'nowhere', 'session.env');
    const ended = await charrette(['design', '--auto', '--no-branch', '--session-env', missing, 'x'], {
      cwd: project,
    });
    expect(ended.code).toBe(4);
    expect(ended.stderr).toContain('The directory of --session-env does not exist');
    expect(existsSync(path.dirname(missing))).toBe(false);
  });

  test('L-102, L-113: reports wrong or incomplete facts and asks git instead', async () => {
    const wrong = await dry('--branch-info', combined.replace('=main', '=other'), '--quiet', 'x');
    expect(wrong.inputs.entry?.facts.currentBranch).toBe('main');
    const incomplete = await charrette(['design', '--dry-run', ...apart, 'x'], { cwd: project });
    expect(incomplete.stderr).toContain('**⚠ --branch-info is incomplete.');
    const mismatch = await charrette(
      [
        'design',
        '--dry-run',
        '--branch-info',
        combined.replace('CURRENT_BRANCH=main', 'CURRENT_BRANCH=x'),
        'x',
      ],
      { cwd: project },
    );
    expect(mismatch.stderr).toContain(
      '--branch-info does not hold: currentBranch is "main", not "x". Git counts.',
    );
  });
});

test('L-014: the flags are kept with the run and hold for all of it, also when it is resumed without them', async () => {
  const made = await makeProject();
  writeFileSync(path.join(made.project, 'answers.json'), '{}');
  const flags = ['--auto', '--quick', '--no-branch', '--dialectic', 'off'];
  const paused = await charrette(['design', '--json', ...flags, 'add rate limiting'], { cwd: made.project });
  expect(paused.code).toBe(7);
  const { run } = JSON.parse(paused.stdout) as { run: string };
  const ended = await charrette(['resume', run, '--yes'], { cwd: made.project });
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain('📊 Sketches (quick): | ');
  expect(ended.stderr).toContain('⏩ 1c: questions — skipped (auto mode)');
});

test('F-36: --depth auto prints its measurements and the cost of every depth', async () => {
  const ended = await charrette(['design', '--dry-run', '--depth', 'auto', 'let customers cancel an order'], {
    cwd: project,
  });
  expect(ended.code).toBe(0);
  for (const depth of ['solo', 'quick', 'regular', 'wide'])
    expect(ended.stderr).toMatch(
      new RegExp(`${depth} +About \\d+ calls, [\\d.]+k tokens, \\d+m, money unknown`),
    );
  expect(ended.stderr).toMatch(/predicted files +\d+ → \d points \(.*src\/orders\/order-service\.ts/);
  expect(ended.stderr).toMatch(/proposed: (?:solo|quick|regular|wide) \(\d+ points\)/);
  const wording = ['design', '--dry-run', '--depth', 'auto', 'fix a typo in the order service'];
  const small = await charrette(wording, { cwd: project });
  expect(small.stderr).toContain('proposed: solo (a change of wording alone)');
});

test('--detach prints the run, which continues in a separate process; it takes no answers along', async () => {
  const made = await makeProject();
  const design = (...words: string[]) =>
    charrette(['design', '--json', '--auto', '--no-branch', ...words, 'add limits'], { cwd: made.project });
  const refusal = await design('--detach', '--yes', '--queue');
  expect([refusal.code, refusal.stdout]).toEqual([
    2,
    expect.stringContaining('--detach cannot be combined with --queue, --yes.'),
  ]);
  expect(runsOf(made.project)).toEqual([]);
  const started = await design('--detach');
  expect(started.code, started.stdout).toBe(0);
  const { run, status } = JSON.parse(started.stdout) as { run: string; status: string };
  expect([runsOf(made.project), status]).toEqual([[run], 'running']);
  const watched = await charrette(['watch', run], { cwd: made.project });
  // The question of consent pauses it.
  expect(watched.code).toBe(7);
});
