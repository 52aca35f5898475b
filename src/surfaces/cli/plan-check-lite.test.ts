import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { temporaryRepository } from '../../../test/temporary-repository.ts';

const task = (
  id: string,
  depends_on: string[],
  file: string,
  criterion = `${file} exports it`,
  action = 'modify',
) => ({
  id,
  title: id,
  description: 'It.',
  depends_on,
  files: [{ path: file, action }],
  implementation: ['One.', 'Two.'],
  convergence: { criteria: [criterion] },
});

function project(tasks: ReturnType<typeof task>[], task_ids: string[] = tasks.map(({ id }) => id)): string {
  const repository = temporaryRepository();
  onTestFinished(repository.remove);
  repository.write('src/a.ts', 'export const a = 1;\n');
  repository.commit('begin');
  const folder = path.join(repository.root, 'lite');
  mkdirSync(path.join(folder, '.task'), { recursive: true });
  for (const each of tasks)
    writeFileSync(path.join(folder, '.task', `${each.id}.json`), JSON.stringify(each));
  const _metadata = { timestamp: 'now', source: 'direct-planning', plan_type: 'feature' };
  const plan = {
    summary: 's',
    approach: 'a',
    complexity: 'Low',
    task_ids,
    task_count: task_ids.length,
    _metadata,
  };
  writeFileSync(path.join(folder, 'plan.json'), JSON.stringify(plan));
  return repository.root;
}

test('P-062 plan check reads a lite folder and prints its waves', async () => {
  const root = project([task('TASK-001', [], 'src/a.ts'), task('TASK-002', ['TASK-001'], 'src/a.ts')]);
  const { exit, out } = await runCommandLine(
    'plan',
    'check',
    path.join(root, 'lite'),
    '--cwd',
    root,
    '--json',
  );
  expect(JSON.parse(out)).toMatchObject({ waves: [['TASK-001'], ['TASK-002']], errors: [] });
  expect(exit).toBe(0);
});

test('P-068 P-111 a circle, a vague criterion and a missing file exit 6', async () => {
  const root = project([
    task('TASK-001', ['TASK-002'], 'src/b.ts'),
    task('TASK-002', ['TASK-001'], 'src/a.ts', 'works correctly'),
  ]);
  const { exit, out } = await runCommandLine(
    'plan',
    'check',
    path.join(root, 'lite/plan.json'),
    '--cwd',
    root,
  );
  expect(out).toContain('error the tasks go in a circle: TASK-001 → TASK-002 → TASK-001');
  expect(out).toContain('error TASK-002: "works correctly" cannot be checked');
  expect(out).toContain('error TASK-001: src/b.ts: does not exist at the base commit');
  expect(exit).toBe(6);
});

test('--fail-on warning exits 6 for what is only said otherwise', async () => {
  const root = project([{ ...task('TASK-001', [], 'src/a.ts'), implementation: ['One.'] }]);
  const words = ['plan', 'check', 'lite', '--cwd', root];
  const said = await runCommandLine(...words);
  expect([said.exit, said.out]).toEqual([0, expect.stringMatching(/0 errors, [1-9]\d* warnings/)]);
  expect((await runCommandLine(...words, '--fail-on', 'warning')).exit).toBe(6);
});

test('P-062 a path with ./ in front is the same path', async () => {
  const root = project([task('TASK-001', [], './src/a.ts')]);
  const { exit, out } = await runCommandLine('plan', 'check', 'lite', '--cwd', root);
  expect([exit, out]).toEqual([0, expect.stringContaining('0 errors')]);
});

test('P-062 P-068 paths outside, new files that exist, ids listed twice and vague criteria exit 6', async () => {
  const root = project(
    [
      task('TASK-001', [], '../../../etc/passwd', 'Service works correctly'),
      task('TASK-002', [], '/etc/hosts', 'Performance is good'),
      task('TASK-003', [], './src/a.ts', 'src/a.ts exports b', 'create'),
    ],
    ['TASK-001', 'TASK-001', 'TASK-002', 'TASK-003'],
  );
  const { exit, out } = await runCommandLine('plan', 'check', 'lite', '--json', '--cwd', root);
  expect(JSON.parse(out).errors).toEqual([
    'TASK-001 is in task_ids twice',
    'TASK-001: "Service works correctly" cannot be checked',
    'TASK-002: "Performance is good" cannot be checked',
    'TASK-001: ../../../etc/passwd leads out of the repository',
    'TASK-002: /etc/hosts leads out of the repository',
    'TASK-003: src/a.ts: the plan creates it, but it exists at the base commit',
  ]);
  expect(exit).toBe(6);
});

test('P-062 what one task of a plan makes or removes is there or gone for the others', async () => {
  const root = project([
    task('TASK-001', [], 'src/new.ts', 'src/new.ts exists', 'create'),
    task('TASK-002', ['TASK-001'], './src/new.ts'),
    task('TASK-003', [], 'src/a.ts', 'src/a.ts is gone', 'delete'),
    task('TASK-004', ['TASK-003'], 'src/a.ts', 'src/a.ts is new', 'create'),
  ]);
  const { out } = await runCommandLine('plan', 'check', 'lite', '--json', '--cwd', root);
  expect(JSON.parse(out).errors).toEqual([]);
});

test.each([
  ['that is cut off', '{"summary": "s",', 'is not valid JSON'],
  ['without its list of tasks', '{"summary": "s", "approach": "a"}', 'it has no task_ids'],
])('P-103 every command names the file and the mistake of a plan.json %s', async (_, text, flaw) => {
  const root = project([task('TASK-001', [], 'src/a.ts')]);
  writeFileSync(path.join(root, 'lite', 'plan.json'), text);
  for (const words of [['check'], ['show'], ['drift'], ['export', '--format', 'issue']])
    for (const place of ['lite', 'lite/plan.json']) {
      const { exit, err } = await runCommandLine('plan', ...words, place, '--cwd', root);
      expect(err).toContain(`${path.join('lite', 'plan.json')} is not a plan: `);
      expect(err).toContain(flaw);
      expect(exit).toBe(2);
    }
});

test.each([['check'], ['export', '--format', 'issue']])(
  'plan %s says what a folder lacks',
  async (...words) => {
    const root = project([]);
    const { exit, err } = await runCommandLine('plan', ...words, 'src', '--cwd', root);
    expect(err).toContain(path.join('src', 'plan.json'));
    expect(exit).toBe(4);
  },
);

test('a plan that is a link to itself was called a defect of ours', async () => {
  const root = project([]);
  symlinkSync('loop', path.join(root, 'loop'));
  const { exit, out } = await runCommandLine('plan', 'check', 'loop', '--cwd', root, '--json');
  expect([exit, JSON.parse(out).error]).toEqual([
    4,
    expect.objectContaining({
      code: 'not-found',
      message: expect.stringContaining('loop form a loop'),
    }),
  ]);
});
