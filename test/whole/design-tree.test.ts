import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/engine/event.ts';
import { readEvents } from '../../src/engine/event-log.ts';
import { readLedger } from '../../src/engine/ledger.ts';
import { startCharrette, until } from '../support/live-program.ts';
import { artifactsOf, callsIn, charrette, holdTask, makeProject, runsOf } from '../support/program.ts';

const design = ['design', '--auto', '--yes', '--no-branch'];
const rootOf = (project: string, run: string) => path.join(project, '.charrette', 'runs', run);

/** Runs a command and, once a task is running, changes the tree as an agent outside its sandbox would. */
async function runAndDirty(words: string[], project: string, calls: string, task: string) {
  const stray = path.join(project, `stray-${task}.txt`);
  const release = holdTask(calls, task);
  const made = () => callsIn(calls).filter((call) => call.startsWith(`${task} `)).length;
  const before = made();
  const running = startCharrette(words, { cwd: project });
  await until(() => made() > before);
  writeFileSync(stray, 'not yours\n');
  release();
  const ended = await running.ended;
  return { ...ended, stray };
}

test('L-004, L-420, L-421, L-424, L-425, L-429, L-535, panel/C-10: a changed tree is asked about after every collection, whatever --auto and --yes say', async () => {
  const { project, calls } = await makeProject();
  const boundaries = [
    ['sketch', 'sketch-collection'],
    ['debate-thesis', 'dialectic-debate-collection'],
    ['judge', 'dialectic-judge-collection'],
    ['plan-review', 'plan-review-collection'],
  ] as const;
  let words = [...design, 'add rate limiting'];
  for (const [task, boundary] of boundaries) {
    const { code, stderr, stray } = await runAndDirty(words, project, calls, task);
    const [run = ''] = runsOf(project);
    expect(code, boundary).toBe(7);
    expect(stderr).toContain(`The working tree is dirty after ${boundary}: stray-${task}.txt.`);
    expect(stderr).toContain(`dirty-tree-${boundary}: An agent changed the working tree (1 path). What now?`);
    // The log names the agents that were running.
    const log = readFileSync(path.join(rootOf(project, run), 'execution-issues.md'), 'utf8');
    expect(log).toMatch(
      new RegExp(`after ${boundary}: stray-${task}\\.txt\\. Running until then: .*${task.split('-')[0]}`),
    );
    const artifacts = artifactsOf(project, run);
    expect(artifacts['dirty-tree-detected.env']).toBe(
      `STATUS=dirty\nSTAGE=${boundary}\nRECOVERY_REQUIRED=true\n`,
    );
    expect(artifacts['dirty-tree-probe.env']).toBe(
      'STATUS=dirty\nMODE=baseline\nUNTRACKED_BASELINE=present\nTRACKED_PATHS_FILE=dirty-tree-tracked-paths.nul\nNEW_UNTRACKED_PATHS_FILE=dirty-tree-new-untracked-paths.nul\nREASON=new-untracked-paths\n',
    );
    expect(artifacts['dirty-tree-tracked-paths.nul']).toBe('');
    expect(artifacts['dirty-tree-new-untracked-paths.nul']).toBe(`stray-${task}.txt\0`);
    expect(existsSync(stray)).toBe(true);
    words = ['answer', run, `dirty-tree-${boundary}=restore`];
  }
  const ended = await charrette(words, { cwd: project });
  expect(ended.code).toBe(0);
  const [run = ''] = runsOf(project);
  expect(readFileSync(path.join(project, 'README.md'), 'utf8')).not.toBe('');
  for (const [task] of boundaries) expect(existsSync(path.join(project, `stray-${task}.txt`))).toBe(false);
  expect(artifactsOf(project, run)['dirty-tree-detected.env']).toContain('RECOVERY_REQUIRED=false');
  const asked = readEvents(path.join(rootOf(project, run), 'events.jsonl')).flatMap((event) =>
    event.type === 'question-ask' ? event.questions.map(({ id }) => id) : [],
  );
  expect(asked).toEqual(boundaries.map(([, boundary]) => `dirty-tree-${boundary}`));
});

