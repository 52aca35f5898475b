import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startCharrette, until } from '../support/live-program.ts';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';
import { artifactsOf, callsIn, charrette, makeProject } from '../support/program.ts';
import { type LiveWorker, recordOf, startWorker } from '../support/worker-program.ts';

const installed = findPostgres() !== undefined;
const quick = ['design', '--auto', '--quick', '--dialectic', 'off', '--json', '--queue', '--yes'];
const silence = { silentSeconds: 2, drainSeconds: 5 };

/** Another machine: a clone of its own with the configuration of the first and a HOME of its own. */
function cloneOf(project: string, name: string): string {
  const clone = path.join(path.dirname(project), name);
  execFileSync('git', ['clone', '--quiet', project, clone], { stdio: 'pipe' });
  mkdirSync(path.join(clone, '.charrette'), { recursive: true });
  for (const file of ['.gitignore', 'config.json'])
    writeFileSync(
      path.join(clone, '.charrette', file),
      readFileSync(path.join(project, '.charrette', file), 'utf8'),
    );
  return clone;
}

function configure(project: string, change: object): void {
  const file = path.join(project, '.charrette', 'config.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }));
}

/** Calls that ended with an answer, in the form in which the scripted agent logs them. */
function finishedCalls(project: string, run: string): string[] {
  const file = path.join(project, '.charrette', 'runs', run, 'ledger.jsonl');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'));
  return lines.map((line) => {
    const { task, seat } = JSON.parse(line);
    return `${task} ${seat} 1`;
  });
}

const count = (list: readonly string[], value: string) => list.filter((other) => other === value).length;

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
  }, 120_000);
  afterAll(() => server?.stop());
  // The example repository is the same everywhere, so workers of one test would serve another.
  beforeEach(async ({ task }) => {
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    const name = `store_${task.id.replace(/\W/g, '_')}`;
    await admin.query(`CREATE DATABASE ${name}`);
    await admin.end();
    shared = { CHARRETTE_DATABASE_URL: server.url.replace(/postgres$/, name) };
    client = new pg.Client({ connectionString: shared.CHARRETTE_DATABASE_URL });
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
  const show = async (project: string, run: string) =>
    JSON.parse((await charrette(['show', run, '--json'], { cwd: project, env: shared })).stdout);

  test('the run of a worker killed with -9 is finished on another machine; no finished call is repeated', async () => {
    const { project, calls } = await makeProject({ delayMs: 400 });
    configure(project, { queue: silence });
    const [one, two] = [cloneOf(project, 'one'), cloneOf(project, 'two')];
    const run = await queue(project, '--no-branch', 'limits');
    expect((await show(project, run)).queue).toMatchObject({ state: 'waiting', waits: 'no worker is there' });
    const first = await start(one);
    await first.says(`took ${run}`);
    await until(() => finishedCalls(one, run).length >= 3);
    first.kill('SIGKILL');
    await first.ended;
    // What only the lost machine knew cannot count.
    const kept = await client.query(
      "SELECT bytes FROM charrette.files WHERE run = $1 AND path LIKE 'lanes/%/result.json'",
      [run],
    );
    expect(kept.rowCount).toBeGreaterThanOrEqual(2);
    const tasks = kept.rows.map(({ bytes }) => JSON.parse(String(bytes)).task as string);
    const finished = finishedCalls(one, run).filter((call) => tasks.includes(call.split(' ')[0] ?? ''));
    // Nothing of that machine is left.
    renameSync(one, `${one}-gone`);
    const second = await start(two);
    await second.says(`${run} ended: done`);
    for (const call of finished) expect(count(callsIn(calls), call), call).toBe(count(finished, call));
    expect(callsIn(calls).length - new Set(callsIn(calls)).size).toBeLessThanOrEqual(2);
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

  test('a suspended worker that wakes finds that it lost its run, stops it and begins anew', async () => {
    const { project, calls } = await makeProject({ delayMs: 500 });
    configure(project, { queue: silence });
    const other = cloneOf(project, 'other');
    const run = await queue(project, '--no-branch', 'limits');
    const first = await start(project);
    await first.says(`took ${run}`);
    await until(() => finishedCalls(project, run).length >= 2);
    first.kill('SIGSTOP');
    const second = await start(other);
    await second.says(`took ${run}`);
    await until(() => finishedCalls(other, run).length >= 3);
    const before = readFileSync(path.join(project, '.charrette', 'runs', run, 'events.jsonl'), 'utf8');
    first.kill('SIGCONT');
    await first.says(`lost ${run}`);
    await second.says(`${run} ended: done`);
    const after = readFileSync(path.join(project, '.charrette', 'runs', run, 'events.jsonl'), 'utf8');
    expect(after.slice(0, before.length)).toBe(before);
    for (const call of new Set(callsIn(calls)))
      expect(count(callsIn(calls), call), call).toBeLessThanOrEqual(3);
    expect((await show(project, run)).status).toBe('done');
    // It serves again under another name.
    const next = await queue(project, '--no-branch', 'again');
    second.kill('SIGTERM');
    await second.ended;
    await first.says(`${next} ended: done`);
    first.kill('SIGTERM');
    await first.ended;
  });

  test('with two workers no limit is passed: runs, runs of a repository, calls of an agent', async () => {
    const { project, calls } = await makeProject({ delayMs: 150 });
    const limits = { runs: 3, perRepository: 2, agents: { one: { parallel: 1 }, two: { parallel: 2 } } };
    configure(project, { queue: { ...silence, ...limits } });
    const other = cloneOf(project, 'other');
    const runs: string[] = [];
    for (let number = 0; number < 5; number += 1)
      runs.push(await queue(project, '--no-branch', `part ${number}`));
    const both = await Promise.all([start(project, '--limit', '1'), start(other, '--limit', '1')]);
    const seen = { runs: 0, one: 0, two: 0 };
    for (;;) {
      const { rows } = await client.query(
        `SELECT (SELECT count(*) FROM charrette.runs WHERE state = 'at-work') AS runs,
                (SELECT count(*) FROM charrette.turns WHERE agent = 'one') AS one,
                (SELECT count(*) FROM charrette.turns WHERE agent = 'two') AS two,
                (SELECT count(*) FROM charrette.runs WHERE run = ANY($1) AND state = 'ended') AS ended`,
        [runs],
      );
      for (const name of ['runs', 'one', 'two'] as const)
        seen[name] = Math.max(seen[name], Number(rows[0][name]));
      if (Number(rows[0].ended) === runs.length) break;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect(seen).toEqual({ runs: 2, one: 1, two: 2 });
    const took = both.map((worker) => worker.stderr().match(/took /g)?.length ?? 0);
    expect(took[0] ?? 0).toBeGreaterThan(0);
    expect(took[1] ?? 0).toBeGreaterThan(0);
    expect((took[0] ?? 0) + (took[1] ?? 0)).toBe(runs.length);
    for (const run of runs) expect((await show(project, run)).status).toBe('done');
    expect(callsIn(calls).length).toBeGreaterThan(runs.length * 3);
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
    const elsewhere = await queue(project, '--no-branch', 'at this commit');
    await until(() => plain.stderr().includes('took') && true);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect((await show(project, elsewhere)).queue.waits).toContain('it is about commit');
    const own = await start(project, '--label', 'gpu');
    for (const run of [labelled, bound, elsewhere]) await own.says(new RegExp(`${run} ended`));
    expect(plain.stderr()).not.toContain(`took ${bound}`);
    for (const worker of [plain, own]) worker.kill('SIGTERM');
    await Promise.all([plain.ended, own.ended]);
  });

  test('a run moves from the embedded store to the server and back with resume, and repeats no finished call', async () => {
    const { project, calls } = await makeProject({ delayMs: 300 });
    const plain = ['design', '--auto', '--quick', '--dialectic', 'off', '--no-branch', '--yes', 'limits'];
    const embedded = startCharrette(plain, { cwd: project });
    await embedded.says(/2a: sketches — /);
    embedded.kill('SIGKILL');
    await embedded.ended;
    const served = startCharrette(['resume'], { cwd: project, env: shared });
    await until(() => callsIn(calls).some((call) => call.startsWith('plan-review')));
    served.kill('SIGTERM');
    await served.ended;
    const back = await charrette(['resume', '--json'], { cwd: project });
    expect(JSON.parse(back.stdout)).toMatchObject({ status: 'done' });
    const repeated = callsIn(calls).filter((call, index, all) => all.indexOf(call) !== index);
    expect(repeated.filter((call) => /^(sketch|synthesis|plan) /.test(call))).toEqual([]);
  });
});
