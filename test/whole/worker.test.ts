import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEvents } from '../../src/engine/event-log.ts';
import { type BeatNews, Heartbeat } from '../../src/engine/queue/heartbeat.ts';
import { openQueue } from '../../src/engine/queue/queue.ts';
import type { Place } from '../../src/engine/queue/workers.ts';
import { registerWorker, removeWorker } from '../../src/engine/queue/workers.ts';
import { homeOf, runDirectoryOf } from '../../src/engine/run-directory.ts';
import { until } from '../support/live-program.ts';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';
import { callsIn, charrette, holdTask, makeProject, runsOf } from '../support/program.ts';
import { recordOf, startWorker } from '../support/worker-program.ts';

const installed = findPostgres() !== undefined;
const quick = ['design', '--auto', '--quick', '--dialectic', 'off', '--no-branch', '--json', '--queue'];
let heart: Heartbeat | undefined;
let server: Postgres;
let shared: { CHARRETTE_DATABASE_URL: string };

test('a worker and a queue need a shared store; nothing is left behind without one', async () => {
  const { project } = await makeProject();
  for (const args of [
    ['worker', '--json'],
    [...quick, 'limits'],
  ]) {
    const { code, stdout } = await charrette(args, { cwd: project });
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.message).toContain('No shared store is configured');
  }
  expect(runsOf(project)).toEqual([]);
});

