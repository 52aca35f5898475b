import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { faultCase } from '../../support/fault-case.ts';
import { endAll, expectWhole, quick, reaches, startRun } from '../../support/fault-run.ts';
import {
  agentsOf,
  type FaultyProject,
  lanesOf,
  makeFaultyProject,
  processesWith,
} from '../../support/faulty-project.ts';
import { makeLiteProject } from '../../support/lite-project.ts';
import { callsIn, charrette, runsOf } from '../../support/program.ts';
import { damageOf } from '../../support/whole-run.ts';

afterAll(endAll);

/** Whom the case kills, once the first sketch of one agent has come half-way. */
const victims: [string, 'halts' | 'waits', (places: FaultyProject, run: string) => number[]][] = [
  ['agent', 'halts', (places) => agentsOf(places)],
  ['jail of an agent', 'halts', ({ project }, run) => lanesOf(project, run).map(({ pid }) => pid)],
  ['child of an agent', 'waits', ({ calls }) => processesWith(`child of ${calls}`)],
];

for (const [victim, mode, find] of victims) {
  faultCase(`${victim} killed with -9`, 'in the middle of a sketch', async () => {
    const places = await makeFaultyProject({ mode });
    await killInRun(places, { words: quick, mode, find });
    // An agent whose child dies may still answer; one that dies itself has not answered.
    expect(retriesOf(places)).toEqual(mode === 'waits' ? [] : ['crash']);
    return mode === 'waits' ? 'the agent answered, exit 0' : 'named as crash, asked again, exit 0';
  });
}

/** Who is killed in a later phase of a design, and in which task. */
const later: [string, string][] = [
  ['judge', 'judge'],
  ['planner', 'plan'],
  ['reviewer', 'plan-review'],
  ['voter', 'vote'],
];

for (const [who, task] of later) {
  faultCase(
    'agent killed with -9',
    `in the middle of the answer of a ${who}`,
    async () => {
      const places = await makeFaultyProject({ mode: 'halts', task });
      const words = ['design', '--auto', '--yes', '--no-branch'];
      await killInRun(places, { words, mode: 'halts', find: () => agentsOf(places) });
      expect(retriesOf(places)).toEqual(['crash']);
      expect(callsIn(places.calls)).toContainEqual(expect.stringMatching(new RegExp(`^${task} \\S+ 2$`)));
      return 'named as crash, asked again, exit 0';
    },
    { further: true },
  );
}

faultCase('agent killed with -9', 'in the middle of the edits of an executor', async () => {
  const places = makeLiteProject('hang:TASK-002');
  const { project, calls, git } = places;
  const planned = await charrette(['lite-plan', '-y', '--plan-only', '--json', 'add the numbers'], {
    cwd: project,
  });
  expect(planned.code, planned.stderr).toBe(0);
  const { run: plan } = JSON.parse(planned.stdout);
  const words = ['lite-execute', '--run', plan, '-y', '--one-task-per-call', '--executor', 'one', '--json'];
  const live = startRun(words, { cwd: project, env: {} });
  await reaches(live, () => existsSync(`${calls}.hung`) && agentsOf(places).length === 1);
  for (const pid of agentsOf(places)) process.kill(pid, 'SIGKILL');
  const ended = await live.ended;
  expect(ended.code, ended.stderr).toBe(0);
  const { run } = JSON.parse(ended.stdout);
  expect(damageOf(project, run, [])).toEqual([]);
  expect(retriesOf({ project }, run)).toEqual(['crash']);
  expect(processesWith(calls)).toEqual([]);
  // The next one begins with what the tasks before gave, without the half-done edits.
  const [, ...left] = readFileSync(`${calls}.second`, 'utf8').trim().split('\n');
  expect(left).toEqual([]);
  expect(git('show', 'HEAD:src/index.mjs')).not.toContain('half');
  expect(git('ls-tree', '-r', '--name-only', 'HEAD')).not.toContain('half');
  expect([git('status', '--porcelain'), git('worktree', 'list').split('\n').length]).toEqual(['', 1]);
  return 'named as crash, edits undone, asked again, exit 0';
});

/** Kills once the answer has come half-way; the run completes, whole, and nothing of the killed one survives. */
async function killInRun(
  places: FaultyProject,
  how: {
    words: readonly string[];
    mode: 'halts' | 'waits';
    find: (places: FaultyProject, run: string) => number[];
  },
): Promise<void> {
  const live = startRun([...how.words, '--json', 'limits'], { cwd: places.project, env: {} });
  await reaches(live, () => runsOf(places.project).length > 0);
  // Looked for once: on a busy machine the next agent can have started by a second look.
  let found: number[] = [];
  await reaches(live, () => {
    found = isHalfWay(places, how.mode) ? how.find(places, runsOf(places.project)[0] ?? 'none') : [];
    return found.length === 1;
  });
  for (const pid of found) process.kill(pid, 'SIGKILL');
  const ended = await live.ended;
  expect(ended.code, ended.stderr).toBe(0);
  expectWhole(places);
  expect(processesWith(places.calls)).toEqual([]);
}

/** The killed agent has half an answer in its lane's stream; a waiting agent has started its child. */
function isHalfWay({ project, calls }: FaultyProject, mode: string): boolean {
  if (!existsSync(`${calls}.caught`)) return false;
  const [run = ''] = runsOf(project);
  if (mode === 'waits') return processesWith(`child of ${calls}`).length > 0;
  return lanesOf(project, run).some(({ lane }) => {
    const stream = path.join(project, '.charrette', 'runs', run, 'lanes', lane, 'stream.jsonl');
    return existsSync(stream) && readFileSync(stream, 'utf8').length > 0;
  });
}

/** The kinds of the tries that failed. */
function retriesOf({ project }: { project: string }, run = runsOf(project)[0] ?? ''): string[] {
  const file = path.join(project, '.charrette', 'runs', run, 'events.jsonl');
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line): { type: string; kind: string } => JSON.parse(line))
    .filter(({ type }) => type === 'lane-retry')
    .map(({ kind }) => kind);
}
