import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeLiteProject } from '../support/lite-project.ts';
import { callsIn, charrette, runsOf } from '../support/program.ts';

const task = 'add the numbers and their total';

function artifactOf(project: string, name: string): string {
  const run = runsOf(project).at(-1) ?? '';
  return readFileSync(path.join(project, '.charrette', 'runs', run, 'artifacts', name), 'utf8');
}

function answersIn(project: string, answers: Record<string, string>): string {
  const file = path.join(project, '.home', 'answers.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(answers));
  return file;
}

describe('P-150 a requested review without a usable answer', () => {
  test.each([
    ['crash', 'one', ['one'], '0 of 1 requested reviews arrived'],
    ['garbage', 'one', ['one'], '0 of 1 requested reviews arrived'],
    ['summary', 'one', ['one'], '0 of 1 requested reviews arrived'],
    ['crash', 'panel', ['one', 'two'], '0 of 2 requested reviews arrived'],
    ['crash@two', 'one,two', ['one', 'two'], '1 of 2 requested reviews arrived (two: '],
  ])('%s, --review %s: merges nothing and exits 6', async (way, review, agents, reason) => {
    const { project, git } = makeLiteProject(`review:${way}`, agents);
    const start = git('rev-parse', 'HEAD');
    const ended = await charrette(['lite-execute', 'Write the note', '-y', '--review', review], {
      cwd: project,
    });
    expect(ended.code, ended.stderr).toBe(6);
    const branch = `charrette/${runsOf(project).at(-1)}`;
    expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([start, '']);
    expect(git('show', `${branch}:src/one.mjs`)).toBe('export const one = 1;');
    expect(ended.stderr).toContain(reason);
    expect(ended.stderr).toContain(`accept it with \`git merge ${branch}\``);
    expect(artifactOf(project, 'code-review.md')).toMatch(/not verified|NOT VERIFIED/);
    expect(artifactOf(project, 'code-review.md')).not.toContain('No reviewer was chosen');
    expect(JSON.parse(artifactOf(project, 'todo.json')).items.at(0)).toMatchObject({ status: 'failed' });
  });

  test('of three reviewers two suffice; the missing one is named', async () => {
    const { project, git } = makeLiteProject('review:crash@two', ['one', 'two', 'three']);
    const ended = await charrette(['lite-execute', 'Write the note', '-y', '--review', 'panel', '--json'], {
      cwd: project,
    });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('The review of two is missing');
    expect(git('log', '--format=%s', '-1')).toBe('Write the note');
    expect(JSON.parse(ended.stdout).degraded).toEqual([
      expect.objectContaining({ role: 'review', seat: 'code-review-0-two', planned: 'two', actual: null }),
    ]);
  });

  test('--accept-degraded merges what one of two requested families reviewed, and names the missing one', async () => {
    const { project, git } = makeLiteProject('review:crash@two', ['one', 'two']);
    const flags = ['-y', '--review', 'panel', '--accept-degraded', '--json'];
    const ended = await charrette(['lite-execute', 'Write the note', ...flags], { cwd: project });
    expect(ended.code, ended.stderr).toBe(0);
    expect(git('log', '--format=%s', '-1')).toBe('Write the note');
    expect(JSON.parse(ended.stdout).degraded).toMatchObject([{ role: 'review', planned: 'two' }]);
    expect(ended.stderr).toContain('Degraded review: code-review-0-two had no answer from two');
  });
});

test('a planner that another agent stood in for is named in run.json and in every JSON result', async () => {
  const { project } = makeLiteProject('none', ['one', 'two']);
  const file = path.join(project, '.charrette', 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  config.agents.one.command = ['node', '-e', 'process.exit(3)'];
  writeFileSync(file, JSON.stringify(config));
  const ended = await charrette(['lite-plan', '-y', '--plan-only', '--json', task], { cwd: project });
  expect(ended.code, ended.stderr).toBe(0);
  const { degraded } = JSON.parse(ended.stdout);
  expect(degraded).toContainEqual(
    expect.objectContaining({ role: 'author', seat: 'lite-plan-1', planned: 'one', actual: 'two' }),
  );
  const [run = ''] = runsOf(project);
  const record = JSON.parse(readFileSync(path.join(project, '.charrette', 'runs', run, 'run.json'), 'utf8'));
  expect(record.degraded).toEqual(degraded);
  const shown = await charrette(['show', 'latest', '--json'], { cwd: project });
  expect(JSON.parse(shown.stdout).degraded).toEqual(degraded);
});

test('P-081 the recommended answer to the review question is to review; -y asks for none (P-013)', async () => {
  const { project } = makeLiteProject();
  const asked = await charrette(
    [
      'lite-execute',
      'Write the note',
      '--json',
      '--answers',
      answersIn(project, { consent: 'yes', 'auto-mode': 'interactive' }),
    ],
    { cwd: project },
  );
  expect(asked.code).toBe(7);
  const { questions } = JSON.parse(asked.stdout);
  expect(questions).toContainEqual(expect.objectContaining({ id: 'review', recommended: 'agent' }));
  const auto = await charrette(['lite-execute', 'Write the note', '-y'], { cwd: project });
  expect(auto.code, auto.stderr).toBe(0);
  expect(JSON.parse(artifactOf(project, 'selection.json')).selection).toMatchObject({ review: 'skip' });
});

test('P-072 P-125 a codex that is configured but not installed is neither recommended nor offered nor used', async () => {
  const { project, calls } = makeLiteProject('none', ['one']);
  const file = path.join(project, '.charrette', 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  config.agents.codex = { protocol: 'codex' };
  writeFileSync(file, JSON.stringify(config));
  const answers = answersIn(project, {
    consent: 'yes',
    'auto-mode': 'interactive',
    exploration: 'auto-detect',
    'clarify-1': 'three',
  });
  const asked = await charrette(['lite-plan', task, '--json', '--answers', answers], { cwd: project });
  expect(asked.code, asked.stderr).toBe(7);
  const { questions } = JSON.parse(asked.stdout);
  expect(questions[0].detail).toContain('recommended: Agent.');
  expect(JSON.stringify(questions)).not.toMatch(/codex/i);
  expect(JSON.parse(artifactOf(project, 'plan.json'))).toMatchObject({ recommended_execution: 'Agent' });
  const named = await charrette(['lite-execute', 'a b', '-y', '--executor', 'codex'], { cwd: project });
  expect([named.code, named.stderr]).toEqual([4, expect.stringContaining('agents that can: one')]);
  const reviewed = await charrette(['lite-execute', 'a b', '-y', '--review', 'codex'], { cwd: project });
  expect(reviewed.code).toBe(4);
  expect(callsIn(calls).filter((line) => line.startsWith('execute'))).toEqual([]);
});

describe('P-067 P-073 a fallback plan', () => {
  test('with -y nothing is executed; the command that does it on purpose is named and works', async () => {
    const { project, calls, git } = makeLiteProject('lite-plan');
    const start = git('rev-parse', 'HEAD');
    const stopped = await charrette(['lite-plan', '-y', task], { cwd: project });
    expect(stopped.code, stopped.stderr).toBe(6);
    const [run = ''] = runsOf(project);
    expect(stopped.stderr).toContain(
      `To execute the fallback plan anyway, run \`charrette build --run ${run}\``,
    );
    expect(callsIn(calls).filter((line) => line.startsWith('execute'))).toEqual([]);
    expect([git('rev-parse', 'main'), git('branch', '--list')]).toEqual([start, '* main']);
    expect(JSON.parse(artifactOf(project, 'plan.json'))).toMatchObject({ _metadata: { degraded: true } });

    const again = await charrette(['lite-execute', '--run', run, '-y'], { cwd: project });
    expect([again.code, again.stderr]).toEqual([6, expect.stringContaining('Nothing was executed')]);
    expect(git('branch', '--list')).toBe('* main');

    const first = { consent: 'yes', 'auto-mode': 'interactive' };
    const asked = await charrette(
      ['lite-execute', '--run', run, '--json', '--answers', answersIn(project, first)],
      { cwd: project },
    );
    expect(JSON.parse(asked.stdout).questions).toContainEqual(
      expect.objectContaining({ id: 'confirm', recommended: 'cancel' }),
    );
    const allowed = { ...first, confirm: 'allow', execution: 'one', review: 'skip' };
    const done = await charrette(['lite-execute', '--run', run, '--answers', answersIn(project, allowed)], {
      cwd: project,
    });
    expect(done.code, done.stderr).toBe(0);
    expect(callsIn(calls).filter((line) => line.startsWith('execute'))).toHaveLength(1);
  });

  test('an agent without a usable plan costs one call and one repair turn', async () => {
    const { project, calls } = makeLiteProject();
    const script = `require('fs').appendFileSync(${JSON.stringify(calls)}, process.env.CHARRETTE_TASK + ' ' + process.env.CHARRETTE_SEAT + '\\n'); console.log('Happy to help!')`;
    const agents = { chatty: { protocol: 'exec', command: ['node', '-e', script], family: 'chatty' } };
    const file = path.join(project, '.charrette', 'config.json');
    writeFileSync(file, JSON.stringify({ detect: false, agents }));
    const stopped = await charrette(['lite-plan', '-y', task], { cwd: project });
    expect(stopped.code, stopped.stderr).toBe(6);
    const planning = callsIn(calls).filter((line) => line.includes(' lite-plan'));
    expect(planning).toEqual(['lite-plan lite-plan-1', 'repair lite-plan-1']);
  });

  test('a plan by rules after a failed agent counts as a fallback plan too', async () => {
    const { project, calls } = makeLiteProject('lite-plan');
    const stopped = await charrette(['lite-plan', '-y', '--agents', 'one,static', task], { cwd: project });
    expect(stopped.code, stopped.stderr).toBe(6);
    expect(stopped.stderr).toContain('build --run');
    expect(callsIn(calls).filter((line) => line.startsWith('execute'))).toEqual([]);
  });
});

describe('P-123 P-124 an executor’s report does not count as work', () => {
  test.each([
    ['idle', 'no change was committed; TASK-001 changed no file; run `charrette show '],
    ['unnamed', 'TASK-001 failed; nothing was merged: read it with `git diff '],
  ])('%s: not merged, exit 6', async (way, reason) => {
    const { project, git } = makeLiteProject(way);
    const start = git('rev-parse', 'HEAD');
    const ended = await charrette(['lite-execute', 'Write the note', '-y'], { cwd: project });
    expect([ended.code, ended.stderr]).toEqual([6, expect.stringContaining(reason)]);
    expect(git('rev-parse', 'main')).toBe(start);
    expect(existsSync(path.join(project, 'src'))).toBe(false);
  });
});

describe('P-100 a Markdown task list', () => {
  const list = '# Numbers\n\n- [x] Add zero\n- [ ] Add one in src/one.mjs\n- [ ] Add two in src/two.mjs\n';

  test('`plan import` makes one task of each box and keeps ticked ones completed', async () => {
    const { project } = makeLiteProject();
    writeFileSync(path.join(project, 'TODO.md'), list);
    const imported = await charrette(['plan', 'import', 'TODO.md', '--out', 'plans/numbers'], {
      cwd: project,
    });
    expect(imported.code, imported.stderr).toBe(0);
    const taskOf = (id: string) =>
      JSON.parse(readFileSync(path.join(project, 'plans', 'numbers', '.task', `${id}.json`), 'utf8'));
    expect(['TASK-001', 'TASK-002', 'TASK-003'].map((id) => [taskOf(id).title, taskOf(id).status])).toEqual([
      ['Add zero', 'completed'],
      ['Add one in src/one.mjs', undefined],
      ['Add two in src/two.mjs', undefined],
    ]);
  });

  test('`lite-execute` executes its open tasks and no ticked one', async () => {
    const { project } = makeLiteProject();
    writeFileSync(path.join(project, 'TODO.md'), list);
    const ended = await charrette(['lite-execute', 'TODO.md', '-y', '--no-merge', '--one-task-per-call'], {
      cwd: project,
    });
    expect(ended.code, ended.stderr).toBe(0);
    const { results } = JSON.parse(artifactOf(project, 'execution-results.json'));
    expect(results).toHaveLength(2);
    expect(artifactOf(project, 'execution-summary.md')).toContain(
      'TASK-001 Add zero: completed before this run',
    );
  });
});
