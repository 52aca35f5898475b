import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCharrette, until } from '../support/live-program.ts';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';
import { artifactsOf, callsIn, charrette, fixed, holdTask, makeProject, runsOf } from '../support/program.ts';

const installed = findPostgres() !== undefined;
if (!installed)
  process.stderr.write(
    '\nNOT RUN: the tests on a PostgreSQL server. Install Debian’s package postgresql, or run scripts/ci-machine.sh.\n\n',
  );

const quick = ['design', '--auto', '--quick', '--dialectic', 'off', '--no-branch'];
let server: Postgres;
let shared: { CHARRETTE_DATABASE_URL: string };

describe.skipIf(!installed)('with the store on a PostgreSQL server', () => {
  beforeAll(async () => {
    server = await startPostgres({ durable: false });
    shared = { CHARRETTE_DATABASE_URL: server.url };
  });
  afterAll(() => server?.stop());

  test('a run killed with -9 resumes, repeats no finished call and leaves what an undisturbed one leaves', async () => {
    const env = { ...shared, ...fixed };
    const undisturbed = await makeProject();
    // The same run id in two projects of one store would be one run.
    const reference = await charrette([...quick, '--yes', 'limits'], {
      cwd: undisturbed.project,
      env: { ...env, CHARRETTE_FIXED_ID: '00000002' },
    });
    expect(reference).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Warning') });
    const { project, calls } = await makeProject();
    const release = holdTask(calls, 'plan');
    const live = startCharrette([...quick, '--yes', 'limits'], { cwd: project, env });
    await live.says(/2a\.5: dialectic/);
    live.kill('SIGKILL');
    await live.ended;
    release();
    const [run = ''] = runsOf(project);
    const before = callsIn(calls);
    expect(before.filter((call) => call.startsWith('sketch'))).toHaveLength(2);

    const list = JSON.parse((await charrette(['runs', '--json'], { cwd: project, env: shared })).stdout);
    expect(list.runs).toMatchObject([{ run, status: 'interrupted' }]);
    const resumed = await charrette(['resume', '--json'], { cwd: project, env });
    expect(resumed).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Warning') });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ run, status: 'done' });
    expect(callsIn(calls).filter((call) => call.startsWith('sketch'))).toHaveLength(2);

    const [other = ''] = runsOf(undisturbed.project);
    const plain = (folder: string, id: string) =>
      JSON.parse(JSON.stringify(artifactsOf(folder, id)).replaceAll(id, 'RUN').replaceAll(folder, 'PROJECT'));
    expect(plain(project, run)).toEqual(plain(undisturbed.project, other));
  });

  test('of two processes that resume one run one does it; a process in another project does not take it away', async () => {
    const { project, calls } = await makeProject();
    const release = holdTask(calls, 'plan');
    const killed = startCharrette([...quick, '--yes', 'limits'], { cwd: project, env: shared });
    const plans = () => callsIn(calls).filter((call) => call.startsWith('plan ')).length;
    await until(() => plans() > 0);
    killed.kill('SIGKILL');
    await killed.ended;
    const other = await makeProject({ delayMs: 300 });
    const busy = startCharrette([...quick, '--yes', 'elsewhere'], { cwd: other.project, env: shared });
    await busy.says('Sketches');
    const [run = ''] = runsOf(project);
    const two = [1, 2].map(() => charrette(['resume', run], { cwd: project, env: shared }));
    // The first to end is the one that was refused: the other cannot get past its plan.
    await Promise.race(two);
    release();
    const both = await Promise.all(two);
    const [done, refused] = both.sort((one, two) => (one.code ?? 9) - (two.code ?? 9));
    expect(done?.code, done?.stderr).toBe(0);
    expect(refused?.stderr).toContain(`${run} is running in process`);
    const before = callsIn(calls).filter((call) => !call.startsWith('plan '));
    expect(before).toEqual([...new Set(before)]);
    // One that was in flight had no answer.
    expect(plans()).toBe(2);
    expect((await busy.ended).code).toBe(0);
  });

  test('a question is answered from a second terminal while the first one works on another run', async () => {
    const { project } = await makeProject({ delayMs: 200 });
    const busy = startCharrette([...quick, '--yes', 'first'], { cwd: project, env: shared });
    await busy.says('Sketches');
    const paused = await charrette([...quick, '--json', 'second'], { cwd: project, env: shared });
    expect(paused.code).toBe(7);
    const { run } = JSON.parse(paused.stdout);
    const answered = await charrette(['answer', run, 'consent=yes', '--json'], { cwd: project, env: shared });
    expect(answered.code).toBe(0);
    expect(JSON.parse(answered.stdout)).toMatchObject({ run, status: 'done' });
    expect((await busy.ended).code).toBe(0);
    const list = JSON.parse((await charrette(['runs', '--json'], { cwd: project, env: shared })).stdout);
    expect(list.runs.map(({ status }: { status: string }) => status)).toEqual(['done', 'done']);
  });

  test('a live run is cancelled from a second terminal', async () => {
    const { project } = await makeProject({ delayMs: 60_000 });
    const live = startCharrette([...quick, '--yes', '--json', 'slow'], { cwd: project, env: shared });
    await live.says('Sketches');
    const [run = ''] = runsOf(project);
    const record = path.join(project, '.charrette', 'runs', run, 'run.json');
    await until(() => readFileSync(record, 'utf8').includes('"pid"'));
    expect((await charrette(['cancel', run], { cwd: project, env: shared })).code).toBe(0);
    const ended = await live.ended;
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({ run, status: 'cancelled' });
  });

  test('reports an unreachable server', async () => {
    const { project } = await makeProject();
    const env = { CHARRETTE_DATABASE_URL: 'postgresql://charrette@127.0.0.1:1/postgres' };
    const ended = await charrette([...quick, '--yes', '--json', 'limits'], { cwd: project, env });
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: 'store-unreachable', retryable: true } });
    const storeOf = async (url: string) => {
      const doctor = await charrette(['doctor', '--json'], {
        cwd: project,
        env: { CHARRETTE_DATABASE_URL: url },
      });
      return JSON.parse(doctor.stdout).store;
    };
    expect(await storeOf(env.CHARRETTE_DATABASE_URL)).toMatchObject({
      kind: 'shared',
      problem: expect.stringContaining('Cannot reach the PostgreSQL database'),
    });
    for (const url of [server.url, server.url.replace(/postgres$/, 'nobody_made_it')])
      expect(await storeOf(url)).not.toHaveProperty('problem');
  });
});
