import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { artifactsOf, callsIn, charrette, makeProject, panelAgent, runsOf } from '../support/program.ts';

const design = ['design', '--auto', '--yes', '--no-branch', '--dialectic', 'off', '--panel', 'pair'];

test('L-694: nothing about security leaves the run, with a worker too', async () => {
  const { project } = await makeProject({ mode: 'rounds' });
  const out = path.join(project, 'docs', 'design');
  const ended = await charrette([...design, '--subagent', '--out', out, 'add rate limiting'], {
    cwd: project,
  });
  expect(ended.code).toBe(6);
  const [run = ''] = runsOf(project);
  expect(artifactsOf(project, run)['oos-security-local.md']).toContain('The admin password is in the logs');
  for (const name of readdirSync(out))
    expect(readFileSync(path.join(out, name), 'utf8'), name).not.toContain('admin password');
  expect(Object.keys(artifactsOf(project, run))).not.toContain('design-state.json');
});

test('L-251, L-267, panel/C-38: a worker has the words and the log of the project’s run, and what it did is found by --from-run', async () => {
  const { project, calls } = await makeProject({ mode: 'refuses' });
  const prompts = path.join(project, '.charrette', 'prompts', 'plan-review');
  mkdirSync(prompts, { recursive: true });
  writeFileSync(path.join(prompts, 'role.md'), 'You look for what our hexagons leak.\n');
  const ended = await charrette([...design, '--subagent', 'add rate limiting'], { cwd: project });
  expect(ended.code).toBe(0);
  const [run = ''] = runsOf(project);
  const root = path.join(project, '.charrette', 'runs', run);
  const lanes = path.join(root, 'heavy', '.charrette', 'runs', 'heavy', 'lanes');
  expect(readFileSync(path.join(lanes, 'two-plan-generic.json'), 'utf8')).toContain('our hexagons leak');
  expect(readFileSync(path.join(root, 'execution-issues.md'), 'utf8')).toContain(
    '**Step 3b — mermaid sanitizer rejected:** pipe-in-node-label',
  );
  const made = callsIn(calls).length;
  // Whichever of the two has a worker, nothing is asked twice.
  for (const flags of [['--subagent'], []]) {
    const again = await charrette([...design, ...flags, '--from-run', run, 'add rate limiting'], {
      cwd: project,
    });
    expect(again.code).toBe(0);
    expect(callsIn(calls).length, flags.join()).toBe(made);
  }
});

test('the worker of `--subagent` has the variables of agents that only the file of --config has', async () => {
  const { project, calls } = await makeProject();
  // The project's own agents lack what the others have: a key that no record of a run holds.
  const own = path.join(project, '.charrette', 'config.json');
  const keyed = ['sh', '-c', 'test -n "$PANEL_API_KEY" && exec node "$@"', 'sh', panelAgent, calls];
  const agent = (family: string, env: object) => ({ protocol: 'exec', command: keyed, family, env });
  const both = (env: object) =>
    JSON.stringify({ detect: false, agents: { one: agent('one', env), two: agent('two', env) } });
  writeFileSync(own, both({}));
  const other = path.join(path.dirname(project), 'other.json');
  writeFileSync(other, both({ PANEL_API_KEY: 'k-0123456789abcdef' }));
  const ended = await charrette(['--config', '../other.json', ...design, '--subagent', 'add rate limiting'], {
    cwd: project,
  });
  expect([ended.code, ended.stderr]).toEqual([0, expect.anything()]);
  const [run = ''] = runsOf(project);
  expect(readFileSync(path.join(project, '.charrette', 'runs', run, 'run.json'), 'utf8')).not.toContain(
    'k-0123',
  );
  expect(callsIn(calls).join()).toContain('plan-review');
});
