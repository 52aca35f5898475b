import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { faultCase } from '../../support/fault-case.ts';
import { endAll, expectWhole, hasPostgres, quick, reaches, startRun } from '../../support/fault-run.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { callsIn, charrette, holdTask, makeProject, runsOf } from '../../support/program.ts';
import { failingDisk, unmountAll, unmountable } from '../../support/small-disk.ts';

afterAll(() => {
  endAll();
  unmountAll();
});

/** The disk refuses writes from the middle of a task; after the fix the run continues with what it has. */
async function turnsReadOnly(task: string, env: Record<string, string>): Promise<string> {
  const disk = failingDisk(192);
  if (disk === undefined) return unmountable;
  const { project: made, calls } = await makeProject();
  const project = path.join(disk.folder, 'shop');
  cpSync(made, project, { recursive: true });
  const release = holdTask(calls, task);
  const live = startRun([...quick, '--json', 'limits'], { cwd: project, env });
  const isUnderWay = (call: string) => call.startsWith(`${task} `);
  await reaches(live, () => callsIn(calls).some(isUnderWay));
  disk.turnReadOnly();
  release();
  const ended = await live.ended;
  expect(ended.code, ended.stderr + ended.stdout).toBe(5);
  expect(JSON.parse(ended.stdout).error, ended.stderr).toMatchObject({ code: 'permission-denied' });
  const before = callsIn(calls);
  const refused = await charrette(['resume', '--json'], { cwd: project, env });
  expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([5, 'permission-denied']);
  expect(callsIn(calls)).toEqual(before);
  await disk.repair();
  expect(existsSync(path.join(project, '.charrette', 'store.corrupt'))).toBe(false);
  const [run = ''] = runsOf(project);
  const resumed = await charrette(['resume', run], { cwd: project, env });
  expect(resumed.code, resumed.stderr).toBe(0);
  // The answers that found no disk are asked for once more, and no others.
  expectWhole({ project, calls }, run, isUnderWay);
  for (const call of new Set(callsIn(calls).filter(isUnderWay)))
    expect(callsIn(calls).filter((other) => other === call).length, call).toBeLessThanOrEqual(2);
  return 'permission-denied, exit 5; resume completed it';
}

for (const [index, task] of ['sketch', 'plan'].entries())
  faultCase('disk turns read-only', `embedded store, during a ${task}`, () => turnsReadOnly(task, {}), {
    further: index > 0,
  });

describe.skipIf(!hasPostgres())('on PostgreSQL', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres({ durable: false });
  });
  afterAll(() => server.stop());

  faultCase('disk turns read-only', 'store on PostgreSQL, during a sketch', () =>
    turnsReadOnly('sketch', { CHARRETTE_DATABASE_URL: server.url }),
  );
});
