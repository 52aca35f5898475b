import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { planSchema } from '../../src/base/schema/judgements/plan.ts';
import { eventSchema, questionFileSchema, runRecordSchema } from '../../src/base/schema/run-files.ts';
import { startCharrette, until } from '../support/live-program.ts';
import { artifactsOf, callsIn, charrette, makeProject, runsOf } from '../support/program.ts';

const quick = ['design', '--auto', '--quick', '--dialectic', 'off', '--no-branch'];

function record(project: string, run: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path.join(project, '.charrette', 'runs', run, 'run.json'), 'utf8'));
}

test('a question without a terminal pauses with exit 7; answered from a second terminal the run completes', async () => {
  const { project, calls } = await makeProject();
  const paused = await charrette([...quick, '--json', 'add limits'], { cwd: project });
  expect(paused.code).toBe(7);
  const [run = ''] = runsOf(project);
  expect(JSON.parse(paused.stdout)).toMatchObject({
    run,
    status: 'paused',
    questions: [{ id: 'consent', recommended: 'yes' }],
    resume: `charrette resume ${run}`,
  });
  expect(callsIn(calls)).toEqual([]);

  const again = await charrette(['resume', run], { cwd: project });
  expect(again).toMatchObject({ code: 7, stdout: '' });
  expect(again.stderr).toContain(`     charrette answer ${run} consent=yes\n`);
  expect(again.stderr).toMatch(/^ {7}no: /m);
  const watched = await charrette(['watch', run], { cwd: project });
  expect(watched.stderr).toContain(`     charrette answer ${run} consent=yes\n`);

  const wrong = await charrette(['answer', run, 'consent=perhaps'], { cwd: project });
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain('choose yes, no');

  const left = await charrette(['answer', run, 'consent=yes', '--no-resume', '--json'], { cwd: project });
  expect(left.code).toBe(0);
  const other = await charrette(['answer', run, 'consent=no', '--no-resume', '--json'], { cwd: project });
  expect(other.code).toBe(2);
  expect(JSON.parse(other.stdout).error.message).toBe('consent was answered: yes');
  const same = await charrette(['answer', run, 'consent=yes', '--no-resume'], { cwd: project });
  expect(same).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Answered already\./) });
  const done = await charrette(['resume', run, '--json'], { cwd: project });
  expect(done.code).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ run, status: 'done', cost: { calls: expect.any(Number) } });
  expect(Object.keys(artifactsOf(project, run))).toContain('plan.txt');

  // What was written is what schemas/ promises.
  const file = (name: string) => readFileSync(path.join(project, '.charrette', 'runs', run, name), 'utf8');
  runRecordSchema.parse(JSON.parse(file('run.json')));
  questionFileSchema.parse(JSON.parse(file('questions.json')));
  planSchema.parse(JSON.parse(file('artifacts/plan.json')));
  for (const line of file('events.jsonl').trim().split('\n')) eventSchema.parse(JSON.parse(line));

  const ended = await charrette(['answer', run, 'consent=yes'], { cwd: project });
  expect(ended).toMatchObject({ code: 2 });
  expect(ended.stderr).toContain('has ended: done');
});

test('answers come from a file, with --yes, or with `answer`, which resumes automatically', async () => {
  const { project } = await makeProject();
  await charrette([...quick, 'one'], { cwd: project });
  const answered = await charrette(['answer', 'latest', 'consent=no', '--json'], { cwd: project });
  expect(answered.code).toBe(5);
  expect(JSON.parse(answered.stdout)).toMatchObject({ error: { code: 'consent-refused' } });

  const file = path.join(project, '.home', 'answers.json');
  writeFileSync(file, '{"consent":"yes"}');
  const fromFile = await charrette([...quick, '--answers', file, '--json', 'two'], { cwd: project });
  expect(fromFile.code).toBe(0);
});

