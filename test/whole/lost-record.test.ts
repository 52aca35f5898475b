// A killed run whose public record was deleted or emptied: `resume` hung without end, or said "design complete!" with files missing.
import { readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { endAll, expectWhole, quick, reaches, startRun } from '../support/fault-run.ts';
import { callsIn, charrette, holdTask, makeProject, runsOf } from '../support/program.ts';

afterAll(endAll);

const damages = {
  deleted: (target: string) => rmSync(target, { recursive: true }),
  emptied(target: string) {
    for (const file of filesIn(target)) truncateSync(file);
  },
};

describe.each(['deleted', 'emptied'] as const)('a killed run resumes when its record was %s', (how) => {
  test('events.jsonl: rebuilt from the journal, named as lost', async () => {
    const { project, calls, root, run } = await killedRun();
    const before = eventsOf(root).filter(({ type }) => type === 'phase-start' || type === 'lane-end');
    damages[how](path.join(root, 'events.jsonl'));

    const resumed = await charrette(['resume', run, '--yes'], { cwd: project });
    expect(resumed.code, resumed.stderr).toBe(0);
    expectWhole({ project, calls }, undefined, isReview);
    expect(resumed.stderr).toContain('events.jsonl was deleted or emptied');
    expect(JSON.parse(readFileSync(path.join(root, 'run.json'), 'utf8')).lost).toEqual(['events.jsonl']);
    const named = (events: Event[]) => events.map(({ type, phase, lane }) => `${type} ${phase ?? lane}`);
    expect(named(eventsOf(root))).toEqual(expect.arrayContaining(named(before)));
  });

  test('artifacts: every file is written again', async () => {
    const { project, calls, root, run } = await killedRun();
    const before = contentsOf(path.join(root, 'artifacts'));
    expect(Object.keys(before)).toContain('plan.txt');
    damages[how](path.join(root, 'artifacts'));

    const resumed = await charrette(['resume', run, '--yes'], { cwd: project });
    expect(resumed.code, resumed.stderr).toBe(0);
    expectWhole({ project, calls }, undefined, isReview);
    expect(resumed.stderr).toContain('artifacts were deleted or emptied');
    const after = contentsOf(path.join(root, 'artifacts'));
    expect(Object.keys(after)).toEqual(expect.arrayContaining(Object.keys(before)));
    for (const name of Object.keys(before)) expect(after[name], name).not.toBe('');
    expect(after['approach-synthesis.txt']).toBe(before['approach-synthesis.txt']);
  });
});

type Event = { type: string; phase?: string; lane?: string };

/** The call in which the run was killed is made again. */
const isReview = (call: string) => call.startsWith('plan-review ');

/** Killed while the plan is being reviewed. */
async function killedRun() {
  const { project, calls } = await makeProject();
  const release = holdTask(calls, 'plan-review');
  const live = startRun([...quick, 'limits'], { cwd: project, env: {} });
  await reaches(live, () => callsIn(calls).some(isReview));
  live.kill('SIGKILL');
  await live.ended;
  release();
  const [run = ''] = runsOf(project);
  return { project, calls, run, root: path.join(project, '.charrette', 'runs', run) };
}

function eventsOf(root: string): Event[] {
  const lines = readFileSync(path.join(root, 'events.jsonl'), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Event);
}

function filesIn(target: string): string[] {
  if (!target.endsWith('artifacts')) return [target];
  const entries = readdirSync(target, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
}

function contentsOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    filesIn(folder).map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')]),
  );
}
