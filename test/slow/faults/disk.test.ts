import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { writeFileAtomicSync } from '../../../src/base/files/atomic.ts';
import { AppendLog, readLog } from '../../../src/engine/event-log.ts';
import { faultCase } from '../../support/fault-case.ts';
import { hasPostgres, quick } from '../../support/fault-run.ts';
import { startCharrette, until } from '../../support/live-program.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { callsIn, charrette, holdTask, makeProject, runsOf } from '../../support/program.ts';
import { smallDisk, unmountAll, unmountable } from '../../support/small-disk.ts';
import { damageOf } from '../../support/whole-run.ts';

afterAll(unmountAll);

/** Takes all room but this much. */
function fill(disk: string, left: number): string {
  const ballast = path.join(disk, 'ballast');
  const free = Number(execFileSync('df', ['--output=avail', '-B1', disk]).toString().trim().split('\n')[1]);
  writeFileSync(ballast, Buffer.alloc(Math.max(0, free - left)));
  return ballast;
}

faultCase('disk full', 'in the middle of a line of the journal', async () => {
  const disk = smallDisk(256);
  if (disk === undefined) return unmountable;
  const file = path.join(disk, 'events.jsonl');
  const log = new AppendLog<{ id: string; text: string }>(file);
  const entry = (number: number) => ({ id: String(number), text: 'x'.repeat(1000) });
  const ballast = fill(disk, 32 * 1024);
  let written = 0;
  expect(() => {
    for (; written < 1000; written += 1) log.append(entry(written));
  }).toThrow('ENOSPC');
  rmSync(ballast);
  log.append(entry(written));
  log.close();
  expect(readLog(file).map(({ id }) => Number(id))).toEqual([...Array(written + 1).keys()]);
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(written + 2);
  return 'no line truncated, resumes once there is space';
});

faultCase('disk full', 'in the middle of a file', async () => {
  const disk = smallDisk(256);
  if (disk === undefined) return unmountable;
  const file = path.join(disk, 'questions.json');
  writeFileAtomicSync(file, 'before');
  fill(disk, 32 * 1024);
  expect(() => writeFileAtomicSync(file, 'x'.repeat(100_000))).toThrow('ENOSPC');
  expect(readFileSync(file, 'utf8')).toBe('before');
  return 'the old content is kept';
});

/** A run whose plan is being written, on a disk that then has this much room. */
async function filledRun(left: number) {
  const disk = smallDisk(160 * 1024);
  if (disk === undefined) return undefined;
  const made = await makeProject();
  const project = path.join(disk, 'shop');
  cpSync(made.project, project, { recursive: true });
  const release = holdTask(made.calls, 'plan');
  const live = startCharrette([...quick, '--json', 'limits'], { cwd: project });
  await until(() => callsIn(made.calls).some((call) => call.startsWith('plan')));
  return { live, release, ballast: fill(disk, left), project, calls: made.calls };
}

/** Resumes once there is space; calls whose answers found none are made again. */
async function resumeWithRoom(ballast: string, project: string, calls: string): Promise<void> {
  rmSync(ballast);
  const resumed = await charrette(['resume'], { cwd: project });
  expect(resumed.code, resumed.stderr).toBe(0);
  const [run = ''] = runsOf(project);
  const damage = damageOf(project, run, callsIn(calls));
  expect(damage.filter((problem) => !problem.startsWith('called again'))).toEqual([]);
  expect(damage.filter((problem) => problem.startsWith('called again: sketch'))).toEqual([]);
}

for (const left of [0, 40_000, 200_000])
  faultCase('disk full', `a run with the embedded store, ${left} bytes left`, async () => {
    const filled = await filledRun(left);
    if (filled === undefined) return unmountable;
    const { live, release, ballast, project, calls } = filled;
    release();
    const full = await live.ended;
    expect(full.code, full.stderr).toBe(1);
    expect(JSON.parse(full.stdout).error, full.stderr).toMatchObject({ code: 'disk-full' });
    await resumeWithRoom(ballast, project, calls);
    return 'disk-full, exit 1; resume completed it';
  });

faultCase('disk full', 'when the embedded store is opened after a kill', async () => {
  const filled = await filledRun(0);
  if (filled === undefined) return unmountable;
  const { live, release, ballast, project, calls } = filled;
  live.kill('SIGKILL');
  await live.ended;
  release();
  const full = await charrette(['resume', '--json'], { cwd: project });
  expect(full.code, full.stderr).toBe(1);
  expect(JSON.parse(full.stdout).error, full.stderr).toMatchObject({ code: 'disk-full' });
  expect(readdirSync(path.join(project, '.charrette'))).not.toContain('store.corrupt');
  await resumeWithRoom(ballast, project, calls);
  return 'disk-full, exit 1; the store stays and resume completed it';
});

describe.skipIf(!hasPostgres())('on PostgreSQL', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres({ durable: false });
  });
  afterAll(() => server.stop());

  faultCase('disk full', 'a run with its store on PostgreSQL', async () => {
    const disk = smallDisk(4096);
    if (disk === undefined) return unmountable;
    const env = { CHARRETTE_DATABASE_URL: server.url };
    const made = await makeProject();
    const project = path.join(disk, 'shop');
    cpSync(made.project, project, { recursive: true });
    const ballast = fill(disk, 120_000);
    const full = await charrette([...quick, '--json', 'limits'], { cwd: project, env });
    expect(full.code, full.stderr).toBe(1);
    expect(JSON.parse(full.stdout).error, full.stderr + full.stdout).toMatchObject({ code: 'disk-full' });
    rmSync(ballast);
    const [run] = runsOf(project);
    const resumed = await charrette(run === undefined ? [...quick, 'limits'] : ['resume', run], {
      cwd: project,
      env,
    });
    expect(resumed.code, resumed.stderr).toBe(0);
    const [complete = ''] = runsOf(project);
    // The one call whose answer found no room is made again.
    const again = damageOf(project, complete, callsIn(made.calls));
    expect(again.filter((problem) => !problem.startsWith('called again'))).toEqual([]);
    expect(again.length).toBeLessThanOrEqual(1);
    return 'disk-full, exit 1; resume completed it';
  });
});