describe.skipIf(!installed)('with a queue on a PostgreSQL server', () => {
  beforeAll(async () => {
    server = await startPostgres({ durable: false });
    shared = { CHARRETTE_DATABASE_URL: server.url };
  });
  afterAll(() => server?.stop());

  const queue = async (project: string, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await charrette([...quick, ...args], { cwd: project, env: shared });
    expect(code, stderr).toBe(0);
    const { run, status } = JSON.parse(stdout);
    expect(status).toBe('queued');
    return run;
  };

  test('a transaction whose connection the server ended fails alone, and the next one goes through', async () => {
    const queue = await openQueue(server.url);
    const served = () => queue.pool.query('SELECT 1 AS one');
    const ended = queue.transaction(async (client) => {
      const { rows } = await client.query('SELECT pg_backend_pid() AS backend');
      const gone = new Promise((resolve) => client.once('end', resolve));
      await queue.pool.query('SELECT pg_terminate_backend($1)', [rows[0].backend]);
      // As in a process that was suspended: the connection ends while it is held and nothing is asked.
      await gone;
      return client.query('SELECT 1');
    });
    await expect(ended).rejects.toThrow(/not queryable|terminated|closed/);
    expect((await served()).rows).toEqual([{ one: 1 }]);
    await queue.close();
  });

  test('a worker sends heartbeats while its main thread is busy, but not while it hangs', async () => {
    const queue = await openQueue(server.url);
    const longestGap = async (worker: string, hungMs: number, busyMs: number): Promise<number> => {
      await registerWorker(queue, { worker, host: 'h', pid: 1, labels: [], places: [], codeVersion: '0' });
      const gaps: number[] = [];
      let told = () => {};
      const news = (news: BeatNews) => {
        if (news.type === 'beat') gaps.push(news.gapSeconds);
        told();
      };
      const heart = new Heartbeat({ url: server.url, worker, silentMs: 2000, hungMs, news });
      const more = async () => {
        const before = gaps.length;
        while (gaps.length === before) await new Promise<void>((resolve) => (told = resolve));
      };
      await more();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs);
      // First come those that were sent meanwhile.
      await heart.fresh(new AbortController().signal);
      await more();
      await more();
      await heart.stop();
      await removeWorker(queue, worker);
      return Math.max(...gaps.slice(1));
    };
    // A machine that is busy itself holds a beat up now and then; a beat that the main thread held up would be late each time.
    let gap = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 3 && gap >= 5; tries += 1)
      gap = Math.min(gap, await longestGap('busy', 60_000, 6000));
    expect(gap).toBeLessThan(5);
    expect(await longestGap('hung', 1000, 6000)).toBeGreaterThan(4);
    await queue.close();
  });

  test('a removed worker learns it from its next heartbeat, and nothing starts before that', async () => {
    const queue = await openQueue(server.url);
    const places: Place[] = [];
    await registerWorker(queue, { worker: 'w', host: 'h', pid: 1, labels: [], places, codeVersion: '0' });
    const gone = new Promise<void>((resolve) => {
      const news = ({ type }: BeatNews) => {
        if (type === 'gone') resolve();
      };
      heart = new Heartbeat({ url: server.url, worker: 'w', silentMs: 1000, news });
    });
    await removeWorker(queue, 'w');
    await gone;
    await expect.poll(() => heart?.isFresh, { timeout: 20_000 }).toBe(false);
    const stop = new AbortController();
    const begun = heart?.fresh(stop.signal);
    stop.abort(new Error('removed'));
    await expect(begun).rejects.toThrow('removed');
    await heart?.stop();
    await queue.close();
  });

  test('a queued run waits for a worker, a person answers it from the terminal that queued it, another is cancelled', async () => {
    const { project, calls } = await makeProject();
    const run = await queue(project, 'limits');
    const list = JSON.parse((await charrette(['runs', '--json'], { cwd: project, env: shared })).stdout);
    expect(list.runs).toMatchObject([{ run, status: 'queued' }]);
    const doomed = await queue(project, '--yes', 'never');
    expect((await charrette(['cancel', doomed], { cwd: project, env: shared })).code).toBe(0);
    expect(recordOf(project, doomed).status).toBe('cancelled');
    const told = readEvents(runDirectoryOf(homeOf(project), doomed).events);
    expect(told).toMatchObject([{ type: 'run-end', status: 'cancelled' }]);

    const worker = await startWorker(project, shared);
    await worker.says(`${run} waits`);
    const answered = await charrette(['answer', run, 'consent=yes', '--json'], { cwd: project, env: shared });
    expect(answered.code, answered.stderr).toBe(0);
    const watched = await charrette(['watch', run, '--json'], { cwd: project, env: shared });
    expect(JSON.parse(watched.stdout)).toMatchObject({ run, status: 'done' });
    await worker.says(`${run} ended: done`);
    expect(callsIn(calls).length).toBeGreaterThan(3);
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    expect(worker.stderr()).not.toContain(doomed);
  });

  test('a stopped worker requeues its run; the next one continues and repeats no call', async () => {
    const { project, calls } = await makeProject();
    const release = holdTask(calls, 'synthesis');
    const run = await queue(project, '--yes', 'limits');
    const first = await startWorker(project, shared);
    await until(() => callsIn(calls).some((call) => call.startsWith('synthesis ')));
    first.kill('SIGTERM');
    // It waits for the call in progress.
    release();
    expect((await first.ended).code).toBe(0);
    expect(first.stderr()).toContain(`requeued ${run}`);
    expect(recordOf(project, run).status).toBe('queued');
    const second = await startWorker(project, shared);
    await second.says(`${run} ended: done`);
    second.kill('SIGTERM');
    await second.ended;
    expect(callsIn(calls)).toEqual([...new Set(callsIn(calls))]);

    // What the store kept of ended runs goes, but for their result; files in the clone stay.
    const file = path.join(project, '.charrette', 'config.json');
    const config = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ ...config, queue: { keepDays: 0 } }));
    const kept = () => keptOf(run);
    expect((await kept()).files).toBeGreaterThan(0);
    const third = await startWorker(project, shared);
    await expect.poll(kept, { timeout: 60_000 }).toEqual({ runs: 1, files: 0 });
    third.kill('SIGTERM');
    await third.ended;
    const shown = await charrette(['show', run, '--json'], { cwd: project, env: shared });
    expect(JSON.parse(shown.stdout)).toMatchObject({ run, status: 'done' });
  });
});

/** What the store has of a run. */
async function keptOf(run: string): Promise<{ runs: number; files: number }> {
  const client = new postgres.Client({ connectionString: server.url });
  client.on('error', () => {});
  await client.connect();
  try {
    const count = async (table: string) =>
      Number(
        (await client.query(`SELECT count(*) AS found FROM charrette.${table} WHERE run = $1`, [run])).rows[0]
          .found,
      );
    return { runs: await count('runs'), files: await count('files') };
  } finally {
    await client.end();
  }
}
