import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { temporaryRepository } from '../../../test/temporary-repository.ts';

const repository = temporaryRepository();
const { root } = repository;
afterAll(repository.remove);

beforeAll(() => {
  const agents = {
    mine: { protocol: 'exec', command: ['true'] },
    other: { protocol: 'exec', command: ['true'] },
  };
  mkdirSync(path.join(root, '.charrette'));
  writeFileSync(path.join(root, '.charrette', 'config.json'), JSON.stringify({ detect: false, agents }));
  const task = {
    id: 'TASK-001',
    title: 'T',
    description: 'D',
    depends_on: [],
    implementation: ['a', 'b'],
    convergence: { criteria: ['src/a.ts exists'] },
  };
  const _metadata = { timestamp: 'now', source: 'direct-planning', plan_type: 'feature' };
  const plan = { summary: 'planned', approach: 'a', task_ids: ['TASK-001'], task_count: 1, _metadata };
  for (const name of ['plans/plan.json', 'plans/my plan.json']) repository.write(name, JSON.stringify(plan));
  repository.write('plans/.task/TASK-001.json', JSON.stringify(task));
  repository.write('plans/cut.json', JSON.stringify(plan).slice(0, 40));
  repository.write('plans/no-tasks.json', '{"summary":"x","tasks":"none"}');
  repository.write('plans/old.json', '{"summary":"x","tasks":[{"id":"TASK-001"}]}');
  repository.write('package.json', '{"name":"shop"}');
  repository.write('broken/plan.json', '{');
  repository.write('design.json', JSON.stringify(design));
  repository.write('my notes.md', 'Write it down.\n');
  repository.write('task.md', 'Do it.\n');
  repository.write('notes.txt', '{"name":"shop"}');
  repository.write('src/a.ts', 'export const a = 1;\n');
  repository.commit('first');
});

/** The plan of a design as data. */
const design = {
  title: 'designed',
  summary: 'S',
  files: [{ path: 'src/a.ts', action: 'modify', description: 'the bucket' }],
  approach: 'A',
  testing: 'T',
};

type Rehearsal = { inputs?: { mode: string; task: string }; error?: unknown };

async function rehearse(command: string, ...words: string[]) {
  const { exit, out } = await runCommandLine(command, ...words, '--dry-run', '--json', '--cwd', root);
  return { exit, ...(JSON.parse(out) as Rehearsal) };
}

test.each([
  [['build', 'add a cache'], 'plan', 'add a cache'],
  [['build', 'task.md'], 'plan', 'Do it.\n'],
  [['build', 'plans'], 'plan', 'plans'],
  [['build', '--plan', 'plans'], 'execute', 'planned'],
  [['build', '--plan', 'design.json', '--force-cycles'], 'execute', 'designed'],
  [['build', '--plan', 'my notes.md'], 'execute', 'Write it down.\n'],
  [['lite-plan', 'add a cache'], 'plan', 'add a cache'],
  [['lite-execute', 'add a cache'], 'execute', 'add a cache'],
] as const)('%j is mode %s of the task %j', async ([command, ...words], mode, task) => {
  expect((await rehearse(command, ...words)).inputs).toMatchObject({ mode, task });
});

test.each([
  [['--plan', 'plans', '--run', 'latest'], 2, 'usage', '--run'],
  [['--plan', 'plans', '--plan-only'], 2, 'usage', '--plan-only'],
  [['--run', 'latest', '--explore'], 2, 'usage', '--explore'],
  [['--run', 'latest', 'more'], 2, 'usage', 'a task'],
  [['--plan', 'none'], 4, 'not-found', 'none does not exist'],
  [['--run', 'latest'], 4, 'run-not-found', 'No runs'],
  [[], 2, 'usage', 'empty'],
])('build %j exits %i and names the value', async (words, exit, code, message) => {
  expect(await rehearse('build', ...words)).toMatchObject({
    exit,
    error: { code, message: expect.stringContaining(message) },
  });
});

