import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { findPostgres } from '../support/postgres.ts';
import { holdTask, makeProject, panelAgent } from '../support/program.ts';
import { sharedStore } from '../support/shared-store.ts';
import { cloneOf, configure, type LiveWorker, startWorker } from '../support/worker-program.ts';

const agents = ['one', 'two'] as const;
type Agent = (typeof agents)[number];
type Fleet = { calls: Record<Agent, string>; runs: string[]; release(): void };

/** Three runs of each repository: fewer than the two workers could do at the same time. */
const priorities = { shop: [0, 5, -1], billing: [9, 1, -7] };
const every = { all: 6, shop: 3, billing: 3 };

describe.skipIf(findPostgres() === undefined)('the limits of a queue, each alone, with two workers', () => {
  const store = sharedStore();
  const workers: LiveWorker[] = [];
  afterEach(async () => {
    for (const worker of workers.splice(0)) {
      worker.kill('SIGKILL');
      await worker.ended;
    }
  });

  /** Two workers with room for more than all runs of two repositories, whose first calls wait until they are released. */
  async function send(limits: object): Promise<Fleet> {
    const [shop, billing] = [(await makeProject()).project, (await makeProject()).project];
    const folder = path.dirname(shop);
    const calls = { one: path.join(folder, 'one.txt'), two: path.join(folder, 'two.txt') };
    for (const file of Object.values(calls)) writeFileSync(`${file}.spans`, '');
    const releases = Object.values(calls).map((file) => holdTask(file, 'sketch'));
    const settings = Object.fromEntries(
      agents.map((agent) => [
        agent,
        { protocol: 'exec', command: ['node', panelAgent, calls[agent]], family: agent },
      ]),
    );
    const homes = [shop, billing].flatMap((project) => {
      configure(project, { agents: settings, queue: { heartbeatTimeoutSeconds: 30, ...limits } });
      return [project, cloneOf(project, 'other')];
    });
    for (const [index, home] of homes.entries()) setOrigin(home, index < 2 ? 'shop' : 'billing');
    const runs: string[] = [];
    for (const [project, list] of [
      [shop, priorities.shop],
      [billing, priorities.billing],
    ] as const)
      for (const priority of list)
        runs.push(await store.queue(project, '--yes', '--no-branch', '--priority', `${priority}`, 'part'));
    // The store forgets when calls began; the server is asked to remember.
    await store.query(`CREATE TABLE begun AS SELECT * FROM charrette.turn_starts LIMIT 0;
      CREATE FUNCTION remember() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO begun (agent, at) VALUES (NEW.agent, NEW.at); RETURN NEW; END';
      CREATE TRIGGER remember AFTER INSERT ON charrette.turn_starts FOR EACH ROW EXECUTE FUNCTION remember()`);
    const env = { CHARRETTE_DATABASE_URL: store.url() };
    const serve = (own: string, second: string) =>
      startWorker(own, env, ['--limit', '4', '--repository', own, '--repository', second]);
    const [here = '', there = '', billingHere = '', billingThere = ''] = homes;
    workers.push(...(await Promise.all([serve(here, billingHere), serve(there, billingThere)])));
    const release = () => {
      for (const free of releases) free();
    };
    return { calls, runs, release };
  }

  const spansOf = (file: string) => readFileSync(`${file}.spans`, 'utf8').trimEnd().split('\n');
  const sketches = (fleet: Fleet, agent: Agent) =>
    spansOf(fleet.calls[agent]).filter((line) => line === 'begin sketch').length;
  /** Waits until so many sketches of the agents are running. None of them ends before the release. */
  const held = (fleet: Fleet, expected: Record<Agent, number>) =>
    expect
      .poll(() => ({ one: sketches(fleet, 'one'), two: sketches(fleet, 'two') }), { timeout: 240_000 })
      .toEqual(expected);
  /** Lets all runs come to their ends; gives when the server says that they were taken and ended. */
  async function finish(fleet: Fleet) {
    fleet.release();
    const read = async () =>
      (
        await store.query(
          `SELECT repository, priority, note, extract(epoch FROM taken)::float AS taken,
             extract(epoch FROM ended)::float AS ended FROM charrette.runs ORDER BY taken`,
        )
      ).rows;
    const notes = async () => (await read()).map(({ note }) => note);
    await expect.poll(notes, { timeout: 400_000, interval: 500 }).toEqual(fleet.runs.map(() => 'done'));
    return read();
  }
  type Rows = Awaited<ReturnType<typeof finish>>;
  const mostAtWork = (rows: Rows) => ({
    all: mostAtOnce(rows),
    shop: mostAtOnce(rows.filter(({ repository }) => repository.endsWith('/shop'))),
    billing: mostAtOnce(rows.filter(({ repository }) => repository.endsWith('/billing'))),
  });

  test('without limits all runs are running in parallel, in both workers', async () => {
    const fleet = await send({});
    await held(fleet, { one: 6, two: 6 });
    const rows = await finish(fleet);
    expect(mostAtWork(rows)).toEqual(every);
    expect([deepest(spansOf(fleet.calls.one)), deepest(spansOf(fleet.calls.two))]).toEqual([6, 6]);
    const took = workers.map((worker) => worker.stderr().match(/claimed /g)?.length ?? 0);
    expect(took).not.toContain(0);
    expect(took.reduce((sum, count) => sum + count)).toBe(fleet.runs.length);
  });

  test('`runs`: limits running runs over all repositories', async () => {
    const fleet = await send({ runs: 3 });
    await held(fleet, { one: 3, two: 3 });
    expect(mostAtWork(await finish(fleet)).all).toBe(3);
  });

  test('`perRepository`: limits running runs of one repository, whatever the other one has', async () => {
    const fleet = await send({ perRepository: 2 });
    await held(fleet, { one: 4, two: 4 });
    expect(mostAtWork(await finish(fleet))).toEqual({ all: 4, shop: 2, billing: 2 });
  });

  test('`parallel` of an agent: limits its concurrent calls without delaying others', async () => {
    const fleet = await send({ agents: { one: { parallel: 2 } } });
    await held(fleet, { one: 2, two: 6 });
    expect(mostAtWork(await finish(fleet))).toEqual(every);
    expect([deepest(spansOf(fleet.calls.one)), deepest(spansOf(fleet.calls.two))]).toEqual([2, 6]);
  });

  test('`rate`: runs begin by priority and no faster, though none of them ends meanwhile', async () => {
    const fleet = await send({ rate: { runs: 2, seconds: 4 } });
    await held(fleet, { one: 6, two: 6 });
    const rows = await finish(fleet);
    expect(mostAtWork(rows)).toEqual(every);
    expect(rows.map(({ priority }) => priority)).toEqual([9, 5, 1, 0, -1, -7]);
    const taken = rows.map((row) => row.taken);
    expect(mostWithin(taken, 4)).toBeLessThanOrEqual(2);
  });

  test('`rate` of an agent: its calls begin no faster, though none of them ends meanwhile', async () => {
    const fleet = await send({ agents: { one: { rate: { calls: 3, seconds: 2 } } } });
    await held(fleet, { one: 6, two: 6 });
    expect(mostAtWork(await finish(fleet))).toEqual(every);
    const spans = spansOf(fleet.calls.one);
    expect(deepest(spans)).toBe(6);
    const { rows } = await store.query(
      "SELECT extract(epoch FROM at)::float AS at FROM begun WHERE agent = 'one' ORDER BY at",
    );
    expect(rows).toHaveLength(spans.filter((line) => line.startsWith('begin ')).length);
    expect(
      mostWithin(
        rows.map(({ at }) => at),
        2,
      ),
    ).toBeLessThanOrEqual(3);
  });
});

function setOrigin(home: string, name: string): void {
  execFileSync('git', ['config', 'remote.origin.url', `https://example.com/${name}.git`], { cwd: home });
}

/** The most of these that had begun and not ended at the same time, by the clock of the server. */
function mostAtOnce(rows: readonly { taken: number; ended: number }[]): number {
  return Math.max(
    ...rows.map(({ taken: at }) => rows.filter((row) => row.taken <= at && row.ended > at).length),
  );
}

/** The highest number of concurrent calls, by the order in which they started and ended. */
function deepest(spans: readonly string[]): number {
  let [depth, most] = [0, 0];
  for (const line of spans) {
    depth += line.startsWith('begin ') ? 1 : -1;
    most = Math.max(most, depth);
  }
  return most;
}

/** The most of these times that lie within so many seconds. */
function mostWithin(times: readonly number[], seconds: number): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + seconds).length));
}
