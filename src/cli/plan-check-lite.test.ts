import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../../test/support/run-command-line.ts';
import { temporaryRepository } from '../../test/temporary-repository.ts';

const task = (id: string, depends_on: string[], file: string, criterion = `${file} exports it`) => ({
  id,
  title: id,
  description: 'It.',
  depends_on,
  files: [{ path: file, action: 'modify' }],
  implementation: ['One.', 'Two.'],
  convergence: { criteria: [criterion] },
});

function project(tasks: ReturnType<typeof task>[]): string {
  const repository = temporaryRepository();
  onTestFinished(repository.remove);
  repository.write('src/a.ts', 'export const a = 1;\n');
  repository.commit('begin');
  const folder = path.join(repository.root, 'lite');
  mkdirSync(path.join(folder, '.task'), { recursive: true });
  for (const each of tasks)
    writeFileSync(path.join(folder, '.task', `${each.id}.json`), JSON.stringify(each));
  const _metadata = { timestamp: 'now', source: 'direct-planning', plan_type: 'feature' };
  const task_ids = tasks.map(({ id }) => id);
  const plan = {
    summary: 's',
    approach: 'a',
    complexity: 'Low',
    task_ids,
    task_count: tasks.length,
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
  expect(out).toContain('error TASK-001: src/b.ts does not exist');
  expect(exit).toBe(6);
});
