import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
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
import { callsIn, charrette, holdTask, makeProject, runsOf } from '../../support/program.ts';

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

/** Every phase of a design. */
const whole = ['design', '--auto', '--yes', '--no-branch'];

/** A run on a separate server that the case may kill; calls of the task `hold` wait until they are released. */
async function begin(options: {
  words?: readonly string[];
  /** Longer than the server takes to come back, however busy the machine is, or shorter than it stays away. */
  patience: number;
  hold: string;
}): Promise<Begun & { release: () => void }> {
  const server = await startPostgres({ durable: true });
  servers.push(server);
  const env = {
    CHARRETTE_DATABASE_URL: server.url,
    CHARRETTE_DATABASE_RETRY_SECONDS: String(options.patience),
  };
  const { project, calls } = await makeProject();
  const release = holdTask(calls, options.hold);
  const live = startRun([...(options.words ?? quick), '--json', 'limits'], { cwd: project, env });
  return { server, project, calls, live, env, release };
}

const callsOf = (calls: string, task: string) => callsIn(calls).filter((call) => call.startsWith(`${task} `));

const isCalled = ({ live, calls }: Begun, task: string, least = 1) =>
  reaches(live, () => callsOf(calls, task).length >= least);

/** The server dies, the calls in progress end without it, and it comes back. */
async function killAndRestart({ server }: Begun, live: LiveProgram, release: () => void): Promise<void> {
  await server.kill();
  release();
  await live.says('Cannot reach the PostgreSQL database');
  await server.restart();
}

async function killForAMoment({ server }: Begun): Promise<void> {
  await server.kill();
  await sleep(2000);
  await server.restart();
}

/** The run finishes without help, complete. */
async function expectGoneOn(begun: Begun): Promise<void> {
  const ended = await begun.live.ended;
  expect(ended.code, ended.stderr).toBe(0);
  expectWhole(begun);
}

/** One moment in each phase of a design: the running task. The first is always tried. */
const phases: [string, string][] = [
  ['while agents sketch', 'sketch'],
  ['while agents judge a debate', 'judge'],
  ['while an agent plans', 'plan'],
  ['while agents review the plan', 'plan-review'],
  ['while agents vote', 'vote'],
];

/** The journal writes that a run has ended, and that an agent call has. */
const lastStatement =
  "BEFORE UPDATE ON dbos.workflow_status FOR EACH ROW WHEN (NEW.status = 'SUCCESS' AND strpos(NEW.workflow_uuid, '.') = 0)";
const endOfCall =
  "BEFORE INSERT ON dbos.operation_outputs FOR EACH ROW WHEN (NEW.function_name LIKE 'call %')";

describe.skipIf(!hasPostgres())('PostgreSQL killed with -9', () => {
  for (const [index, [moment, task]] of phases.entries()) {
    faultCase(
      'PostgreSQL killed and back',
      moment,
      async () => {
        const begun = await begin({ words: whole, patience: 60, hold: task });
        await isCalled(begun, task);
        await killAndRestart(begun, begun.live, begun.release);
        await expectGoneOn(begun);
        return 'reported, continued automatically, exit 0';
      },
      { further: index > 0 },
    );
  }

  faultCase(
    'PostgreSQL killed and back',
    'between two steps',
    async () => {
      const begun = await begin({ patience: 60, hold: 'none' });
      await begun.live.says(/2a\.5: dialectic/);
      await killForAMoment(begun);
      await expectGoneOn(begun);
      return 'continued automatically, exit 0';
    },
    { further: true },
  );

  faultCase(
    'PostgreSQL killed and back',
    'while the end is put into the journal',
    async () => {
      const begun = await begin({ words: whole, patience: 60, hold: 'vote' });
      await isCalled(begun, 'vote');
      const arrived = await holdStatement(begun.server.url, lastStatement);
      begun.release();
      await reaches(begun.live, arrived);
      await killForAMoment(begun);
      await expectGoneOn(begun);
      return 'exit 0';
    },
    { further: true },
  );

  faultCase('PostgreSQL killed and away', 'while agents sketch', async () => {
    const begun = await begin({ patience: 18, hold: 'sketch' });
    await isCalled(begun, 'sketch', 2);
    await begun.server.kill();
    begun.release();
    const ended = await begun.live.ended;
    await begun.server.restart();
    await expectNamedAndResumed(ended, begun, begun.env);
    return 'store-unreachable, exit 1; resume completed it';
  });

  faultCase('PostgreSQL killed and away', 'while a call is put into the journal', async () => {
    const begun = await begin({ patience: 18, hold: 'sketch' });
    await isCalled(begun, 'sketch', 2);
    const arrived = await holdStatement(begun.server.url, endOfCall);
    begun.release();
    await reaches(begun.live, arrived);
    await begun.server.kill();
    const ended = await begun.live.ended;
    await begun.server.restart();
    await expectNamedAndResumed(ended, begun, begun.env);
    return 'store-unreachable, exit 1; resume completed it';
  });

  faultCase('PostgreSQL killed and away', 'then Ctrl-C', async () => {
    const begun = await begin({ patience: 60, hold: 'sketch' });
    await isCalled(begun, 'sketch');
    await begun.server.kill();
    begun.release();
    await begun.live.says('Cannot reach the PostgreSQL database');
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

  faultCase('PostgreSQL killed and back', 'in a resumed run', async () => {
    const begun = await begin({ patience: 60, hold: 'plan' });
    await isCalled(begun, 'plan');
    begun.live.kill('SIGKILL');
    await begun.live.ended;
    const [run = ''] = runsOf(begun.project);
    const resumed = startRun(['resume', run], { cwd: begun.project, env: begun.env });
    // Only the call in progress is made once more.
    const planned = () => callsOf(begun.calls, 'plan').length;
    await reaches(resumed, () => planned() === 2);
    await killAndRestart(begun, resumed, begun.release);
    const ended = await resumed.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(planned()).toBe(2);
    expectWhole(begun, run, (call) => call.startsWith('plan '));
    return 'reported, continued automatically, exit 0';
  });
});

/** Keeps the run in one of its statements; the answer says whether it has come there. A killed server lets it go. */
async function holdStatement(url: string, statement: string): Promise<() => boolean> {
  const client = new pg.Client({ connectionString: url });
  // The server is killed under it.
  client.on('error', () => {});
  await client.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  await client.query(`
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(1);
      RETURN NEW;
    END $$;
    CREATE TRIGGER hold ${statement} EXECUTE FUNCTION hold()`);
  let arrived = false;
  const look = async () => {
    const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    while (!arrived) {
      arrived = (await client.query(waiting)).rowCount === 1;
      if (!arrived) await sleep(20);
    }
  };
  void look().catch(() => {});
  return () => arrived;
}
