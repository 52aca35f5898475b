import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { faultCase } from '../../support/fault-case.ts';
import { endAll, expectWhole, quick, reaches, startRun } from '../../support/fault-run.ts';
import { makeFaultyProject } from '../../support/faulty-project.ts';
import { callsIn, holdTask, runsOf } from '../../support/program.ts';

afterAll(endAll);

const preload = path.resolve(import.meta.dirname, '..', '..', 'support', 'moved-clock.mjs');
const hour = 3_600_000;

/** A run whose calendar clock can be moved meanwhile; calls of the task `hold` wait until they are released. */
async function begin(options: Parameters<typeof makeFaultyProject>[0], hold = 'none') {
  const places = await makeFaultyProject(options);
  const release = holdTask(places.calls, hold);
  const file = path.join(path.dirname(places.project), 'offset.txt');
  const move = (ms: number) => writeFileSync(file, String(ms));
  move(0);
  const env = { NODE_OPTIONS: `--import ${preload}`, CLOCK_OFFSET_FILE: file };
  const start = (args: readonly string[]) => startRun(args, { cwd: places.project, env });
  return { places, move, start, release, live: start([...quick, '--json', 'limits']) };
}

for (const [title, ms] of [
  ['back by an hour', -hour],
  ['forward by a day', 24 * hour],
] as const) {
  faultCase(`clock set ${title}`, 'while agents sketch', async () => {
    const { places, move, live } = await begin({ delayMs: 500, limits: { agentSeconds: 300 } });
    await reaches(live, () => callsIn(places.calls).length >= 2);
    move(ms);
    const ended = await live.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expectWhole(places);
    expect(eventsOf(places.project).filter(({ type }) => type === 'lane-retry')).toEqual([]);
    return 'no limit passed, times in order, exit 0';
  });
}

faultCase('clock set back by an hour', 'while a refused call waits for its next try', async () => {
  const { places, move, live } = await begin({ mode: 'busy' });
  await reaches(live, () => eventsOf(places.project).some(({ type }) => type === 'lane-retry'));
  move(-hour);
  const ended = await live.ended;
  expect(ended.code, ended.stderr).toBe(0);
  expectWhole(places);
  return 'waited no longer, exit 0';
});

faultCase('clock set back by a day', 'between a kill -9 and the resume', async () => {
  const { places, move, start, release, live } = await begin({}, 'plan');
  await live.says(/2a\.5: dialectic/);
  live.kill('SIGKILL');
  await live.ended;
  release();
  move(-24 * hour);
  const resumed = start(['resume', '--json']);
  const ended = await resumed.ended;
  expect(ended.code, ended.stderr).toBe(0);
  const [run = ''] = runsOf(places.project);
  const times = eventsOf(places.project).map(({ time }) => time);
  expect(times).toEqual([...times].sort());
  expect(eventsOf(places.project).filter(({ elapsedMs }) => (elapsedMs ?? 0) < 0)).toEqual([]);
  expect(JSON.parse(ended.stdout)).toMatchObject({ run, status: 'done' });
  return 'times in order, exit 0';
});

type Event = { type: string; time: string; elapsedMs?: number };

function eventsOf(project: string): Event[] {
  const [run] = runsOf(project);
  if (run === undefined) return [];
  try {
    const text = readFileSync(path.join(project, '.charrette', 'runs', run, 'events.jsonl'), 'utf8');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}
