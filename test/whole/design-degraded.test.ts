import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Settings, type Walk, walk } from '../support/design-walk.ts';
import { charrette } from '../support/program.ts';

const quick = ['--quick', '--panel', 'pair', '--dialectic', 'off'];

/** The second agent, and only that one, fails a task. */
const failing =
  (task: string) =>
  (config: Settings): Settings => {
    const two = config.agents['two'] as { command: string[] };
    const command = two.command.map((word) => (word === 'none' ? task : word));
    return { ...config, agents: { ...config.agents, two: { ...two, command } } };
  };

const recordOf = ({ root }: Walk) =>
  JSON.parse(readFileSync(path.join(root, 'run.json'), 'utf8')) as Record<string, unknown>;

test('a second family that was announced and did not review is no success: exit 6, named in run.json and every JSON result', async () => {
  const made = await walk([...quick, '--json'], {}, failing('plan-review'));
  expect(made.ended.code).toBe(6);
  const result = JSON.parse(made.ended.stdout);
  const loss = { role: 'review', seat: 'Two-Generic', planned: 'two', actual: 'one' };
  expect(result.degraded).toEqual([expect.objectContaining(loss)]);
  expect(result.degraded[0].reason).toContain('told to fail');
  expect(recordOf(made)).toMatchObject({ status: 'not-accepted', exit: 6, degraded: result.degraded });
  expect(made.events.at(-1)).toMatchObject({ type: 'run-end', degraded: result.degraded });
  for (const command of ['show', 'watch', 'report']) {
    const shown = await charrette([command, 'latest', '--json'], { cwd: made.project });
    expect(JSON.parse(shown.stdout).degraded).toEqual(result.degraded);
  }
  const listed = await charrette(['runs', '--json'], { cwd: made.project });
  expect(JSON.parse(listed.stdout).runs[0].degraded).toEqual(result.degraded);
  expect(made.ended.stderr).toContain('Degraded review: Two-Generic had one instead of two (');
  expect(made.ended.stderr).toContain('only the family one reviewed; announced were two, one');
});

test('a seat that another agent filled is not shown as a plain ✅', async () => {
  const { ended } = await walk(quick, {}, failing('plan-review'));
  expect(ended.stderr).toMatch(/📊 Reviewers: \| Two-Generic: ✅ \S+ by one \| One-Generic: ✅ \S+ \|/);
});

test.each([
  ['--accept-degraded', ['--accept-degraded'], {}],
  ['acceptDegraded: true', [], { acceptDegraded: true }],
])('%s accepts the smaller panel, and the result still names it', async (_, flags, settings) => {
  const made = await walk([...quick, '--json', ...flags], {}, (config) => ({
    ...failing('plan-review')(config),
    ...settings,
  }));
  expect(made.ended.code).toBe(0);
  expect(JSON.parse(made.ended.stdout)).toMatchObject({
    status: 'done',
    degraded: [{ role: 'review', planned: 'two', actual: 'one' }],
  });
});

test('votes of one family are not accepted where two were announced', async () => {
  const made = await walk([...quick, '--json'], {}, failing('vote'));
  expect(made.ended.code).toBe(6);
  expect(JSON.parse(made.ended.stdout).degraded).toEqual([
    expect.objectContaining({ role: 'vote', seat: 'Two', planned: 'two', actual: null }),
  ]);
  expect(made.ended.stderr).toContain('only the family one voted; announced were two, one');
});

test('a run that fails for its missing reviews names the seats that it lost', async () => {
  const made = await walk([...quick], {}, (config) => {
    const [one, two] = ['one', 'two'].map((id) => {
      const agent = config.agents[id] as { command: string[] };
      return { ...agent, command: agent.command.map((word) => (word === 'none' ? 'plan-review' : word)) };
    });
    return { ...config, agents: { ...config.agents, one, two } };
  });
  expect(made.ended.code).toBe(1);
  expect(recordOf(made)).toMatchObject({
    status: 'failed',
    degraded: ['two', 'one'].map((planned) => ({ role: 'review', planned, actual: null })),
  });
});

test('an agent that is down from the start is a loss, also in a separate process', async () => {
  const made = await walk(['--subagent', '--json'], {}, (config) => ({
    ...config,
    agents: { ...config.agents, two: { protocol: 'exec', command: ['/no/such/program'], family: 'two' } },
  }));
  expect(made.ended.code).toBe(6);
  const { degraded } = JSON.parse(made.ended.stdout) as { degraded: { role: string; planned: string }[] };
  expect(new Set(degraded.map(({ role }) => role))).toEqual(new Set(['sketch', 'debate', 'review', 'vote']));
  expect(new Set(degraded.map(({ planned }) => planned))).toEqual(new Set(['two']));
});

test('a panel that starts with one family says so, and is not degraded', async () => {
  const made = await walk([...quick, '--json'], {}, (config) => {
    const two = config.agents['two'] as object;
    return { ...config, agents: { ...config.agents, two: { ...two, family: 'one' } } };
  });
  expect(made.ended.code).toBe(0);
  expect(JSON.parse(made.ended.stdout)).not.toHaveProperty('degraded');
  expect(made.ended.stderr).toContain('one model family (one) reviews and votes');
});

test('“no findings” counts the reviewers who had none', async () => {
  const { ended, artifacts } = await walk(quick, { mode: 'narrow' });
  expect(ended.stderr).toMatch(/plan review — no findings by 2 reviewers \(/);
  expect(artifacts['voting-tally.md']).toContain('No findings were raised by 2 reviewers.');
});
