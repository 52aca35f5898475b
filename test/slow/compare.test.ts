import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ComparisonFile } from '../../src/workflows/compare/comparison.ts';
import { startCharrette, until } from '../support/live-program.ts';
import { artifactsOf, callsIn, charrette, holdTask, makeProject, runsOf } from '../support/program.ts';
import { recordOf } from '../support/worker-program.ts';

const list = '- add rate limiting\n  - answers 429\n  - is configurable\n- cancel an order\n';

async function makeTasks(options: Parameters<typeof makeProject>[0] = {}, text = list) {
  const made = await makeProject(options);
  const tasks = path.join(path.dirname(made.project), 'tasks.md');
  writeFileSync(tasks, text);
  return { ...made, tasks };
}

test('both sides of every task are designed, judged blind in both orders by the other family, and reported', async () => {
  const { project, calls, tasks } = await makeTasks();
  const ended = await charrette(['compare', '--tasks', tasks, '--yes', '--json'], { cwd: project });
  expect(ended.code).toBe(0);
  const { run, comparison } = JSON.parse(ended.stdout) as { run: string; comparison: ComparisonFile };
  expect(comparison.standing).toEqual({ panel: 2, solo: 0, ties: 0, undecided: 0, anecdotal: true });
  const [first] = comparison.tasks;
  expect(first).toMatchObject({
    verdict: 'panel',
    independent: true,
    judges: [{ judge: 'two', family: 'two', consistent: true }],
  });
  expect(first?.solo.authorFamilies).toEqual(['one']);
  expect(first?.panel.coverage).toMatchObject({ criteria: [2, 2], errors: 0 });
  expect(first?.solo.coverage).toMatchObject({ criteria: [1, 2] });
  expect(comparison.totals.panel.calls).toBeGreaterThan(comparison.totals.solo.calls);
  expect(callsIn(calls).filter((call) => call.startsWith('compare '))).toHaveLength(4);
  const text = artifactsOf(project, run)['comparison.md'] ?? '';
  expect(text).toContain('Anecdotal: fewer than 10');
  expect(text).toContain('| 1. add rate limiting | panel | solo |');

  // Every design is a separate run; `latest` means the comparison.
  expect(runsOf(project)).toEqual(
    ['', '-1-panel', '-1-solo', '-2-panel', '-2-solo'].map((end) => `${run}${end}`),
  );
  const shown = await charrette(['show', '--json'], { cwd: project });
  expect(JSON.parse(shown.stdout)).toMatchObject({ run, workflow: 'compare' });
  const lane = path.join(project, '.charrette/runs', run, 'lanes', 'compare-1-two.json');
  const { prompt } = JSON.parse(readFileSync(lane, 'utf8')) as { prompt: string };
  expect(prompt).not.toMatch(/DECISION_|FINDING_|## Dissent/);
});

test('a judge who gave no verdict, and a seat that a design lost, are named; one of two announced families exits 6', async () => {
  const { project, tasks } = await makeTasks({}, 'add rate limiting\n');
  const file = path.join(project, '.charrette', 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  const failing = (task: string, family: string) => ({
    ...{ protocol: 'exec', family },
    command: config.agents.one.command.map((word: string) => (word === 'none' ? task : word)),
  });
  config.agents.two = failing('plan-review', 'two');
  config.agents.three = failing('compare', 'three');
  writeFileSync(file, JSON.stringify(config));
  const flags = ['--tasks', tasks, '--depth', 'quick', '--author', 'one', '--yes', '--json'];
  const ended = await charrette(['compare', ...flags], { cwd: project });
  expect(ended.code, ended.stderr).toBe(6);
  const { degraded } = JSON.parse(ended.stdout);
  expect(degraded).toContainEqual(
    expect.objectContaining({ role: 'judge', seat: 'judge three', planned: 'three', actual: null }),
  );
  expect(degraded).toContainEqual(expect.objectContaining({ role: 'review', planned: 'two' }));
  expect(ended.stderr).toContain('only the family two judged; announced were two, three');
});

test('a panel that became one family is no success of the comparison either', async () => {
  const { project, tasks } = await makeTasks({}, 'add rate limiting\n');
  const file = path.join(project, '.charrette', 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  const fail = (word: string) => (word === 'none' ? 'plan-review' : word);
  config.agents.two.command = config.agents.two.command.map(fail);
  writeFileSync(file, JSON.stringify(config));
  const flags = ['--tasks', tasks, '--depth', 'quick', '--author', 'one', '--yes', '--json'];
  const ended = await charrette(['compare', ...flags], { cwd: project });
  expect(ended.code, ended.stderr).toBe(6);
  expect(ended.stderr).toContain('task 1 panel: only the family one reviewed; announced were ');
  const accepted = await charrette(['compare', ...flags, '--accept-degraded'], { cwd: project });
  expect(accepted.code, accepted.stderr).toBe(0);
});

test('asks before it spends: without a terminal it pauses, and continues with the answers', async () => {
  const { project, calls, tasks } = await makeTasks({}, 'add rate limiting\n');
  const paused = await charrette(['compare', '--tasks', tasks, '--json'], { cwd: project });
  expect(paused.code).toBe(7);
  const { run, questions } = JSON.parse(paused.stdout) as { run: string; questions: { id: string }[] };
  expect(questions.map(({ id }) => id)).toEqual(['consent']);
  expect(callsIn(calls)).toEqual([]);
  const answered = await charrette(['answer', run, 'consent=yes'], { cwd: project });
  expect(answered.code, answered.stderr).toBe(7);
  const refused = await charrette(['answer', run, 'compare-cost=no', '--json'], { cwd: project });
  expect(refused.code).toBe(5);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'consent-refused' } });
  expect(callsIn(calls)).toEqual([]);
});