test('runs, show, watch, prune and rm tell and forget', async () => {
  const { project } = await makeProject();
  const stream = await charrette([...quick, '--yes', '--output', 'stream-json', 'first'], { cwd: project });
  expect(stream.code).toBe(0);
  const events = stream.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [first = ''] = runsOf(project);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  for (const event of events) {
    expect(event).toMatchObject({ v: 1, run: first, time: expect.any(String), type: expect.any(String) });
  }
  expect(events.at(0).type).toBe('run-start');
  expect(events.at(-1)).toMatchObject({ type: 'run-end', status: 'done' });

  const watched = await charrette(['watch', first, '--output', 'stream-json'], { cwd: project });
  expect(watched.stdout).toBe(stream.stdout);
  expect(watched.code).toBe(0);

  await charrette(['design', '-q', '--no-branch', 'second'], { cwd: project });
  await charrette(['cancel', 'second'], { cwd: project });
  const list = JSON.parse((await charrette(['runs', '--json'], { cwd: project })).stdout);
  expect(list.runs.map(({ title, status }: { title: string; status: string }) => [title, status])).toEqual([
    ['second', 'cancelled'],
    ['first', 'done'],
  ]);

  const shown = JSON.parse((await charrette(['show', first, '--json'], { cwd: project })).stdout);
  expect(shown).toMatchObject({ run: first, status: 'done', workflow: 'design', schemaVersion: 1 });
  const plan = await charrette(['show', first, '--artifact', 'plan.txt'], { cwd: project });
  expect(plan.stdout).toBe(artifactsOf(project, first)['plan.txt']);
  const outside = await charrette(['show', first, '--artifact', '../run.json'], { cwd: project });
  expect(outside.code).toBe(5);

  const dry = await charrette(['runs', 'prune', '--keep', '1', '--dry-run', '--json'], { cwd: project });
  expect(JSON.parse(dry.stdout)).toEqual({ removed: [first], dryRun: true });
  expect(runsOf(project)).toHaveLength(2);
  await charrette(['runs', 'prune', '--keep', '1'], { cwd: project });
  expect(runsOf(project)).toHaveLength(1);
  const removed = await charrette(['runs', 'rm', 'second'], { cwd: project });
  expect(removed.code).toBe(0);
  expect(runsOf(project)).toEqual([]);
});

test('--from-run reuses the finished answers of an earlier run', async () => {
  const { project, calls } = await makeProject();
  await charrette([...quick, '--yes', 'add limits'], { cwd: project });
  const before = callsIn(calls).length;
  const [first = ''] = runsOf(project);
  const second = await charrette([...quick, '--yes', '--from-run', first, 'add limits'], { cwd: project });
  expect(second.code).toBe(0);
  expect(callsIn(calls)).toHaveLength(before);
  const [, again = ''] = runsOf(project);
  expect(artifactsOf(project, again)['plan.txt']).toBe(artifactsOf(project, first)['plan.txt']);
});

test('a live run is cancelled from a second terminal', async () => {
  const { project } = await makeProject({ delayMs: 60_000 });
  const live = startCharrette([...quick, '--yes', '--json', 'slow'], { cwd: project });
  await live.says('Sketches');
  const [run = ''] = runsOf(project);
  await until(() => record(project, run)['process'] !== undefined);
  const refused = await charrette(['resume', run], { cwd: project });
  expect(refused.stderr).toContain('is running in process');
  const kept = await charrette(['runs', 'rm', run], { cwd: project });
  expect(kept.stderr).toContain('Cancel it first');
  const cancelled = await charrette(['cancel', run, '--json'], { cwd: project });
  expect(JSON.parse(cancelled.stdout)).toEqual({ run, status: 'cancelled' });
  const ended = await live.ended;
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({ run, status: 'cancelled' });
  const resumed = await charrette(['resume', run], { cwd: project });
  expect(resumed).toMatchObject({ code: 2 });
  expect(resumed.stderr).toContain('has ended: cancelled');
});
