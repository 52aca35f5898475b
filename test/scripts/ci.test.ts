import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { optionalProgram, systemPath } from '../support/optional-programs.ts';
import { makeProject, program } from '../support/program.ts';

const root = path.resolve(import.meta.dirname, '..', '..');

type Action = {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: { id?: string; run: string; shell: string; env: Record<string, string> }[] };
};
const action = parse(readFileSync(path.join(root, 'action.yml'), 'utf8')) as Action;

/** Runs the check step of the action as GitHub's runner would: inputs as variables, bash, the runner's files. */
async function runAction(cwd: string, given: Record<string, string>) {
  const step = action.runs.steps.find(({ id }) => id === 'check');
  if (step === undefined) throw new Error('the action has no check step');
  const place = mkdtempSync(path.join(tmpdir(), 'charrette-action-'));
  const bin = path.join(place, 'bin');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'charrette'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, {
    mode: 0o755,
  });
  const files = {
    GITHUB_OUTPUT: path.join(place, 'output'),
    GITHUB_STEP_SUMMARY: path.join(place, 'summary'),
  };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [name, given[name] ?? input.default ?? '']),
  );
  const env = Object.fromEntries(
    Object.entries(step.env).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input: string) => inputs[input] ?? ''),
    ]),
  );
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
    cwd,
    env: {
      PATH: `${bin}:${systemPath}`,
      HOME: place,
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: root,
      ...files,
      ...env,
    },
  });
  let log = '';
  child.stdout.on('data', (chunk) => (log += chunk));
  child.stderr.on('data', (chunk) => (log += chunk));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const outputs = Object.fromEntries(
    readFileSync(files.GITHUB_OUTPUT, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
  return { code, log, outputs, summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') };
}

function brokenSkill(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-skills-'));
  cpSync(path.join(root, 'skills', 'tdd'), path.join(folder, 'tdd'), { recursive: true });
  const file = path.join(folder, 'tdd', 'SKILL.md');
  writeFileSync(
    file,
    `${readFileSync(file, 'utf8')}\nRead phases/99-nowhere.md next.\nSee [it](phases/99-nowhere.md).\n`,
  );
  return folder;
}

describe.skipIf(optionalProgram('bash') === undefined)('the GitHub action', () => {
  test('never puts inputs into a script', () => {
    for (const step of action.runs.steps) expect(step.run).not.toContain('${{');
    expect(
      Object.values(action.outputs).every(({ value }) =>
        /^\$\{\{ steps\.check\.outputs\.[\w-]+ \}\}$/.test(value),
      ),
    ).toBe(true);
  });

  test('skill-lint annotates, writes SARIF and a summary, and fails on errors alone', async () => {
    const folder = brokenSkill();
    const failed = await runAction(folder, { check: 'skill-lint' });
    expect(failed.code, failed.log).toBe(1);
    expect(failed.log).toMatch(/^::error file=.*SKILL\.md,line=\d+,title=/m);
    expect(failed.outputs).toMatchObject({ 'exit-code': '1', sarif: 'charrette.sarif' });
    const sarif = JSON.parse(readFileSync(path.join(folder, 'charrette.sarif'), 'utf8')) as {
      version: string;
    };
    expect(sarif).toMatchObject({
      version: '2.1.0',
      runs: [{ tool: { driver: { name: 'charrette skill lint' } } }],
    });
    expect(failed.summary).toContain('99-nowhere');
    expect((await runAction(folder, { check: 'skill-lint', 'fail-on': 'never' })).code).toBe(0);
  });

  test('plan-check annotates the lines of a plan that do not hold', async () => {
    const { project } = await makeProject();
    const plan = [
      '# Plan: x',
      '',
      '## Files to modify/create',
      '',
      '- modify `src/orders/nowhere.ts`: y',
      '',
    ].join('\n');
    writeFileSync(path.join(project, 'PLAN.md'), plan);
    const { code, log, outputs } = await runAction(project, { check: 'plan-check', path: 'PLAN.md' });
    expect(code, log).toBe(6);
    expect(outputs['exit-code']).toBe('6');
    expect(log).toMatch(/^::warning file=PLAN\.md,line=5,title=plan-file::/m);
    const sarif = readFileSync(path.join(project, 'charrette.sarif'), 'utf8');
    expect(JSON.parse(sarif)).toMatchObject({
      runs: [{ tool: { driver: { name: 'charrette plan check' } } }],
    });
  });

  test('design leaves the plan as output, log and summary; a feature that looks like a command is only text', async () => {
    const { project } = await makeProject();
    const feature = '$(touch owned); `touch owned` "limit" requests';
    const { code, log, outputs, summary } = await runAction(project, { check: 'design', feature });
    expect([0, 6], log).toContain(code);
    expect(existsSync(path.join(project, outputs['plan'] ?? ''))).toBe(true);
    expect(summary).toContain('## Plan');
    expect(existsSync(path.join(project, 'owned'))).toBe(false);
  });

  test('plan-check fails on warnings with fail-on: warning', async () => {
    const { project } = await makeProject();
    const sections = ['Approach', 'Edge cases', 'Failure modes', 'Testing strategy'];
    const plan = [
      '## Files to modify/create',
      '- `src/orders/nowhere.ts`: y',
      '- `test/orders.test.ts`: cases',
      ...sections.flatMap((title) => [`## ${title}`, '- none']),
    ];
    writeFileSync(path.join(project, 'PLAN.md'), `${plan.join('\n')}\n`);
    const check = { check: 'plan-check', path: 'PLAN.md' };
    const passed = await runAction(project, check);
    expect([passed.code, passed.log]).toEqual([0, expect.stringMatching(/ 0 errors, [1-9]\d* warnings/)]);
    expect((await runAction(project, { ...check, 'fail-on': 'warning' })).code).toBe(6);
    expect((await runAction(project, { ...check, 'fail-on': 'never' })).code).toBe(0);
  });

  test('never: a design that fails fails the job, and so does a check that breaks', async () => {
    const { project } = await makeProject({ failTask: 'plan' });
    const never = { 'fail-on': 'never' };
    const design = await runAction(project, { check: 'design', feature: 'x', agents: 'one,two', ...never });
    expect(design.code, design.log).toBe(1);
    const crashes = { CHARRETTE_PROGRAM: path.join(project, 'crashes'), CHARRETTE_FAIL_ON: 'never' };
    writeFileSync(crashes.CHARRETTE_PROGRAM, '#!/bin/sh\necho \'{"error": {}}\'\nexit 1\n', { mode: 0o755 });
    const script = path.join(root, 'ci', 'charrette-ci.sh');
    for (const check of ['skill-lint', 'plan-check'])
      expect(spawnSync(script, [check], { env: { ...process.env, ...crashes } }).status, check).toBe(1);
  });

  test('an unknown check and an unknown severity are refused', async () => {
    const { project } = await makeProject();
    expect((await runAction(project, { check: 'dance' })).code).toBe(2);
    expect((await runAction(project, { check: 'skill-lint', 'fail-on': 'sometimes' })).code).toBe(2);
  });
});

describe('pre-commit hooks', () => {
  const hooks = parse(readFileSync(path.join(root, '.pre-commit-hooks.yaml'), 'utf8')) as {
    id: string;
    entry: string;
    files?: string;
  }[];

  test('every hook starts an existing script', () => {
    expect(hooks.map(({ id }) => id)).toEqual(['charrette-skill-lint', 'charrette-plan-check']);
    for (const { entry } of hooks) expect(existsSync(path.join(root, entry.split(' ')[0] ?? ''))).toBe(true);
    const files = new RegExp(hooks[0]?.files ?? '$^');
    expect(
      ['SKILL.md', 'a/b/SKILL.md', 'a/phases/01-x.md', 'README.md'].map((name) => files.test(name)),
    ).toEqual([true, true, true, false]);
  });

  test.skipIf(optionalProgram('pre-commit') === undefined)(
    'the real pre-commit stops a commit with a broken skill',
    () => {
      const folder = brokenSkill();
      const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
      git('init', '-q');
      git('add', '-A');
      const bin = mkdtempSync(path.join(tmpdir(), 'charrette-bin-'));
      writeFileSync(
        path.join(bin, 'charrette'),
        `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`,
        {
          mode: 0o755,
        },
      );
      const run = spawnSync(
        'pre-commit',
        ['try-repo', root, 'charrette-skill-lint', '--all-files', '--verbose'],
        {
          cwd: folder,
          encoding: 'utf8',
          env: {
            ...process.env,
            PATH: `${bin}:${process.env['PATH']}`,
            PRE_COMMIT_HOME: path.join(bin, 'cache'),
          },
        },
      );
      expect(run.stdout).toContain('99-nowhere');
      expect(run.stdout).toMatch(/charrette skill lint\.+Failed/);
    },
  );
});
