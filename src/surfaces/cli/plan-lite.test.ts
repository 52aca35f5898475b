import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../../../test/support/run-command-line.ts';
import { temporaryRepository } from '../../../test/temporary-repository.ts';

const runId = '2026-11-16-limits-4f2a90c1';

const taskOf = (id: string, depends_on: string[], file: string) => ({
  id,
  title: `Change ${file}`,
  description: 'It.',
  depends_on,
  files: [{ path: file, action: 'modify' }],
  implementation: ['One.', 'Two.'],
  convergence: { criteria: [`${file} exports it`] },
});

/** A repository with a lite plan in p/ and the same plan as that of a run. */
function project(change: (task: ReturnType<typeof taskOf>) => void = () => {}) {
  const repository = temporaryRepository();
  onTestFinished(repository.remove);
  repository.write('src/a.ts', 'export const a = 1;\n');
  repository.write('src/c.ts', 'export const c = 1;\n');
  repository.write('.gitignore', '.charrette/\np/\nq/\n');
  const base = repository.commit('begin');
  const at = (name: string) => path.join(repository.root, name);
  mkdirSync(at('p/.task'), { recursive: true });
  const tasks = [taskOf('TASK-001', [], 'src/a.ts'), taskOf('TASK-002', ['TASK-001'], 'src/a.ts')];
  for (const task of tasks) {
    change(task);
    writeFileSync(at(`p/.task/${task.id}.json`), JSON.stringify(task, null, 2));
  }
  const plan = {
    summary: 'Limit requests',
    approach: 'A counter.',
    complexity: 'Low',
    task_ids: tasks.map(({ id }) => id),
    task_count: tasks.length,
    _metadata: { timestamp: 'now', source: 'direct-planning', plan_type: 'feature', base_commit: base },
  };
  writeFileSync(at('p/plan.json'), JSON.stringify(plan, null, 2));
  mkdirSync(at(`.charrette/runs/${runId}`), { recursive: true });
  cpSync(at('p'), at(`.charrette/runs/${runId}/artifacts`), { recursive: true });
  const record = { schemaVersion: 1, run: runId, workflow: 'lite-plan', codeVersion: '1', title: 'Limits' };
  writeFileSync(
    at(`.charrette/runs/${runId}/run.json`),
    JSON.stringify({ ...record, inputs: {}, status: 'done', created: '2026-11-16T10:00:00Z' }),
  );
  const run = (...words: string[]) => runCommandLine('plan', ...words, '--cwd', repository.root);
  return { repository, at, run, base };
}

test.each(['latest', 'p', 'p/plan.json'])(
  'plan show %s prints a lite plan: its tasks, what they wait for, and as data',
  async (name) => {
    const { run, base } = project();
    const shown = await run('show', name);
    expect(shown).toMatchObject({ exit: 0, err: '' });
    expect(shown.out).toContain('# Limit requests\n\nA counter.\n');
    expect(shown.out).toContain('### TASK-002: Change src/a.ts');
    expect(shown.out).toContain('**After**\n\n- TASK-001');
    expect(JSON.parse((await run('show', name, '--json')).out)).toMatchObject({
      baseCommit: base,
      plan: { summary: 'Limit requests' },
      tasks: [{ id: 'TASK-001' }, { id: 'TASK-002' }],
    });
  },
);

test('plan drift of a lite plan checks the files of its tasks since its base commit', async () => {
  const { repository, run, base } = project();
  repository.write('src/c.ts', 'export const c = 2;\n');
  repository.commit('elsewhere');
  expect(await run('drift')).toMatchObject({ exit: 0, out: expect.stringContaining('1 commits since') });
  repository.write('src/a.ts', 'export const a = 2;\n');
  for (const name of ['latest', 'p']) {
    const drifted = await run('drift', name, '--json');
    expect(drifted.exit).toBe(8);
    expect(JSON.parse(drifted.out)).toMatchObject({
      baseCommit: base,
      touched: [{ path: 'src/a.ts', change: 'modified' }],
    });
  }
});

test('plan drift does not count our own configuration, unless the plan is about it', async () => {
  const own = ['.charrette/config.json', 'charrette.config.yaml'];
  const kept = project();
  kept.repository.write('.gitignore', 'p/\nq/\n');
  for (const name of own) kept.repository.write(name, '{}');
  const { exit, out } = await kept.run('drift', 'p', '--json');
  expect([exit, JSON.parse(out).files]).toEqual([0, [{ path: '.gitignore', change: 'modified' }]]);
  const about = project((task) => Object.assign(task.files[0] ?? {}, { path: own[1] }));
  about.repository.write(own[1] ?? '', '{}');
  expect(await about.run('drift', 'p')).toMatchObject({
    exit: 8,
    out: expect.stringContaining(', 1 files differ'),
  });
});

test('plan diff compares lite plans as people read them; a folder without a plan is none', async () => {
  const { at, run } = project();
  cpSync(at('p'), at('q'), { recursive: true });
  expect(await run('diff', 'latest', 'q')).toMatchObject({ exit: 0, out: 'The plans are the same.\n' });
  const task = { ...taskOf('TASK-002', ['TASK-001'], 'src/a.ts'), implementation: ['One.', 'Three.'] };
  writeFileSync(at('q/.task/TASK-002.json'), JSON.stringify(task));
  const { out } = await run('diff', 'p', 'q');
  expect(out).toContain('-- Two.\n+- Three.\n');
  expect(await run('show', 'src')).toMatchObject({ exit: 4 });
});

test('plan check gives a lite plan in every form, at the file and line of the task', async () => {
  const { at, run, base } = project((task) => {
    if (task.id === 'TASK-002') {
      task.files = [{ path: 'src/gone.ts', action: 'modify' }];
      task.convergence.criteria = ['works correctly'];
    }
  });
  const json = await run('check', 'p', '--format', 'json');
  expect(json.exit).toBe(6);
  expect(JSON.parse(json.out)).toMatchObject({ commit: base, tasks: ['TASK-001', 'TASK-002'] });
  const github = await run('check', 'p', '--format', 'github');
  expect(github.exit).toBe(6);
  expect(github.out.split('\n')).toContain(
    '::error file=p/.task/TASK-002.json,line=20,title=plan-task::TASK-002: "works correctly" cannot be checked',
  );
  expect(github.out).toMatch(/^::\w+ file=p\/\.task\/TASK-002\.json,line=10,.*src\/gone\.ts/m);
  const sarif = JSON.parse((await run('check', 'p', '--format', 'sarif')).out);
  expect(sarif.runs[0].tool.driver.rules).toMatchObject([{ id: 'plan-task' }]);
  expect(sarif.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toBe(
    'p/.task/TASK-002.json',
  );
  renameSync(at('p/plan.json'), at('p/mine.json'));
  expect(await run('check', 'p/mine.json')).toMatchObject({
    exit: 6,
    out: expect.stringContaining('2 tasks, '),
  });
});
