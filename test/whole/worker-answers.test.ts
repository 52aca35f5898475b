import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/engine/event.ts';
import { leaveMessage } from '../../src/engine/inbox.ts';
import { homeOf, runDirectoryOf } from '../../src/engine/run-directory.ts';
import type { Invocation } from '../../src/service/command.ts';
import { openProject, projectOf } from '../../src/service/project.ts';
import { answerQueued } from '../../src/service/queue.ts';
import type { RunView } from '../../src/surfaces/cli/reporter.ts';
import { makeAnswerHere } from '../../src/surfaces/cli/watch.ts';
import { until } from '../support/live-program.ts';
import { findPostgres } from '../support/postgres.ts';
import { callsIn, holdTask, makeProject, runsOf } from '../support/program.ts';
import { command as commandOn } from '../support/serving.ts';
import { queued, sharedStore } from '../support/shared-store.ts';
import { cloneOf, recordOf } from '../support/worker-program.ts';

describe.skipIf(findPostgres() === undefined)('answers to queued runs', () => {
  const { url, query, command, serve, queue } = sharedStore();
  const statesOf = async (): Promise<string[]> =>
    (await query('SELECT title, state FROM charrette.runs ORDER BY title')).rows.map(
      ({ title, state }) => `${title} ${state}`,
    );

  test('an answer in `watch` reaches a worker in another clone', async () => {
    const { project } = await makeProject();
    const run = await queue(project, '--no-branch', 'limits');
    const worker = await serve(cloneOf(project, 'clone'));
    await worker.says('run-ask', run);
    await command(project, 'show', run);
    const home = homeOf(project);
    const person = makeAnswerHere(
      openProject(project, { env: { CHARRETTE_DATABASE_URL: url() } }),
      runDirectoryOf(home, run),
      agreeing(url(), project),
      picture,
    );
    person.hear({ type: 'question-ask' } as RunEvent);
    await person.end();
    await worker.says('run-end', run);
    expect(await statesOf()).toEqual(['limits ended']);
  });

  test('an answer left in a run’s directory waits for a free place like any other', async () => {
    const { project, calls } = await makeProject();
    const asks = await queue(project, '--no-branch', 'asks');
    const worker = await serve(project, { limits: { runs: 1 } });
    await worker.says('run-ask', asks);
    const release = holdTask(calls, 'sketch');
    const works = await queue(project, '--no-branch', '--yes', 'works');
    await until(() => callsIn(calls).length > 1);
    const answers = answersTo('consent', 'yes');
    await leaveMessage(runDirectoryOf(homeOf(project), asks).inbox, { type: 'answer', answers });
    await sleep(2000);
    expect(await statesOf()).toEqual(['asks waiting', 'works running']);
    release();
    await worker.says('run-end', works);
    await worker.says('run-end', asks);
  });

  test('`watch` of a run that asks in another clone follows it to its end', async () => {
    const { project } = await makeProject();
    const run = await queue(project, '--no-branch', 'limits');
    const worker = await serve(cloneOf(project, 'clone'));
    await worker.says('run-ask', run);
    expect((await command(project, 'show', run)).json.status).toBe('paused');
    const watching = command(project, 'watch', run, '--timeout', '240');
    await sleep(500);
    await command(project, 'answer', run, 'consent=yes');
    expect(await watching).toMatchObject({ exit: 0, json: { run, status: 'done' } });
  });

  test.each([
    ['--yes', []],
    ['--answers', ['answers.json']],
  ])('`resume %s` answers a run that asks in a worker, and one that waits', async (flag, words) => {
    const { project } = await makeProject();
    writeFileSync(path.join(project, 'answers.json'), '{"consent":"yes"}');
    const asks = await queue(project, '--no-branch', 'asks');
    let worker = await serve(cloneOf(project, 'clone'));
    await worker.says('run-ask', asks);
    const held = await command(project, 'resume', asks);
    expect(held.json.error.message).toContain(`A worker is running ${asks}.`);
    const { exit, json } = await command(project, 'resume', asks, flag, ...words);
    expect([exit, json]).toEqual([0, { run: asks, status: 'paused', watch: `charrette watch ${asks}` }]);
    await worker.says('run-end', asks);
    await worker.stop();
    const waits = await queue(project, '--no-branch', 'waits');
    expect((await command(project, 'resume', waits, flag, ...words)).json.status).toBe('queued');
    // Without any consent yet.
    worker = await serve(cloneOf(project, 'other'));
    await worker.says('run-end', waits);
    expect((await command(project, 'show', waits)).json.status).toBe('done');
  });

  test('a copy of a failed run that waits again shows that it waits', async () => {
    const { project } = await makeProject({ failTask: 'plan' });
    const run = await queue(project, '--no-branch', '--yes', 'limits');
    const worker = await serve(cloneOf(project, 'clone'));
    await worker.says('run-end', run);
    await worker.stop();
    expect((await command(project, 'watch', run)).json.status).toBe('failed');
    await command(project, 'resume', run);
    expect(await command(project, 'watch', run, '--timeout', '2')).toMatchObject({ exit: 3 });
    expect(recordOf(project, run).status).toBe('queued');
  });

  test('a run that never got into the queue keeps its answers, is queued with them later, or ends where it is', async () => {
    const { project } = await makeProject();
    const away = 'postgresql://charrette@127.0.0.1:1/postgres';
    const errors = [];
    for (const title of ['one', 'two'])
      errors.push((await commandOn(away, project, ...queued, '--no-branch', title)).json.error);
    const [one = '', two = ''] = runsOf(project);
    const fix = expect.stringContaining(`charrette resume ${one}`);
    expect(errors[0]).toMatchObject({ code: 'store-unreachable', retryable: true, fix });
    const answered = await command(project, 'answer', one, 'consent=yes', '--no-resume');
    expect([answered.exit, answered.json.status]).toEqual([0, 'stopped']);
    expect(await command(project, 'cancel', two)).toMatchObject({
      exit: 0,
      json: { status: 'cancelled' },
    });
    expect((await command(project, 'resume', one)).json.status).toBe('queued');
    const worker = await serve(cloneOf(project, 'clone'));
    await worker.says('run-end', one);
    expect(worker.of(one)).not.toContain('run-ask');
  });

  test('of two answers to one question at the same moment only one is confirmed, and that one counts', async () => {
    const { project } = await makeProject();
    const run = await queue(project, '--no-branch', 'limits');
    const give = (answer: string) => command(project, 'answer', run, answer, '--no-resume');
    for (const question of ['one', 'two', 'three', 'four']) {
      const said = await Promise.all([give(`${question}=here`), give(`${question}=there`)]);
      expect(said.map(({ exit }) => exit).sort()).toEqual([0, 2]);
      const { rows } = await query(
        "SELECT body->'answers'->0->>'value' AS value FROM charrette.messages WHERE body->'answers'->0->>'question' = $1",
        [question],
      );
      expect(rows).toEqual([{ value: said[0]?.exit === 0 ? 'here' : 'there' }]);
    }
  });

  test('an answer that the worker has taken counts for a copy that does not show it yet', async () => {
    const { project } = await makeProject();
    const run = await queue(project, '--no-branch', 'limits');
    // The stored run when the message left, and the recorded answer.
    await query('CREATE TABLE gone (questions text)');
    await query(`CREATE FUNCTION note_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO gone SELECT convert_from(bytes, 'UTF8') FROM charrette.files
          WHERE run = OLD.run AND path = 'questions.json';
        RETURN OLD; END $$`);
    await query(
      'CREATE TRIGGER noted BEFORE DELETE ON charrette.messages FOR EACH ROW EXECUTE FUNCTION note_gone()',
    );
    const worker = await serve(cloneOf(project, 'clone'));
    await worker.says('run-ask', run);
    await command(project, 'show', run);
    const copy = path.join(project, '.charrette', 'runs', run, 'questions.json');
    const stale = readFileSync(copy);
    await command(project, 'answer', run, 'consent=yes');
    await worker.says('run-end', run);
    const { rows } = await query('SELECT questions FROM gone');
    expect(rows.map(({ questions }) => JSON.parse(questions).answers)).toMatchObject([[{ value: 'yes' }]]);
    writeFileSync(copy, stale);
    const late = answerQueued(
      projectOf(agreeing(url(), project)),
      runDirectoryOf(homeOf(project), run),
      answersTo('consent', 'no'),
    );
    await expect(late).rejects.toThrow('consent was answered: yes');
  });
});

const answersTo = (question: string, value: string) => [{ question, value, source: 'person' as const }];

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
