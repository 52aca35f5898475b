import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeAnswerHere } from '../../src/cli/answer-here.ts';
import type { Invocation } from '../../src/cli/command.ts';
import type { RunView } from '../../src/cli/live/run-view.ts';
import type { RunEvent } from '../../src/engine/event.ts';
import { leaveMessage } from '../../src/engine/inbox.ts';
import { homeOf, runDirectoryOf } from '../../src/engine/run-directory.ts';
import { until } from '../support/live-program.ts';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';
import { callsIn, holdTask, makeProject, runsOf } from '../support/program.ts';
import { command, newDatabase, type Serving, serve } from '../support/serving.ts';
import { cloneOf, recordOf } from '../support/worker-program.ts';

const quick = ['design', '--auto', '--quick', '--dialectic', 'off', '--no-branch', '--queue'];

describe.skipIf(findPostgres() === undefined)('answers to queued runs', () => {
  let server: Postgres;
  let url: string;
  let client: pg.Client;
  let worker: Serving | undefined;
  beforeAll(async () => {
    server = await startPostgres({ durable: false });
  }, 120_000);
  afterAll(() => server?.stop());
  beforeEach(async ({ task }) => {
    url = await newDatabase(server.url, `store_${task.id.replace(/\W/g, '_')}`);
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });
  afterEach(async () => {
    await worker?.stop().catch(() => {});
    worker = undefined;
    await client.end();
  });

  const queue = async (project: string, ...words: string[]): Promise<string> => {
    const { exit, json } = await command(url, project, ...quick, ...words);
    expect(exit, JSON.stringify(json)).toBe(0);
    return json.run;
  };
  const statesOf = async (): Promise<string[]> =>
    (await client.query('SELECT title, state FROM charrette.runs ORDER BY title')).rows.map(
      ({ title, state }) => `${title} ${state}`,
    );

  test('what a person answers in `watch` reaches a worker in another clone', async () => {
    const { project } = await makeProject();
    const run = await queue(project, 'limits');
    worker = await serve(url, cloneOf(project, 'clone'));
    await worker.says('run-ask', run);
    await command(url, project, 'show', run);
    const home = homeOf(project);
    const person = makeAnswerHere(home, runDirectoryOf(home, run), agreeing(url, project), picture);
    person.hear({ type: 'question-ask' } as RunEvent);
    await person.end();
    await worker.says('run-end', run);
    expect(await statesOf()).toEqual(['limits ended']);
  });

  test('an answer that lies in the directory of a run waits for a place like any other', async () => {
    const { project, calls } = await makeProject();
    const asks = await queue(project, 'asks');
    worker = await serve(url, project, { limits: { runs: 1 } });
    await worker.says('run-ask', asks);
    const release = holdTask(calls, 'sketch');
    const works = await queue(project, '--yes', 'works');
    await until(() => callsIn(calls).length > 1);
    const answers = [{ question: 'consent', value: 'yes', source: 'person' as const }];
    await leaveMessage(runDirectoryOf(homeOf(project), asks).inbox, { type: 'answer', answers });
    await sleep(2000);
    expect(await statesOf()).toEqual(['asks asking', 'works at-work']);
    release();
    await worker.says('run-end', works);
    await worker.says('run-end', asks);
  });

  test('`watch` of a run that asks in another clone follows it to its end', async () => {
    const { project } = await makeProject();
    const run = await queue(project, 'limits');
    worker = await serve(url, cloneOf(project, 'clone'));
    await worker.says('run-ask', run);
    expect((await command(url, project, 'show', run)).json.status).toBe('paused');
    const watching = command(url, project, 'watch', run, '--timeout', '60');
    await sleep(500);
    await command(url, project, 'answer', run, 'consent=yes');
    expect(await watching).toMatchObject({ exit: 0, json: { run, status: 'done' } });
  });

  test.each([
    ['--yes', []],
    ['--answers', ['answers.json']],
  ])('`resume %s` answers a run that asks in a worker, and one that waits', async (flag, words) => {
    const { project } = await makeProject();
    writeFileSync(path.join(project, 'answers.json'), '{"consent":"yes"}');
    const asks = await queue(project, 'asks');
    worker = await serve(url, cloneOf(project, 'clone'));
    await worker.says('run-ask', asks);
    const held = await command(url, project, 'resume', asks);
    expect(held.json.error.message).toContain(`A worker is at work on ${asks}.`);
    const { exit, json } = await command(url, project, 'resume', asks, flag, ...words);
    expect([exit, json]).toEqual([0, { run: asks, status: 'paused', watch: `charrette watch ${asks}` }]);
    await worker.says('run-end', asks);
    await worker.stop();
    const waits = await queue(project, 'waits');
    expect((await command(url, project, 'resume', waits, flag, ...words)).json.status).toBe('queued');
    // Where nobody has agreed to anything yet.
    worker = await serve(url, cloneOf(project, 'other'));
    await worker.says('run-end', waits);
    expect((await command(url, project, 'show', waits)).json.status).toBe('done');
  });

  test('a copy of a failed run that waits again shows that it waits', async () => {
    const { project } = await makeProject({ failTask: 'plan' });
    const run = await queue(project, '--yes', 'limits');
    worker = await serve(url, cloneOf(project, 'clone'));
    await worker.says('run-end', run);
    await worker.stop();
    expect((await command(url, project, 'watch', run)).json.status).toBe('failed');
    await command(url, project, 'resume', run);
    expect(await command(url, project, 'watch', run, '--timeout', '2')).toMatchObject({ exit: 3 });
    expect(recordOf(project, run).status).toBe('queued');
  });

  test('a run that never got into the queue keeps its answers, is queued with them later, or ends where it is', async () => {
    const { project } = await makeProject();
    const away = 'postgresql://charrette@127.0.0.1:1/postgres';
    for (const title of ['one', 'two'])
      expect((await command(away, project, ...quick, title)).json.error.code).toBe('store-unreachable');
    const [one = '', two = ''] = runsOf(project);
    const answered = await command(url, project, 'answer', one, 'consent=yes', '--no-resume');
    expect([answered.exit, answered.json.status]).toEqual([0, 'stopped']);
    expect(await command(url, project, 'cancel', two)).toMatchObject({
      exit: 0,
      json: { status: 'cancelled' },
    });
    expect((await command(url, project, 'resume', one)).json.status).toBe('queued');
    worker = await serve(url, cloneOf(project, 'clone'));
    await worker.says('run-end', one);
    expect(worker.of(one)).not.toContain('run-ask');
  });
});

const picture = { live: true, aside: (talk) => talk() } as RunView;

/** A person who takes what is recommended. */
function agreeing(url: string, project: string): Invocation {
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  return {
    arguments: [],
    options: {},
    global: { cwd: project, input: true, yes: true, dryRun: false, config: undefined },
    terminal: { stdin: Readable.from([]), stdout: stderr, stderr, env: { CHARRETTE_DATABASE_URL: url } },
    signal: new AbortController().signal,
  } as unknown as Invocation;
}