test('L-423: changes by the user while a run waits for consent do not count as changes by agents', async () => {
  const { project } = await makeProject();
  const waiting = await charrette(['design', '--auto', '--quick', '--no-branch', 'limits'], { cwd: project });
  expect(waiting.code, waiting.stderr).toBe(7);
  writeFileSync(path.join(project, 'notes.txt'), 'of a person\n');
  writeFileSync(path.join(project, 'README.md'), 'of a person\n');
  const [run = ''] = runsOf(project);
  const ended = await charrette(['answer', run, 'consent=yes'], { cwd: project });
  expect(ended.code, ended.stderr).toBe(0);
  for (const name of ['notes.txt', 'README.md'])
    expect(readFileSync(path.join(project, name), 'utf8')).toBe('of a person\n');
});

test('L-423: tells changes by the asking agent from changes by the user', async () => {
  const { project, calls } = await makeProject({ mode: 'asks' });
  const answers = path.join(path.dirname(project), 'answers.json');
  writeFileSync(answers, '{"consent":"yes"}');
  const quick = ['design', '--quick', '--no-branch', '--dialectic', 'off', '--answers', answers, 'limits'];
  const first = await runAndDirty(quick, project, calls, 'questions');
  expect(first.code, first.stderr).toBe(7);
  expect(first.stderr).toContain(
    'dirty-tree-question-collection: An agent changed the working tree (1 path)',
  );
  const [run = ''] = runsOf(project);
  const restored = await charrette(['answer', run, 'dirty-tree-question-collection=restore'], {
    cwd: project,
  });
  expect([restored.code, existsSync(first.stray)]).toEqual([7, false]);
  // While it waits for an answer to its first question.
  const own = path.join(project, 'notes.txt');
  writeFileSync(own, 'of a person\n');
  const answered = ['answer', run, 'clarify-1-per-what=per account'];
  const second = await runAndDirty(answered, project, calls, 'discussion-1');
  expect(second.stderr).toContain(
    'The working tree is dirty after discussion-collection: stray-discussion-1.txt.',
  );
  const cleaned = await charrette(['answer', run, 'dirty-tree-discussion-collection=restore'], {
    cwd: project,
  });
  expect([cleaned.code, existsSync(second.stray)]).toEqual([7, false]);
  expect(readFileSync(own, 'utf8')).toBe('of a person\n');
  const ended = await charrette(['resume', run, '--yes'], { cwd: project });
  expect(ended.code, ended.stderr).toBe(0);
  expect(readFileSync(own, 'utf8')).toBe('of a person\n');
});

test('without sketches, changes by a reviewer still count as its own after a resume', async () => {
  const { project, calls } = await makeProject();
  const words = [...design, '--sketches', '0', '--quick', '--dialectic', 'off', 'limits'];
  const { code, stray } = await runAndDirty(words, project, calls, 'plan-review');
  expect(code).toBe(7);
  const [run = ''] = runsOf(project);
  const cancelled = await charrette(['answer', run, 'dirty-tree-plan-review-collection=cancel'], {
    cwd: project,
  });
  expect([cancelled.code, existsSync(stray)]).toEqual([5, true]);
  rmSync(path.join(project, '.charrette', 'store'), { recursive: true });
  const resumed = await charrette(['resume', run], { cwd: project });
  expect(resumed.stderr).toContain('Cancelled at plan-review-collection. An agent changed the working tree');
  rmSync(stray);
  const ended = await charrette(['resume', run], { cwd: project });
  expect(ended.code, ended.stderr).toBe(0);
});

test('L-425: a tree that is changed again in a second round of review is asked about again, not undone by the answer to the first', async () => {
  const { project, calls } = await makeProject({ mode: 'rounds' });
  const flags = ['--quick', '--dialectic', 'off', '--panel', 'pair', '--review-rounds', '2'];
  const first = await runAndDirty([...design, ...flags, 'add rate limiting'], project, calls, 'plan-review');
  expect(first.code).toBe(7);
  const [run = ''] = runsOf(project);
  const answer = ['answer', run, 'dirty-tree-plan-review-collection=restore'];
  const second = await runAndDirty(answer, project, calls, 'plan-review');
  expect(second.code).toBe(7);
  expect(second.stderr).toContain('dirty-tree-plan-review-collection-2: An agent changed the working tree');
  expect(existsSync(second.stray)).toBe(true);
  const ended = await charrette(['answer', run, 'dirty-tree-plan-review-collection-2=restore'], {
    cwd: project,
  });
  expect(ended.code).toBe(6);
  expect(existsSync(second.stray)).toBe(false);
});

