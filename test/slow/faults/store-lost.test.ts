import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { homeOf, runDirectoryOf } from '../../../src/engine/run-directory.ts';
import { readRunRecordSync } from '../../../src/engine/run-record.ts';
import { everyFault, faultCase } from '../../support/fault-case.ts';
import {
  endAll,
  expectNamedAndResumed,
  expectWhole,
  hasPostgres,
  quick,
  reaches,
  startRun,
} from '../../support/fault-run.ts';
import type { LiveProgram } from '../../support/live-program.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { callsIn, charrette, holdTask, makeProject, runsOf } from '../../support/program.ts';
import { type StoreProxy, startStoreProxy } from '../../support/store-proxy.ts';
import { connected } from '../../support/worker-program.ts';

let server: Postgres;
const proxies: StoreProxy[] = [];

type Begun = {
  way: StoreProxy;
  project: string;
  calls: string;
  live: LiveProgram;
  env: Record<string, string>;
  release: () => void;
};

/** Longer than any of these connections stays broken on a busy machine; and for a permanently broken one. */
const patient = 60;
const impatient = 15;

async function wayToStore(patience: number): Promise<{ way: StoreProxy; env: Record<string, string> }> {
  const way = await startStoreProxy(server.port);
  proxies.push(way);
  const url = `postgresql://charrette@127.0.0.1:${way.port}/postgres`;
  return { way, env: { CHARRETTE_DATABASE_URL: url, CHARRETTE_DATABASE_RETRY_SECONDS: String(patience) } };
}

/** A run whose connection the case may break; calls of the task `hold` wait until they are released. */
async function begin({ patience = patient, delayMs = 0, hold = 'none' }): Promise<Begun> {
  const { way, env } = await wayToStore(patience);
  const { project, calls } = await makeProject({ delayMs });
  const release = holdTask(calls, hold);
  const live = startRun([...quick, '--json', 'limits'], { cwd: project, env });
  return { way, project, calls, live, env, release };
}

const sketching = ({ live, calls }: Begun) => reaches(live, () => callsIn(calls).length >= 2);
const between = ({ live }: Begun) => live.says(/2a\.5: dialectic/);

/** The process that works on the only run. */
function holderOf(project: string): number | undefined {
  const [directory] = runsOf(project).map((run) => runDirectoryOf(homeOf(project), run));
  if (directory === undefined || !existsSync(directory.record)) return undefined;
  return readRunRecordSync(directory).process?.pid;
}

/** What happens to the way, and what makes it good again. */
const breaks: [string, (way: StoreProxy) => Promise<void>][] = [
  ['connections cut', async (way) => way.cut()],
  [
    'no way for 2 s',
    async (way) => {
      way.set('refused');
      await sleep(2000);
      way.set('open');
    },
  ],
  [
    'silence for 5 s',
    async (way) => {
      way.set('silent');
      await sleep(5000);
      way.set('open');
    },
  ],
];

describe.skipIf(!hasPostgres())('the way to PostgreSQL', () => {
  beforeAll(async () => {
    server = await startPostgres({ durable: false });
  });
  afterAll(async () => {
    endAll();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await server.stop();
  });

  for (const [fault, happen] of breaks) {
    for (const [moment, arrive] of [
      ['while agents sketch', sketching],
      ['between two steps', between],
    ] as const) {
      faultCase(
        `store: ${fault}`,
        moment,
        async () => {
          const begun = await begin({ delayMs: 400 });
          await arrive(begun);
          await happen(begun.way);
          const ended = await begun.live.ended;
          expect(ended.code, ended.stderr).toBe(0);
          expectWhole(begun);
          return 'continued automatically, exit 0';
        },
        { further: (fault === 'silence for 5 s') !== (arrive === sketching) },
      );
    }
  }

  for (const [moment, answerMs] of [
    ['while agents sketch', 0],
    // Agents begin before the store has confirmed their lanes.
    ['while lanes are saved', 300],
  ] as const)
    faultCase('store: silence without end', moment, async () => {
      const begun = await begin({ patience: impatient, hold: 'sketch' });
      await begun.live.says(/2a: sketches/);
      begun.way.delay(() => answerMs);
      await sketching(begun);
      begun.way.set('silent');
      begun.release();
      const ended = await begun.live.ended;
      begun.way.delay(() => 0);
      begun.way.set('open');
      await expectNamedAndResumed(ended, begun, begun.env);
      return 'store-unreachable, exit 1; resume completed it';
    });

  for (const [moment, resumed] of [
    ['while the run is saved', false],
    ['while a resume is', true],
  ] as const)
    faultCase('store: silence without end', moment, async () => {
      const { way, env } = await wayToStore(impatient);
      const { project, calls } = await makeProject({ delayMs: 400 });
      const design = quick.filter((word) => word !== '--yes');
      if (resumed) expect((await charrette([...design, 'limits'], { cwd: project, env })).code).toBe(7);
      way.delay(() => 100);
      const words = resumed ? ['resume', '--yes', '--json'] : [...quick, '--json', 'limits'];
      const live = startRun(words, { cwd: project, env });
      await reaches(live, () => holderOf(project) === live.child.pid);
      way.set('silent');
      const ended = await live.ended;
      way.delay(() => 0);
      way.set('open');
      await expectNamedAndResumed(ended, { project, calls }, env);
      return 'store-unreachable, exit 1; resume completed it';
    });

  faultCase('store: silence without end', 'before the run', async () => {
    const { way, env } = await wayToStore(impatient);
    way.set('silent');
    const { project } = await makeProject();
    const ended = await charrette([...quick, '--json', 'limits'], { cwd: project, env });
    expect(ended.code, ended.stderr).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: 'store-unreachable', retryable: true } });
    return 'store-unreachable, exit 1';
  });

  faultCase('several processes find a new server', 'four at once', async () => {
    const url = server.url.replace(/postgres$/, 'found_by_four');
    const projects = await Promise.all([1, 2, 3, 4].map(() => makeProject()));
    const all = await Promise.all(
      projects.map(({ project }) =>
        charrette([...quick, '--json', 'limits'], { cwd: project, env: { CHARRETTE_DATABASE_URL: url } }),
      ),
    );
    for (const { code, stderr } of all) expect(code, stderr).toBe(0);
    for (const places of projects) expectWhole(places);
    const runs = projects.flatMap(({ project }) => runsOf(project));
    const done = await connected(url, async (client) => {
      const { rows } = await client.query(
        "SELECT workflow_uuid AS run FROM dbos.workflow_status WHERE status = 'SUCCESS' AND workflow_uuid = ANY($1)",
        [runs],
      );
      return rows.map(({ run }) => String(run));
    });
    expect(done.sort()).toEqual(runs.sort());
    return 'its tables are made once, all exit 0';
  });

  faultCase('store: slow answers', 'the whole run', async () => {
    const { way, env } = await wayToStore(patient);
    const { project, calls } = await makeProject();
    let answers = 0;
    // On each way, always in the same order.
    const [least, most] = everyFault ? [50, 500] : [5, 40];
    way.delay(() => least + ((answers++ * 37) % (most - least)));
    const ended = await charrette([...quick, '--json', 'limits'], { cwd: project, env });
    expect(ended.code, ended.stderr).toBe(0);
    expectWhole({ project, calls });
    return 'slower, exit 0';
  });
});
