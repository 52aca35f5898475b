import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { faultCase } from '../../support/fault-case.ts';
import { endAll, expectWhole, quick, reaches, startRun } from '../../support/fault-run.ts';
import {
  type FaultyProject,
  faultyAgents,
  lanesOf,
  makeFaultyProject,
  processesWith,
} from '../../support/faulty-project.ts';
import { runsOf } from '../../support/program.ts';

afterAll(endAll);

/** Whom the case kills, once the first sketch of one agent has come half-way. */
const victims: [string, 'halts' | 'waits', (places: FaultyProject, run: string) => number[]][] = [
  ['agent', 'halts', (places) => faultyAgents(places)],
  ['jail of an agent', 'halts', ({ project }, run) => lanesOf(project, run).map(({ pid }) => pid)],
  ['child of an agent', 'waits', ({ calls }) => processesWith(`child of ${calls}`)],
];

for (const [victim, mode, find] of victims) {
  faultCase(`${victim} killed with -9`, 'in the middle of an answer', async () => {
    const places = await makeFaultyProject({ mode });
    const live = startRun([...quick, '--json', 'limits'], { cwd: places.project, env: {} });
    const halted = () => find(places, runsOf(places.project)[0] ?? 'none');
    await reaches(live, () => runsOf(places.project).length > 0);
    await reaches(live, () => isHalfWay(places, mode) && halted().length === 1);
    for (const pid of halted()) process.kill(pid, 'SIGKILL');
    const ended = await live.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expectWhole(places);
    expect(processesWith(places.calls)).toEqual([]);
    const retries = eventsOf(places).filter(({ type }) => type === 'lane-retry');
    // An agent whose child dies may still answer; one that dies itself has not answered.
    expect(retries.map(({ kind }) => kind)).toEqual(mode === 'waits' ? [] : ['crash']);
    return mode === 'waits' ? 'the agent answered, exit 0' : 'named as crash, asked again, exit 0';
  });
}

/** Half an answer stands in the lane's stream; an agent that waits has started its child. */
function isHalfWay({ project, calls }: FaultyProject, mode: string): boolean {
  const [run = ''] = runsOf(project);
  if (mode === 'waits') return processesWith(`child of ${calls}`).length > 0;
  return lanesOf(project, run).some(({ lane }) => {
    const stream = path.join(project, '.charrette', 'runs', run, 'lanes', lane, 'stream.jsonl');
    return existsSync(stream) && readFileSync(stream, 'utf8').length > 0;
  });
}

function eventsOf({ project }: FaultyProject): { type: string; kind?: string }[] {
  const [run = ''] = runsOf(project);
  const file = path.join(project, '.charrette', 'runs', run, 'events.jsonl');
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
