import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect } from 'vitest';
import { faultCase } from '../../support/fault-case.ts';
import { expectWhole, hasPostgres, quick } from '../../support/fault-run.ts';
import { until } from '../../support/live-program.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { callsIn, charrette, holdTask, makeProject } from '../../support/program.ts';
import { type StoreProxy, startStoreProxy } from '../../support/store-proxy.ts';
import {
  cloneOf,
  configure,
  connected,
  keptCalls,
  type LiveWorker,
  startWorker,
  timesIn,
} from '../../support/worker-program.ts';

const ending: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

type Begun = {
  server: Postgres;
  project: string;
  calls: string;
  run: string;
  worker: LiveWorker;
  env: { CHARRETTE_DATABASE_URL: string };
  /** Lets the running sketches finish. */
  release: () => void;
};

const shown = async ({ project, run, env }: Begun) =>
  JSON.parse((await charrette(['show', run, '--json'], { cwd: project, env })).stdout);

async function start(project: string, env: Record<string, string>): Promise<LiveWorker> {
  const worker = await startWorker(project, env);
  ending.push(async () => {
    worker.kill('SIGKILL');
    await worker.ended;
  });
  return worker;
}

/** A worker with a run whose two sketches wait until they are released; `way` is how it reaches the server. */
async function begin(
  queue: { heartbeatTimeoutSeconds: number; drainSeconds?: number },
  way: (server: Postgres) => Promise<string> = async ({ url }) => url,
): Promise<Begun> {
  const server = await startPostgres({ durable: true });
  ending.push(() => server.stop());
  const { project, calls } = await makeProject();
  configure(project, { queue });
  const release = holdTask(calls, 'sketch');
  const env = { CHARRETTE_DATABASE_URL: server.url };
  const queued = await charrette([...quick, '--json', '--queue', 'limits'], { cwd: project, env });
  expect(queued.code, queued.stderr).toBe(0);
  const { run } = JSON.parse(queued.stdout);
  const worker = await start(project, { CHARRETTE_DATABASE_URL: await way(server) });
  await until(() => callsIn(calls).length >= 2, 120_000);
  return { server, project, calls, run, worker, env, release };
}

describe.skipIf(!hasPostgres())('a worker and its store', () => {
  faultCase(
    'worker: PostgreSQL killed and back after 2 s',
    'while agents sketch',
    async () => {
      const begun = await begin({ heartbeatTimeoutSeconds: 15 });
      await begun.server.kill();
      await sleep(2000);
      begun.release();
      await begun.server.restart();
      await begun.worker.says(`${begun.run} ended: done`);
      await begun.worker.says('reached the database again');
      expect(begun.worker.stderr()).not.toContain('lost');
      expectWhole(begun, begun.run);
      return 'reported, continued automatically';
    },
    { further: true },
  );

  faultCase('worker: PostgreSQL away for longer than the silence', 'two workers', async () => {
    const begun = await begin({ heartbeatTimeoutSeconds: 15 });
    const other = await start(cloneOf(begun.project, 'other'), begun.env);
    await begun.server.kill();
    for (const worker of [begun.worker, other]) await worker.says('cannot reach the database');
    await sleep(18_000);
    begun.release();
    await begun.server.restart();
    await begun.worker.says(`${begun.run} ended: done`);
    expect(begun.worker.stderr() + other.stderr()).not.toMatch(/lost|timed out/);
    expectWhole(begun, begun.run);
    return 'reported, both continue, no worker removed';
  });

  faultCase(
    'worker: PostgreSQL away, then SIGTERM',
    'while agents sketch',
    async () => {
      const begun = await begin({ heartbeatTimeoutSeconds: 2, drainSeconds: 2 });
      await begun.server.kill();
      await begun.worker.says('cannot reach the database');
      begun.worker.kill('SIGTERM');
      const { code, stderr } = await begun.worker.ended;
      expect(code, stderr).toBe(0);
      expect(stderr).toContain('0 requeued');
      await begun.server.restart();
      begun.release();
      const next = await start(begun.project, begun.env);
      await next.says(`${begun.run} ended: done`);
      expect((await shown(begun)).status).toBe('done');
      const later = callsIn(begun.calls).filter((call) => !call.startsWith('sketch '));
      expect(later).toEqual([...new Set(later)]);
      return 'exit 0; the next worker takes the run';
    },
    { further: true },
  );

  faultCase(
    'worker: connections cut',
    'while agents sketch',
    async () => {
      let way: StoreProxy | undefined;
      const begun = await begin({ heartbeatTimeoutSeconds: 15 }, async (server) => {
        way = await startStoreProxy(server.port);
        ending.push(() => way?.close());
        return server.url.replace(String(server.port), String(way.port));
      });
      way?.cut();
      begun.release();
      await begun.worker.says(`${begun.run} ended: done`);
      expect(begun.worker.stderr()).not.toContain('lost');
      expectWhole(begun, begun.run);
      return 'continued automatically';
    },
    { further: true },
  );

  faultCase('worker: no way to the store for longer than the silence', 'another worker has one', async () => {
    let way: StoreProxy | undefined;
    const begun = await begin({ heartbeatTimeoutSeconds: 10 }, async (server) => {
      way = await startStoreProxy(server.port);
      ending.push(() => way?.close());
      return server.url.replace(String(server.port), String(way.port));
    });
    const other = await start(cloneOf(begun.project, 'other'), begun.env);
    way?.set('silent');
    await other.says(`claimed ${begun.run}`);
    begun.release();
    await other.says(`${begun.run} ended: done`);
    way?.set('open');
    await begun.worker.says(`lost ${begun.run}`);
    await begun.worker.says(/starting again[\s\S]*worker \S+ serves/);
    expect((await shown(begun)).status).toBe('done');
    const kept = await connected(begun.env.CHARRETTE_DATABASE_URL, (client) => keptCalls(client, begun.run));
    for (const call of kept.filter((name) => !name.startsWith('sketch ')))
      expect(timesIn(callsIn(begun.calls), call), call).toBe(1);
    // Calls in progress when the connection died were made once more.
    for (const call of new Set(callsIn(begun.calls)))
      expect(timesIn(callsIn(begun.calls), call), call).toBeLessThanOrEqual(2);
    return 'the other claims the run; the first starts again';
  });

  faultCase('worker: suspended, another in the same clone', 'while agents sketch', async () => {
    const begun = await begin({ heartbeatTimeoutSeconds: 10 });
    begun.worker.kill('SIGSTOP');
    const other = await start(begun.project, begun.env);
    await other.says('timed out');
    const reason = `process ${begun.worker.child.pid} of a worker that timed out still has it`;
    for (let waits = ''; !waits.includes(reason); waits = (await shown(begun)).queue.waits ?? '')
      await sleep(300);
    expect(other.stderr()).not.toContain(`claimed ${begun.run}`);
    begun.worker.kill('SIGCONT');
    begun.release();
    await begun.worker.says(`lost ${begun.run}`);
    await until(
      () => [begun.worker, other].some(({ stderr }) => stderr().includes(`${begun.run} ended: done`)),
      120_000,
    );
    expectWhole({ ...begun, calls: begun.calls }, begun.run, (call) => call.startsWith('sketch '));
    return 'waits with the reason, then continues';
  });
});