test('killed in the middle it resumes, and repeats no answered call', async () => {
  const { project, calls, tasks } = await makeTasks({}, 'add rate limiting\n');
  const release = holdTask(calls, 'plan-review');
  const running = startCharrette(['compare', '--tasks', tasks, '--yes'], { cwd: project });
  const isUnderWay = () => callsIn(calls).some((call) => call.startsWith('plan-review '));
  // The other side of the task, which runs in parallel.
  const soloIsDone = () =>
    runsOf(project).some((id) => id.endsWith('-1-solo') && recordOf(project, id).status === 'done');
  await until(() => isUnderWay() && soloIsDone());
  running.kill('SIGKILL');
  await running.ended;
  release();
  const [run = ''] = runsOf(project);
  const ended = await charrette(['resume', run, '--yes'], { cwd: project });
  expect(ended.code).toBe(0);
  expect(artifactsOf(project, run)['comparison.md']).toContain('Panel better: 1.');
  const made = (task: string) => callsIn(calls).filter((call) => call.startsWith(`${task} `)).length;
  const before = ['sketch', 'synthesis', 'debate-thesis', 'debate-antithesis', 'judge', 'plan'];
  expect(before.map(made)).toEqual([4, 1, 1, 1, 6, 2]);
  // Four reviews may have been in progress.
  expect(made('plan-review')).toBeLessThanOrEqual(8);
});

test('a design without a plan gets no verdict, and a comparison without verdicts exits 6', async () => {
  const { project, tasks } = await makeTasks({ failTask: 'plan' }, 'add rate limiting\n');
  const ended = await charrette(['compare', '--tasks', tasks, '--yes'], { cwd: project });
  expect(ended.code).toBe(6);
  const [run = ''] = runsOf(project);
  const text = artifactsOf(project, run)['comparison.md'];
  expect(text).toContain('No verdict: one of the designs has no plan');
  expect(text).toMatch(/Solo has no plan: No agent could do the task plan/);
});

test('without a model no agent judges, and the report says so; cost and coverage remain', async () => {
  const { project, tasks } = await makeTasks();
  const ended = await charrette(['compare', '--tasks', tasks, '--yes', '--agents', 'static'], {
    cwd: project,
  });
  expect(ended.code).toBe(0);
  expect(ended.stdout).toContain('no agent has a model, and rules do not judge');
  expect(ended.stdout).toContain('2 without a verdict');
  expect(ended.stdout).toMatch(/\| 1\. add rate limiting \| none \| solo \| \d+\/\d+ \|/);
});

test.each([
  [['compare'], 2, 'usage', /--tasks/],
  [['compare', '--tasks', 'nowhere.md'], 4, 'not-found', /nowhere\.md does not exist/],
  [['compare', '--tasks', 'empty.md'], 2, 'tasks-invalid', /empty\.md holds no task/],
  [['compare', '--tasks', 'empty.md', '--depth', 'solo'], 2, 'usage', /quick, regular, wide/],
])('%j is refused before anything happens', async (words, exit, code, message) => {
  const { project } = await makeProject();
  writeFileSync(path.join(project, 'empty.md'), '# nothing\n');
  const ended = await charrette([...words, '--json'], { cwd: project });
  expect(ended.code).toBe(exit);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    error: { code, message: expect.stringMatching(message) },
  });
  expect(runsOf(project)).toEqual([]);
});
