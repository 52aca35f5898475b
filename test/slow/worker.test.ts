import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startCharrette, until } from '../support/live-program.ts';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';
import { artifactsOf, callsIn, charrette, holdTask, makeProject, runsOf } from '../support/program.ts';
import { newDatabase } from '../support/serving.ts';
import {
  cloneOf,
  configure,
  finishedCalls,
  keptCalls,
  type LiveWorker,
  recordOf,
  startWorker,
  timesIn,
} from '../support/worker-program.ts';

const installed = findPostgres() !== undefined;
const quick = ['design', '--auto', '--quick', '--dialectic', 'off', '--json', '--queue', '--yes'];
/** Longer than a busy machine keeps a living worker from its next beat. */
const silence = { heartbeatTimeoutSeconds: 5, drainSeconds: 5 };

describe.skipIf(!installed)('workers on a PostgreSQL server', () => {
  let server: Postgres;
  let client: pg.Client;
  let shared: { CHARRETTE_DATABASE_URL: string };
  const workers: LiveWorker[] = [];
  const start = async (project: string, ...args: string[]) => {
    const worker = await startWorker(project, shared, args);
    workers.push(worker);
    return worker;
  };
  beforeAll(async () => {
    server = await startPostgres({ durable: false });
  });
  afterAll(() => server?.stop());
  // The example repository is the same everywhere, so workers of one test would serve another.
  beforeEach(async ({ task }) => {
    const name = `store_${task.id.replace(/\W/g, '_')}`;
    shared = { CHARRETTE_DATABASE_URL: await newDatabase(server.url, name) };
    client = new pg.Client({ connectionString: shared.CHARRETTE_DATABASE_URL });
    client.on('error', () => {});
    await client.connect();
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) {
      worker.kill('SIGKILL');
      await worker.ended;
      if (process.env['SHOW_WORKERS'] !== undefined) process.stderr.write(`${worker.stderr()}\n`);
    }
    await client.end();
  });

  const queue = async (project: string, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await charrette([...quick, ...args], { cwd: project, env: shared });
    expect(code, stderr + stdout).toBe(0);
    return JSON.parse(stdout).run;
  };
  const limit = { timeout: 120_000 };
  /** Waits until a call of the task has begun, or so many. */
  const underWay = (calls: string, task: string, least = 1) =>
    until(() => callsIn(calls).filter((call) => call.startsWith(`${task} `)).length >= least, limit.timeout);
  const show = async (project: string, run: string) =>
    JSON.parse((await charrette(['show', run, '--json'], { cwd: project, env: shared })).stdout);

  test('the run of a worker killed with -9 is finished on another machine; no finished call is repeated', async () => {
    const { project, calls } = await makeProject();
    configure(project, { queue: silence });
    const [one, two] = [cloneOf(project, 'one'), cloneOf(project, 'two')];
    const run = await queue(project, '--no-branch', 'limits');
    expect((await show(project, run)).queue).toMatchObject({ state: 'queued', waits: 'no worker is there' });
    const release = holdTask(calls, 'plan');
    const first = await start(one);
    await underWay(calls, 'plan');
    // What only the lost machine knew cannot count.
    await expect.poll(async () => (await keptCalls(client, run)).length, limit).toBeGreaterThanOrEqual(3);
    first.kill('SIGKILL');
    await first.ended;
    release();
    const finished = await keptCalls(client, run);
    // Nothing of that machine is left.
    renameSync(one, `${one}-gone`);
    const second = await start(two);
    await second.says(`${run} ended: done`);
    for (const call of finished) expect(timesIn(callsIn(calls), call), call).toBe(timesIn(finished, call));
    // The terminal that queued it sees the same.
    const shown = await show(project, run);
    expect(shown).toMatchObject({ status: 'done' });
    expect(artifactsOf(project, run)).toEqual(artifactsOf(two, run));
    // So does the lost machine when it comes back, whatever its dead worker left lying there.
    renameSync(`${one}-gone`, one);
    expect(existsSync(path.join(one, '.charrette', 'runs', run, 'run.lock'))).toBe(true);
    expect(await show(one, run)).toMatchObject({ status: 'done' });
    expect(JSON.stringify(recordOf(two, run))).not.toContain(`${one}/`);
    second.kill('SIGTERM');
    await second.ended;
  });

  test('a suspended worker that wakes finds that it lost its run, stops it and starts again', async () => {
    const { project, calls } = await makeProject();
    configure(project, { queue: silence });
    const other = cloneOf(project, 'other');
    const run = await queue(project, '--no-branch', 'limits');
    const release = holdTask(calls, 'plan');
    const first = await start(project);
    await underWay(calls, 'plan');
    first.kill('SIGSTOP');
    const second = await start(other);
    await second.says(`claimed ${run}`);
    await underWay(calls, 'plan', 2);
    expect(finishedCalls(other, run).length).toBeGreaterThanOrEqual(3);
    const before = readFileSync(path.join(project, '.charrette', 'runs', run, 'events.jsonl'), 'utf8');
    first.kill('SIGCONT');
    await first.says(`lost ${run}`);
    release();
    await second.says(`${run} ended: done`);
    const after = readFileSync(path.join(project, '.charrette', 'runs', run, 'events.jsonl'), 'utf8');
    expect(after.slice(0, before.length)).toBe(before);
    for (const call of new Set(callsIn(calls)))
      expect(timesIn(callsIn(calls), call), call).toBeLessThanOrEqual(3);
    expect((await show(project, run)).status).toBe('done');
    // It serves again under another name.
    const next = await queue(project, '--no-branch', 'again');
    second.kill('SIGTERM');
    await second.ended;
    await first.says(`${next} ended: done`);
    first.kill('SIGTERM');
    await first.ended;
  });

  test('runs keep to workers with their labels and, when they work in the clone, to their clone', async () => {
    const { project } = await makeProject();
    configure(project, { queue: silence });
    const other = cloneOf(project, 'other');
    const labelled = await queue(project, '--no-branch', '--label', 'gpu', 'limits');
    const bound = await queue(project, 'on a branch');
    const plain = await start(other);
    const moving = await queue(project, '--no-branch', 'anywhere');
    await plain.says(`${moving} ended: done`);
    expect((await show(project, labelled)).queue.waits).toBe('no worker has the labels gpu');
    expect((await show(project, bound)).queue.waits).toContain('its work stays in the clone');
    const list = (await charrette(['runs'], { cwd: project, env: shared })).stdout;
    expect(list).toContain(`${labelled} waits: no worker has the labels gpu`);
    appendFileSync(path.join(other, 'README.md'), 'more\n');
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', 'commit', '--quiet', '-am', 'more'], {
      cwd: other,
    });
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: other, encoding: 'utf8' }).trim();
    const told = async () =>
      (await client.query("SELECT places->0->>'head' AS head FROM charrette.workers")).rows;
    await expect.poll(told, { timeout: 60_000 }).toEqual([{ head }]);
    const elsewhere = await queue(project, '--no-branch', 'at this commit');
    expect((await show(project, elsewhere)).queue.waits).toContain('it is about commit');
    const own = await start(project, '--label', 'gpu');
    for (const run of [labelled, bound, elsewhere]) await own.says(new RegExp(`${run} ended`));
    expect(plain.stderr()).not.toContain(`claimed ${bound}`);
    for (const worker of [plain, own]) worker.kill('SIGTERM');
    await Promise.all([plain.ended, own.ended]);
  });

  test('one worker serves two repositories, each run in its own clone', async () => {
    const [shop, billing] = [(await makeProject()).project, (await makeProject()).project];
    execFileSync('git', ['remote', 'add', 'origin', 'https://example.com/billing.git'], { cwd: billing });
    const runs = [
      await queue(shop, '--no-branch', 'limits'),
      await queue(billing, '--no-branch', 'invoices'),
    ] as const;
    const worker = await start(shop, '--repository', shop, '--repository', billing);
    for (const run of runs) await worker.says(`${run} ended: done`);
    expect(recordOf(shop, runs[0]).status).toBe('done');
    expect(recordOf(billing, runs[1]).status).toBe('done');
    expect(existsSync(path.join(shop, '.charrette', 'runs', runs[1]))).toBe(false);
    expect(existsSync(path.join(billing, '.charrette', 'runs', runs[0]))).toBe(false);
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  });

  test('a run with a file too large to travel stays in the clone where it was worked on, with the reason', async () => {
    const { project, calls } = await makeProject();
    configure(project, { queue: silence });
    const [one, two] = [cloneOf(project, 'one'), cloneOf(project, 'two')];
    holdTask(calls, 'synthesis');
    const run = await queue(project, '--no-branch', 'limits');
    const first = await start(one);
    await underWay(calls, 'synthesis');
    const big = path.join(one, '.charrette', 'runs', run, 'artifacts', 'big.txt');
    writeFileSync(big, Buffer.alloc(8 * 1024 * 1024 + 1, 'x'));
    const release = holdTask(calls, 'plan');
    await underWay(calls, 'plan');
    first.kill('SIGKILL');
    await first.ended;
    release();
    const second = await start(two);
    await second.says('timed out');
    const { waits } = (await show(project, run)).queue;
    expect(waits).toContain(`its work stays in the clone`);
    expect(waits).toContain('artifacts/big.txt is larger than 8388608 bytes');
    // Not even the clone it was queued in: what it has of the run is old.
    const queued = await start(project);
    expect((await show(project, run)).queue.waits).toContain(`/one`);
    const third = await start(one);
    await third.says(`${run} ended: done`);
    expect(second.stderr() + queued.stderr()).not.toContain(`claimed ${run}`);
    const all = callsIn(calls).filter((call) => !call.startsWith('plan '));
    expect(all).toEqual([...new Set(all)]);
  });

  test('a run moves from the embedded store to the server and back with resume, and repeats no finished call', async () => {
    const { project, calls } = await makeProject();
    const plain = ['design', '--auto', '--quick', '--dialectic', 'off', '--no-branch', '--yes', 'limits'];
    holdTask(calls, 'plan');
    const embedded = startCharrette(plain, { cwd: project });
    await underWay(calls, 'plan');
    embedded.kill('SIGKILL');
    await embedded.ended;
    const run = runsOf(project).at(-1) ?? '';
    const before = finishedCalls(project, run);
    expect(before.some((call) => call.startsWith('synthesis '))).toBe(true);
    const release = holdTask(calls, 'plan-review');
    const served = startCharrette(['resume'], { cwd: project, env: shared });
    await underWay(calls, 'plan-review');
    served.kill('SIGTERM');
    await served.ended;
    release();
    const finished = finishedCalls(project, run);
    expect(finished.filter((call) => !before.includes(call))).toEqual(['plan author 1']);
    const back = await charrette(['resume', '--json'], { cwd: project });
    expect(JSON.parse(back.stdout)).toMatchObject({ status: 'done' });
    for (const call of before) expect(timesIn(callsIn(calls), call), call).toBe(1);
    // Killed in the middle the first time, finished the second.
    expect(timesIn(callsIn(calls), 'plan author 1')).toBe(2);
  });
});
