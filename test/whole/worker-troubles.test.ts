import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import { describe, expect, test } from 'vitest';
import { thisWorld } from '../../src/agents/settings.ts';
import { openQueue, type Queue } from '../../src/engine/queue/queue.ts';
import { withdraw } from '../../src/engine/queue/queued-run.ts';
import { registerWorker } from '../../src/engine/queue/workers.ts';
import { openProject } from '../../src/service/project.ts';
import { followQueued } from '../../src/service/queue-facts.ts';
import { AgentRateLimiter } from '../../src/service/worker/agent-rate-limiter.ts';
import { openPlace } from '../../src/service/worker/places.ts';
import { WorkerSession } from '../../src/service/worker/session.ts';
import { lanesOf } from '../support/faulty-project.ts';
import { until } from '../support/live-program.ts';
import { findPostgres } from '../support/postgres.ts';
import { callsIn, holdTask, makeProject } from '../support/program.ts';
import { command as commandOn, eventTypes, failure, faulty } from '../support/serving.ts';
import { sharedStore } from '../support/shared-store.ts';
import { startStoreProxy } from '../support/store-proxy.ts';
import { cloneOf, recordOf } from '../support/worker-program.ts';

const cut = () => failure('Connection terminated unexpectedly', 'ECONNRESET');

