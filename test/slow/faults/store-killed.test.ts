import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect } from 'vitest';
import { faultCase } from '../../support/fault-case.ts';
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
import { callsIn, charrette, makeProject, runsOf } from '../../support/program.ts';

const servers: Postgres[] = [];
afterAll(async () => {
  endAll();
  await Promise.all(servers.map((server) => server.stop()));
});

type Begun = {
  server: Postgres;
  project: string;
  calls: string;
  live: LiveProgram;
  env: Record<string, string>;
};

/** A run on a server of its own, which the case may kill. */
async function begin(flags: readonly string[] = [], delayMs = 400): Promise<Begun> {
  const server = await startPostgres({ durable: true });
  servers.push(server);
  const env = { CHARRETTE_DATABASE_URL: server.url, CHARRETTE_STORE_PATIENCE: '6' };
  const { project, calls } = await makeProject({ delayMs });
  const live = startRun([...quick, ...flags, '--json', 'limits'], { cwd: project, env });
  return { server, project, calls, live, env };
}

/** The first is always tried. */
const moments: [string, (begun: Begun) => Promise<void>][] = [
  ['while agents sketch', ({ live, calls }) => reaches(live, () => callsIn(calls).length >= 2)],
  ['between two steps', ({ live }) => live.says(/2a\.5: dialectic/)],
  [
    'while an agent plans',
    ({ live, calls }) => reaches(live, () => callsIn(calls).some((call) => call.startsWith('plan '))),
  ],
];

describe.skipIf(!hasPostgres())('PostgreSQL killed with -9', () => {
  for (const [index, [moment, arrive]] of moments.entries()) {
    faultCase(
      'PostgreSQL killed and back after 2 s',
      moment,
      async () => {
        const begun = await begin();
        await arrive(begun);
        await begun.server.kill();
        await sleep(2000);
        await begun.server.restart();
        const ended = await begun.live.ended;
        expect(ended.code, ended.stderr).toBe(0);
        expectWhole(begun);
        return 'went on by itself, exit 0';
      },
      { further: index > 0 },
    );
  }

  faultCase('PostgreSQL killed and away', 'while agents sketch', async () => {
    const begun = await begin();
    await reaches(begun.live, () => callsIn(begun.calls).length >= 2);
    await begun.server.kill();
    const ended = await begun.live.ended;
    await begun.server.restart();
    await expectNamedAndResumed(ended, begun, begun.env);
    return 'store-unreachable, exit 1; resume completed it';
  });

  faultCase('PostgreSQL killed and away', 'then Ctrl-C', async () => {
    const begun = await begin();
    await reaches(begun.live, () => callsIn(begun.calls).length >= 2);
    await begun.server.kill();
    await begun.live.says('store does not answer');
    begun.live.kill('SIGINT');
    const ended = await begun.live.ended;
    expect(ended.code, ended.stderr).toBe(130);
    await begun.server.restart();
    const [run = ''] = runsOf(begun.project);
    const resumed = await charrette(['resume', run], { cwd: begun.project, env: begun.env });
    expect(resumed.code, resumed.stderr).toBe(0);
    expectWhole(begun);
    return 'saved, exit 130; resume completed it';
  });

  faultCase('PostgreSQL killed and back after 2 s', 'in a resumed run', async () => {
    const begun = await begin();
    await begun.live.says(/2a\.5: dialectic/);
    begun.live.kill('SIGKILL');
    await begun.live.ended;
    const [run = ''] = runsOf(begun.project);
    const events = path.join(begun.project, '.charrette', 'runs', run, 'events.jsonl');
    const resumed = startRun(['resume', run], { cwd: begun.project, env: begun.env });
    // Agents of the killed process may note their calls until then.
    await reaches(resumed, () => readFileSync(events, 'utf8').includes('"run-resume"'));
    const before = callsIn(begun.calls).length;
    await reaches(resumed, () => callsIn(begun.calls).length > before);
    await begun.server.kill();
    await sleep(2000);
    await begun.server.restart();
    const ended = await resumed.ended;
    expect(ended.code, ended.stderr).toBe(0);
    return 'went on by itself, exit 0';
  });
});