test.each([
  [['plans'], 'planned'],
  [['./plans/'], 'planned'],
  [['plans/plan.json'], 'planned'],
  [['plans/my plan.json'], 'planned'],
  [['design.json'], 'designed'],
  [['my notes.md'], 'Write it down.\n'],
  [['notes.txt'], '{"name":"shop"}'],
  [['Update', 'plans/plan.json'], 'Update plans/plan.json'],
  [['fix the docs/README.md links'], 'fix the docs/README.md links'],
  [['lint'], 'lint'],
])('lite/T-06 P-101 P-103 %j implements the task %j', async (words, task) => {
  expect((await rehearse('lite-execute', ...words)).inputs?.task).toBe(task);
});

test.each([
  [['plans/nope'], 4, 'not-found', 'plans/nope does not exist'],
  [['./nope/'], 4, 'not-found', './nope/ does not exist'],
  [['nope.json'], 4, 'not-found', 'nope.json does not exist'],
  [['src'], 4, 'not-found', 'The folder src has no plan.json'],
  [['src/a.ts'], 2, 'usage', 'src/a.ts is neither'],
  [['plans/cut.json'], 2, 'plan-invalid', 'plans/cut.json is not a plan: it is not valid JSON'],
  [['broken'], 2, 'plan-invalid', 'broken/plan.json is not a plan: it is not valid JSON'],
  [['package.json'], 2, 'plan-invalid', 'package.json is not a plan: it has no summary, approach, task_ids'],
  [['plans/no-tasks.json'], 2, 'plan-invalid', 'no-tasks.json is not a plan: it has no approach, task_ids'],
  [['plans/old.json'], 2, 'plan-invalid', 'it embeds its tasks'],
  [['--run', 'latest', 'and', 'more'], 2, 'usage', '"and more"'],
  [['--review', 'nosuch', 'do it'], 4, 'agent-not-found', 'agents that can: mine, other'],
  [['--review', 'mine,nosuch', 'do it'], 4, 'agent-not-found', 'nosuch cannot review here'],
  [['--executor', 'nosuch', 'a b', '-y'], 4, 'agent-not-found', 'nosuch cannot execute tasks here'],
  [
    ['--executor', 'static', '--agents', 'mine,static', 'a b'],
    4,
    'agent-not-found',
    'agents that can: mine.',
  ],
  [['--review', 'panel', '--agents', 'static', 'do it'], 4, 'agent-not-found', 'agents that can: none'],
])('P-101 P-103 P-104 P-125 %j is rejected before anything runs', async (words, exit, code, message) => {
  expect(await rehearse('lite-execute', ...words)).toEqual({
    exit,
    error: expect.objectContaining({
      code,
      message: expect.stringContaining(message),
      fix: expect.stringMatching(/\.$/),
    }),
  });
});

test.each(['--review', '--executor'])(
  'P-125 lite-plan refuses an unknown agent of %s before it plans',
  async (flag) => {
    const { exit, out } = await runCommandLine(
      ...['lite-plan', flag, 'nosuch', '--dry-run', '--json', '--cwd', root, 'do it'],
    );
    expect([exit, JSON.parse(out).error.code]).toEqual([4, 'agent-not-found']);
  },
);

test.each(['auto', 'agent', 'MINE'])('P-114 --executor %s names an available agent', async (executor) => {
  expect((await rehearse('lite-execute', '--executor', executor, 'a b')).exit).toBe(0);
});

test.each([['build'], ['lite-execute'], ['design', '--no-branch']])(
  'M-006 %s says which settings of documents it cannot read',
  async (name, ...flags) => {
    repository.write('.moai/config/sections/design.yaml', 'design: [');
    const { exit, err } = await runCommandLine(
      name,
      ...flags,
      '--dry-run',
      '--cwd',
      root,
      'round the buttons',
    );
    expect(exit, err).toBe(0);
    expect(err).toMatch(/design\.yaml cannot be read/);
  },
);