describe.skipIf(findPostgres() === undefined)('a worker in trouble', () => {
  const { url, port, query, command, serve, queue } = sharedStore();
  const row = async (run: string): Promise<{ state: string; note: string; worker: string | null }> =>
    (await query('SELECT state, note, worker FROM charrette.runs WHERE run = $1', [run])).rows[0];
  const folderOf = (project: string, run: string) => path.join(project, '.charrette', 'runs', run);

  test('a run that a worker takes while `resume` waits for the store is shown as running', async () => {
    const { project, calls } = await makeProject({ failTask: 'plan' });
    const run = await queue(project, '--no-branch', '--yes', 'limits');
    const worker = await serve(project);
    await worker.says('run-end', run);
    const release = holdTask(calls, 'plan');
    const line = await startStoreProxy(port());
    line.delay(() => 600);
    const resumed = await commandOn(url().replace(`:${port()}/`, `:${line.port}/`), project, 'resume', run);
    expect(resumed.json.status).toBe('queued');
    await until(() => worker.of(run).filter((type) => type === 'run-claimed').length === 2);
    await until(() => recordOf(project, run).status === 'running');
    // A process that would put it back would have done so by then.
    await sleep(1000);
    const { status } = recordOf(project, run);
    release();
    await line.close();
    expect(status).toBe('running');
  });

  test('a run whose directory is missing fails and frees its place', async () => {
    const { project } = await makeProject();
    const gone = await queue(project, '--yes', 'gone');
    const next = await queue(project, '--yes', '--no-branch', 'next');
    rmSync(folderOf(project, gone), { recursive: true });
    const worker = await serve(project, { limit: 1 });
    await worker.says('run-end', next);
    expect(worker.of(gone)).toEqual(['run-claimed', 'run-refuse', 'run-end']);
    expect(await row(gone)).toMatchObject({ state: 'ended', note: 'failed', worker: null });
  });

  test('L-423: uncommitted work in a worker’s clone, or added while the run waited, does not count as changes by agents', async () => {
    const { project } = await makeProject();
    const clone = cloneOf(project, 'clone');
    writeFileSync(path.join(clone, 'notes.txt'), 'of the machine');
    for (const place of [project, clone]) {
      const run = await queue(project, '--yes', '--no-branch', 'limits');
      writeFileSync(path.join(project, 'README.md'), 'changed while it waits');
      const worker = await serve(place);
      await worker.says('run-end', run);
      await worker.stop();
      expect(worker.of(run)).toEqual(['run-claimed', 'run-end']);
    }
    expect(readFileSync(path.join(project, 'README.md'), 'utf8')).toBe('changed while it waits');
  });

  test('a run that cannot be restored because the disk is full or the store is gone waits and is done later', async () => {
    const { project } = await makeProject();
    const clone = cloneOf(project, 'clone');
    const run = await queue(project, '--yes', '--no-branch', 'limits');
    const faults = [cut(), failure('ENOSPC: no space left on device', 'ENOSPC')];
    const worker = await serve(clone, {
      alter: (queue) =>
        faulty(queue, (statement) =>
          /^SELECT path.*FROM charrette.files/.test(statement) ? faults.shift() : undefined,
        ),
    });
    await worker.says('run-end', run);
    const again = ['run-claimed', 'run-refuse', 'run-requeued'];
    expect(worker.of(run).slice(0, 7)).toEqual([...again, ...again, 'run-claimed']);
    expect(await row(run)).toMatchObject({ state: 'ended', note: 'done' });
  });

  test('a run whose directory one machine may not write waits for another one with the reason, and blocks no other run', async () => {
    const { project } = await makeProject();
    const clone = cloneOf(project, 'clone');
    const refused = await queue(project, '--yes', '--no-branch', 'refused');
    const next = await queue(project, '--yes', '--no-branch', 'next');
    const denied = 'EACCES: permission denied, mkdir';
    let worker = await serve(clone, {
      limit: 1,
      alter: (queue) =>
        faulty(queue, (statement, values) =>
          /^SELECT path.*FROM charrette.files/.test(statement) && values[0] === refused
            ? failure(denied, 'EACCES')
            : undefined,
        ),
    });
    await worker.says('run-requeued', refused);
    expect(await row(refused)).toMatchObject({ state: 'queued', worker: null });
    const { queue: facts } = (await command(project, 'show', refused)).json;
    expect(facts).toMatchObject({ state: 'queued', waits: `it could not start: ${denied}` });
    await worker.says('run-end', next);
    await worker.stop();
    worker = await serve(cloneOf(project, 'other'));
    await worker.says('run-end', refused);
    expect(await row(refused)).toMatchObject({ state: 'ended', note: 'done' });
  });

  test('a stopped worker requeues its runs, also when a record is missing', async () => {
    const { project, calls } = await makeProject();
    const release = holdTask(calls, 'sketch');
    const runs = [
      await queue(project, '--yes', '--no-branch', 'one'),
      await queue(project, '--yes', '--no-branch', 'two'),
    ];
    const worker = await serve(project, { drainSeconds: 1 });
    await until(() => callsIn(calls).length >= 4);
    rmSync(path.join(folderOf(project, runs[0] ?? ''), 'run.json'));
    expect(await worker.stop()).toEqual({ ended: 0, back: 2 });
    release();
    for (const run of runs) expect(await row(run)).toMatchObject({ state: 'queued', worker: null });
    expect((await query('SELECT 1 FROM charrette.workers')).rowCount).toBe(0);
  });

  test('a claim whose confirmation was lost is requeued and done', async () => {
    const { project } = await makeProject();
    const run = await queue(project, '--yes', '--no-branch', 'limits');
    let lost = 0;
    const worker = await serve(project, {
      heartbeatTimeoutSeconds: 2,
      alter: (queue) => ({
        ...queue,
        transaction: async (body) => {
          const result = await queue.transaction(body);
          if (lost === 0 && Array.isArray(result) && result.length > 0) {
            lost += 1;
            throw cut();
          }
          return result;
        },
      }),
    });
    await worker.says('run-end', run);
    expect(lost).toBe(1);
    expect(worker.of(run).slice(0, 2)).toEqual(['run-requeued', 'run-claimed']);
  });

  test('a run that ended while its worker stopped stays ended', async () => {
    const { project } = await makeProject();
    const run = await queue(project, '--yes', '--no-branch', 'limits');
    let away = true;
    const ends = (statement: string, values: readonly unknown[]) =>
      away && /SET state = \$3/.test(statement) && values[2] === 'ended' ? cut() : undefined;
    const worker = await serve(project, { drainSeconds: 60, alter: (queue) => faulty(queue, ends) });
    await until(() => recordOf(project, run).status === 'done');
    const stopped = worker.stop();
    await sleep(500);
    away = false;
    expect(await stopped).toEqual({ ended: 1, back: 0 });
    expect(recordOf(project, run)).toMatchObject({ status: 'done', exit: 0 });
    expect(eventTypes(project, run).at(-1)).toBe('run-end');
    expect(await row(run)).toMatchObject({ state: 'ended', note: 'done' });
  });

  test('a run whose end is only in its record is not repeated', async () => {
    const { project, calls } = await makeProject();
    const run = await queue(project, '--yes', '--no-branch', 'limits');
    let worker = await serve(project);
    await worker.says('run-end', run);
    await worker.stop();
    const before = [callsIn(calls), eventTypes(project, run)];
    await query("UPDATE charrette.runs SET state = 'queued', ended = NULL WHERE run = $1", [run]);
    worker = await serve(project);
    await worker.says('run-end', run);
    expect([callsIn(calls), eventTypes(project, run)]).toEqual(before);
  });

  test('a cancel does not wait for calls of other runs, the worker stays responsive, and its own call limit counts', async () => {
    const { project, calls } = await makeProject();
    const release = holdTask(calls, 'sketch');
    const runs = [
      await queue(project, '--yes', '--no-branch', 'one'),
      await queue(project, '--yes', '--no-branch', 'two'),
    ];
    const worker = await serve(project, { parallel: 1, drainSeconds: 1 });
    const asked = (run: string) =>
      worker.of(run).includes('run-claimed') && eventTypes(project, run).includes('lane-start');
    await until(() => runs.every(asked) && callsIn(calls).length > 0);
    await sleep(500);
    expect(callsIn(calls)).toHaveLength(1);
    const waiting = runs.filter((run) => lanesOf(project, run).length === 0);
    expect(waiting).toHaveLength(1);
    for (const run of waiting) {
      expect((await command(project, 'cancel', run)).exit).toBe(0);
      await worker.says('run-end', run);
    }
    expect(callsIn(calls)).toHaveLength(1);
    const third = await queue(project, '--yes', '--no-branch', 'three');
    await worker.says('run-claimed', third);
    expect(await worker.stop()).toMatchObject({ back: 2 });
    release();
  });

  test('answered runs continue only when there is a free place', async () => {
    const { project, calls } = await makeProject();
    const runs = [await queue(project, '--no-branch', 'one'), await queue(project, '--no-branch', 'two')];
    const release = holdTask(calls, 'sketch');
    const worker = await serve(project, { limit: 1 });
    for (const run of runs) await worker.says('run-ask', run);
    for (const run of runs) expect((await command(project, 'answer', run, 'consent=yes')).exit).toBe(0);
    await until(() => callsIn(calls).length > 0);
    await sleep(1500);
    const states = async () => (await Promise.all(runs.map(row))).map(({ state }) => state).sort();
    expect(await states()).toEqual(['running', 'waiting']);
    release();
    for (const run of runs) await worker.says('run-end', run);
    expect(await states()).toEqual(['ended', 'ended']);
  });

  test('releases a call slot later when the store missed its end', async () => {
    const store = await openQueue(url());
    let away = false;
    const queue: Queue = faulty(store, () => (away ? cut() : undefined));
    await registerWorker(queue, { worker: 'w', host: 'h', pid: 1, labels: [], places: [], codeVersion: '0' });
    const turns = new AgentRateLimiter(queue, 'w', { one: { parallel: 1 } });
    const { signal } = new AbortController();
    await turns.within('one', signal, async () => {
      away = true;
    });
    await expect(turns.endLeft()).rejects.toThrow('terminated');
    away = false;
    await turns.endLeft();
    expect(await turns.within('one', signal, async () => 'called')).toBe('called');
    await turns.endLeft();
    expect((await query('SELECT 1 FROM charrette.turns')).rowCount).toBe(0);
    await store.close();
  });

  test('an idle worker’s polls leave no memory behind', async () => {
    const { project } = await makeProject();
    let looks = 0;
    await serve(project, {
      alter: (queue) => ({
        ...queue,
        transaction: (body) => {
          looks += 1;
          return queue.transaction(body);
        },
      }),
    });
    // Counts only live promises. Waiting next to a long-lived promise would keep one for each poll; everything else is gone at one
    // of several samples.
    const promisesAfter = async (count: number) => {
      await until(() => looks >= count);
      const counts: number[] = [];
      while (counts.length < 5) {
        counts.push(v8.queryObjects(Promise, { format: 'count' }));
        await sleep(50);
      }
      return Math.min(...counts);
    };
    const early = await promisesAfter(20);
    expect((await promisesAfter(60)) - early).toBeLessThan(20);
  });

  test('a worker that failed to register can try again', async () => {
    const { project } = await makeProject();
    const store = await openQueue(url());
    const world = thisWorld();
    const stop = new AbortController();
    const options = {
      url: url(),
      places: [await openPlace(project, world)],
      labels: [],
      limit: 1,
      parallel: 1,
      limits: {},
      agents: {},
      heartbeatTimeoutSeconds: 15,
      drainSeconds: 1,
      keepDays: 30,
      world,
      signal: stop.signal,
    };
    const refuses = faulty(store, (statement) =>
      /INTO charrette.workers/.test(statement) ? cut() : undefined,
    );
    await expect(WorkerSession.begin({ ...options, queue: refuses }, () => {})).rejects.toThrow('terminated');
    const incarnation = await WorkerSession.begin({ ...options, queue: store }, () => {});
    stop.abort('SIGTERM');
    expect(await incarnation.work()).toMatchObject({ reason: 'stopped' });
    await store.close();
  });

  test('watch reconnects after a database outage', async () => {
    const { project } = await makeProject();
    const run = await queue(project, '--yes', '--no-branch', 'limits');
    const way = await startStoreProxy(port());
    const said: string[] = [];
    const idle = new AbortController();
    const env = { CHARRETTE_DATABASE_URL: url().replace(`:${port()}/`, `:${way.port}/`) };
    const report = (sentence: string) => void said.push(sentence);
    const following = followQueued(openProject(project, { env }), run, report, idle.signal);
    await until(() => said.length === 1);
    way.set('refused');
    await until(() => said.length === 2);
    way.set('open');
    const store = await openQueue(url());
    expect(await withdraw(store, run, 'cancelled')).toBe(true);
    await until(() => recordOf(project, run).status === 'cancelled');
    idle.abort();
    await following;
    expect(said[0]).toBe('waits: no worker is there');
    await store.close();
    await way.close();
  });

  test('`runs rm` takes a run out of the queue, and refuses one that a worker has', async () => {
    const { project, calls } = await makeProject();
    const waiting = await queue(project, '--yes', '--no-branch', 'one');
    expect((await command(project, 'runs', 'rm', waiting, '--dry-run')).exit).toBe(0);
    expect(await row(waiting)).toMatchObject({ state: 'queued' });
    expect((await command(project, 'runs', 'rm', waiting)).exit).toBe(0);
    expect(await row(waiting)).toMatchObject({ state: 'ended', note: 'cancelled' });
    const clone = cloneOf(project, 'clone');
    const release = holdTask(calls, 'sketch');
    const held = await queue(project, '--yes', '--no-branch', 'two');
    await serve(clone, { drainSeconds: 1 });
    await until(() => callsIn(calls).length > 0);
    const refused = await command(project, 'runs', 'rm', held);
    expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'usage' } } });
    release();
  });

  test('a cancel ends a run whose worker is gone, although no other worker is there to notice', async () => {
    const { project } = await makeProject();
    const file = path.join(project, '.charrette', 'config.json');
    const config = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...config, queue: { heartbeatTimeoutSeconds: 2 } }));
    const run = await queue(project, '--yes', '--no-branch', 'one');
    const store = await openQueue(url());
    const facts = { host: 'elsewhere', pid: 1, labels: [], places: [], codeVersion: '1' };
    await registerWorker(store, { worker: 'gone', ...facts });
    await store.close();
    await query("UPDATE charrette.runs SET state = 'running', worker = 'gone'");
    expect(await command(project, 'cancel', run)).toMatchObject({
      exit: 0,
      json: { status: 'cancelled' },
    });
    expect(await row(run)).toMatchObject({ state: 'ended', note: 'cancelled', worker: null });
  });

  test('a copy learns from the queue how its run ended when the files are gone, and that the queue lacks it', async () => {
    const { project } = await makeProject();
    const clone = cloneOf(project, 'clone');
    const run = await queue(project, '--yes', '--no-branch', 'limits');
    const worker = await serve(clone);
    await worker.says('run-end', run);
    await query('DELETE FROM charrette.files WHERE run = $1', [run]);
    const shown = await command(project, 'show', run);
    expect(shown.json).toMatchObject({ status: 'done', queue: { state: 'ended' } });
    expect(shown.json.queue.waits).toContain('the store does not have all that it wrote');
    expect((await command(project, 'resume', run)).json.error.message).toContain('has ended: done');
    const forgotten = await queue(project, '--yes', '--no-branch', '--label', 'none', 'more');
    await query('DELETE FROM charrette.runs WHERE run = $1', [forgotten]);
    const { runs } = (await command(project, 'runs')).json;
    expect(runs[0]).toMatchObject({
      run: forgotten,
      status: 'queued',
      waits: expect.stringContaining('does not have it'),
    });
  });
});
