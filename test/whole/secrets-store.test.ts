import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  canaries,
  dumpTables,
  expectFound,
  expectNone,
  givenEnvironment,
  leakyAgent,
  plantKeys,
  textsBelow,
} from '../support/canaries.ts';
import { makeLiteProject } from '../support/lite-project.ts';
import { until } from '../support/live-program.ts';
import { findPostgres, startPostgres } from '../support/postgres.ts';
import { charrette, makeProject, runsOf } from '../support/program.ts';
import { cloneOf, connected, recordOf, startWorker } from '../support/worker-program.ts';

const said = 'I found SHOP_PASSWORD=[secret]';

test('keys that an agent prints are redacted in the journal of a waiting run, in its work and in its commits', async () => {
  const { project, calls, git } = makeLiteProject();
  const agent = leakyAgent(calls, ['none'], undefined, './builder-agent.mjs');
  const config = plantKeys(project, { one: { ...agent, family: 'one' } });
  const words = (...args: string[]) => charrette(args, { cwd: project, env: givenEnvironment });
  const asked = await words('lite-plan', 'add the numbers and their total');
  const [run = ''] = runsOf(project);
  const answers = path.join(project, '.home', 'answers.json');
  writeFileSync(
    answers,
    JSON.stringify({
      consent: 'yes',
      'auto-mode': 'interactive',
      exploration: 'auto-detect',
      'clarify-1': '★ three',
    }),
  );
  const planned = await words('resume', run, '--answers', answers);
  expect(planned.code, planned.stderr).toBe(7);

  const store = new PGlite(path.join(project, '.charrette', 'store'));
  const tables = await dumpTables(
    async (statement) => (await store.query<Record<string, unknown>>(statement)).rows,
  );
  await store.close();
  expect(Object.values(tables).join('')).toContain(run);
  expect(Object.values(tables).join('')).toContain(said);
  expectNone(tables);

  const done = await words('resume', run, '--yes', '--verbose');
  expect(done.code, done.stderr).toBe(0);
  expectFound(calls);
  const commits = git('log', '--all', '--patch', '--format=raw');
  expect(commits).toContain('the total');
  const record = textsBelow(path.join(project, '.charrette'), [config]);
  const outputs = [asked, planned, done].map(({ stdout, stderr }) => stdout + stderr).join('');
  expect(Object.values(record).some((text) => text.includes(said))).toBe(true);
  expectNone({ ...record, outputs, commits });
});

describe.skipIf(findPostgres() === undefined)('on a PostgreSQL server', () => {
  test('neither the password of the store nor keys appear in a table, file, archive or output', async () => {
    const server = await startPostgres({ durable: false });
    onTestFinished(() => server.stop());
    const env = {
      ...givenEnvironment,
      // The server trusts everybody on loopback, whatever the password.
      CHARRETTE_DATABASE_URL: server.url.replace('charrette@', `charrette:${canaries.store}@`),
    };
    const { project, calls } = await makeProject();
    const agent = leakyAgent(calls, ['0', 'none', 'plain']);
    const config = plantKeys(project, { one: { ...agent, family: 'one' }, two: { ...agent, family: 'two' } });
    const clone = cloneOf(project, 'elsewhere');
    plantKeys(clone, JSON.parse(readFileSync(config, 'utf8')).agents);

    const queued = await charrette(
      ['design', '--auto', '--quick', '--no-branch', '--json', '--yes', '--queue', 'let customers cancel'],
      { cwd: project, env },
    );
    expect(queued.code, queued.stderr).toBe(0);
    const { run } = JSON.parse(queued.stdout) as { run: string };
    const held = await charrette(['runs', '--json'], { cwd: project, env });
    const worker = await startWorker(clone, env, ['--verbose']);
    onTestFinished(async () => {
      worker.kill('SIGTERM');
      await worker.ended;
    });
    await until(() => {
      try {
        return recordOf(clone, run).status === 'done';
      } catch {
        return false;
      }
    });
    const dump = () =>
      connected(server.url, (client) =>
        dumpTables(async (statement) => (await client.query<Record<string, unknown>>(statement)).rows),
      );
    let tables = await dump();
    while (tables['"charrette"."runs"']?.includes('done') !== true) {
      await sleep(50);
      tables = await dump();
    }
    const seen = await charrette(['show', run, '--json'], { cwd: project, env });
    const archive = path.join(project, '.home', 'run.tar.gz');
    const exported = await charrette(['runs', 'export', run, archive], { cwd: project, env });
    expect(exported.code, exported.stderr).toBe(0);
    expectFound(calls);
    for (const [name, text] of [
      ['tables', Object.values(tables).join('')],
      ['archive', gunzipSync(readFileSync(archive)).toString('latin1')],
    ] as const)
      expect(text, name).toContain(said);
    const others = path.join(clone, '.charrette', 'config.json');
    expectNone({
      ...tables,
      ...textsBelow(path.join(project, '.charrette'), [config]),
      ...textsBelow(path.join(clone, '.charrette'), [others]),
      archive: gunzipSync(readFileSync(archive)).toString('latin1'),
      outputs: [queued, held, seen, exported].map(({ stdout, stderr }) => stdout + stderr).join(''),
      worker: worker.stdout() + worker.stderr(),
    });
  });

  test('reports an unreachable store without its password', async () => {
    const { project } = await makeProject();
    const env = {
      CHARRETTE_DATABASE_URL: `postgresql://me:${canaries.store}@127.0.0.1:1/none`,
      CHARRETTE_DATABASE_RETRY_SECONDS: '1',
    };
    for (const words of [['design', '--yes', '--auto', 'x'], ['worker'], ['runs'], ['doctor'], ['config']]) {
      const { stdout, stderr } = await charrette([...words, '--verbose'], { cwd: project, env });
      if (words[0] === 'design' || words[0] === 'worker')
        expect(stdout + stderr, words.join(' ')).toContain('127.0.0.1:1');
      expectNone({ [words.join(' ')]: stdout + stderr });
    }
  });
});
