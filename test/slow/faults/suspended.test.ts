import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { faultCase } from '../../support/fault-case.ts';
import { endAll, expectWhole, hasPostgres, quick, reaches, startRun } from '../../support/fault-run.ts';
import { makeFaultyProject, processesWith } from '../../support/faulty-project.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { callsIn, holdTask } from '../../support/program.ts';

afterAll(endAll);

/** Longer than the limit of a call, the patience with the store and everything else that is measured. */
const suspendedMs = 15_000;
const limits = { agentSeconds: 12 };
const patience = '12';

faultCase(
  'process stopped for longer than its limits',
  'its agents continue',
  async () => {
    const places = await makeFaultyProject({ limits });
    const release = holdTask(places.calls, 'sketch');
    const live = startRun([...quick, '--json', 'limits'], { cwd: places.project, env: {} });
    await reaches(live, () => callsIn(places.calls).length >= 2);
    live.kill('SIGSTOP');
    release();
    await sleep(suspendedMs);
    live.kill('SIGCONT');
    const ended = await live.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expectWhole(places);
    return 'their answers are taken, exit 0';
  },
  { further: true },
);

faultCase('process and agents stopped for longer than their limits', 'as a machine that sleeps', async () => {
  const places = await makeFaultyProject({ limits });
  const release = holdTask(places.calls, 'sketch');
  const live = startRun([...quick, '--json', 'limits'], { cwd: places.project, env: {} });
  await reaches(live, () => callsIn(places.calls).length >= 2);
  const all = [live.child.pid ?? 0, ...processesWith(places.calls)];
  for (const pid of all) signal(pid, 'SIGSTOP');
  await sleep(suspendedMs);
  for (const pid of all) signal(pid, 'SIGCONT');
  // The limits are checked while the agents still run.
  await sleep(1500);
  release();
  const ended = await live.ended;
  expect(ended.code, ended.stderr).toBe(0);
  expectWhole(places);
  return 'no limit passed, exit 0';
});

faultCase('holder of the store stopped', 'another process waits', async () => {
  const places = await makeFaultyProject({});
  const release = holdTask(places.calls, 'plan');
  const holder = startRun([...quick, 'first'], { cwd: places.project, env: {} });
  await holder.says('Sketches');
  const second = startRun([...quick, '--json', 'second'], { cwd: places.project, env: {} });
  await second.says('the store is held by process');
  holder.kill('SIGSTOP');
  await sleep(2000);
  expect(second.child.exitCode, 'the store of a living process is not taken away').toBe(null);
  holder.kill('SIGCONT');
  release();
  expect((await holder.ended).code).toBe(0);
  const ended = await second.ended;
  expect(ended.code, ended.stderr).toBe(0);
  return 'waited for, both exit 0';
});

/** One that has ended meanwhile needs none. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

describe.skipIf(!hasPostgres())('on PostgreSQL', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres({ durable: false });
  });
  afterAll(() => server.stop());

  faultCase(
    'process stopped for longer than its patience with the store',
    'while agents sketch',
    async () => {
      const places = await makeFaultyProject({ limits });
      const release = holdTask(places.calls, 'sketch');
      const env = { CHARRETTE_DATABASE_URL: server.url, CHARRETTE_DATABASE_RETRY_SECONDS: patience };
      const live = startRun([...quick, '--json', 'limits'], { cwd: places.project, env });
      await reaches(live, () => callsIn(places.calls).length >= 2);
      live.kill('SIGSTOP');
      release();
      await sleep(suspendedMs);
      live.kill('SIGCONT');
      const ended = await live.ended;
      expect(ended.code, ended.stderr).toBe(0);
      expectWhole(places);
      return 'continued, exit 0';
    },
  );
});