test('L-006, L-250, L-251, L-252, L-258, L-262, L-265, L-267: the isolated phase runs once in a separate process, up to step 4 with --auto', async () => {
  const { project, calls } = await makeProject();
  const ended = await charrette([...design, '--subagent', 'add rate limiting'], { cwd: project });
  expect(ended.code).toBe(0);
  const [run = ''] = runsOf(project);
  const root = rootOf(project, run);
  const job = JSON.parse(readFileSync(path.join(root, 'heavy', 'job.json'), 'utf8')) as {
    inputs: { feature: string; project: string };
    artifacts: string;
  };
  expect(job).toMatchObject({ run, artifacts: path.join(root, 'artifacts') });
  expect(job.inputs).toMatchObject({ feature: 'add rate limiting', project });
  // The parent itself did no heavy step; the worker did all of them, and waited for everything it started.
  const told = readEvents(path.join(root, 'events.jsonl'));
  const own = told.filter(({ id }) => !id.startsWith('heavy '));
  const phases = own.flatMap((event) => (event.type === 'phase-start' ? [event.phase] : []));
  expect(phases).toEqual(['0', '1c', '1d', '2a', '5']);
  const worker = readEvents(path.join(root, 'heavy', '.charrette', 'runs', 'heavy', 'events.jsonl'));
  expect(worker.flatMap((event) => (event.type === 'phase-start' ? [event.phase] : []))).toEqual([
    '2a',
    '2a.5',
    '2b',
    '3',
    '3.5',
    '3b',
    '4',
  ]);
  const lanes = (type: string) => worker.filter((event) => event.type === type).length;
  expect(lanes('lane-end')).toBe(lanes('lane-queue'));
  // Observers of the run see every step and lane of the worker once, in order.
  const seen = (events: readonly RunEvent[]) =>
    events.flatMap((event) =>
      'lane' in event
        ? [`${event.type} ${event.lane}`]
        : event.type.startsWith('phase-') && 'phase' in event
          ? [`${event.type} ${event.phase}`]
          : [],
    );
  const opened = seen(told).indexOf('phase-start 2a');
  expect(seen(told).slice(opened, -2)).toEqual(seen(worker));
  expect(seen(told).slice(-2)).toEqual(['phase-start 5', 'phase-end 5']);
  expect(callsIn(calls).filter((call) => call.startsWith('sketch '))).toHaveLength(4);
  // What it wrote is shown from its files, and its calls are on the ledger of the run.
  for (const heading of ['Approach Synthesis', 'Implementation Plan', 'Architecture Diagram'])
    expect(ended.stdout.split(`## ${heading}\n`)).toHaveLength(2);
  expect(readLedger(path.join(root, 'ledger.jsonl'))).toHaveLength(callsIn(calls).length);
  expect(artifactsOf(project, run)['plan.txt']).toContain('The limit comes from the configuration.');
});

test('L-006: quick mode needs no worker', async () => {
  const { project } = await makeProject();
  const ended = await charrette([...design, '--subagent', '--quick', 'add rate limiting'], { cwd: project });
  expect(ended.code).toBe(0);
  const [run = ''] = runsOf(project);
  expect(existsSync(path.join(rootOf(project, run), 'heavy'))).toBe(false);
});

test('L-266, panel/C-09: a changed tree inside the worker is asked about by the parent, then the phase continues where it was', async () => {
  const { project, calls } = await makeProject();
  const { code, stray } = await runAndDirty(
    [...design, '--subagent', 'add rate limiting'],
    project,
    calls,
    'sketch',
  );
  expect(code).toBe(7);
  const [run = ''] = runsOf(project);
  const ended = await charrette(['answer', run, 'dirty-tree-sketch-collection=restore'], { cwd: project });
  expect(ended.code).toBe(0);
  expect(existsSync(stray)).toBe(false);
  expect(callsIn(calls).filter((call) => call.startsWith('sketch '))).toHaveLength(4);
  // Two turns of the worker, and every lane is reported once.
  const queued = readEvents(path.join(rootOf(project, run), 'events.jsonl')).flatMap((event) =>
    event.type === 'lane-queue' ? [event.lane] : [],
  );
  expect(queued.filter((lane) => lane.includes('sketch'))).toHaveLength(4);
  expect(new Set(queued).size).toBe(queued.length);
});
