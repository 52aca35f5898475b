import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';
import { charrette, holdTask, makeProject } from '../support/program.ts';
import { startServe } from '../support/web-server.ts';
import { cloneOf, recordOf, startWorker } from '../support/worker-program.ts';

const quick = ['design', '--auto', '--quick', '--dialectic', 'off', '--no-branch', '--json', '--queue'];

/** The API of the page of a project, as a program uses it. */
async function openPage(project: string, env: Record<string, string>) {
  const { url, origin, live } = await startServe(project, env);
  onTestFinished(async () => {
    live.kill('SIGTERM');
    await live.ended;
  });
  const headers = {
    Authorization: `Bearer ${new URL(url).searchParams.get('token')}`,
    'Content-Type': 'application/json',
  };
  return {
    post: async (address: string, value: unknown) => {
      const reply = await fetch(`${origin}/api/runs/${address}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(value),
      });
      return { status: reply.status, value: await reply.json() };
    },
    /** Listens as the page does until the run has the wanted state. */
    hears: async (run: string, wanted: RegExp) => {
      const stop = new AbortController();
      const reply = await fetch(`${origin}/api/runs/${run}/stream`, { headers, signal: stop.signal });
      let got = '';
      for await (const chunk of reply.body ?? []) {
        got += Buffer.from(chunk).toString();
        if (wanted.test(got)) break;
      }
      stop.abort();
      return got;
    },
  };
}

describe.skipIf(findPostgres() === undefined)('the page of a run that a worker in another clone has', () => {
  let server: Postgres;
  let shared: { CHARRETTE_DATABASE_URL: string };
  beforeAll(async () => {
    server = await startPostgres({ durable: false });
    shared = { CHARRETTE_DATABASE_URL: server.url };
  });
  afterAll(() => server?.stop());

  test('shows its questions; an answer reaches the worker, another one is refused, and a cancel ends it', async () => {
    const { project, calls } = await makeProject();
    const queue = async (feature: string): Promise<string> => {
      const { code, stdout, stderr } = await charrette([...quick, feature], { cwd: project, env: shared });
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout).run;
    };
    const run = await queue('limits');
    const page = await openPage(project, shared);
    const worker = await startWorker(cloneOf(project, 'elsewhere'), shared);
    onTestFinished(() => worker.kill('SIGKILL'));
    await worker.says(`${run} waits`);
    await page.hears(run, /"questions":\["consent"\]/);
    const answered = await page.post(`${run}/answers`, { answers: { consent: 'yes' } });
    expect(answered).toMatchObject({ status: 200, value: { run } });
    expect(readdirSync(path.join(project, '.charrette', 'runs', run, 'inbox'))).toEqual([]);
    await page.hears(run, /"status":"done"/);
    expect((await page.post(`${run}/answers`, { answers: { consent: 'no' } })).status).toBe(400);

    holdTask(calls, 'sketch');
    const doomed = await queue('never');
    await page.hears(doomed, /"lane-start"/);
    expect(await page.post(`${doomed}/cancel`, {})).toEqual({
      status: 200,
      value: { run: doomed, status: 'cancelled' },
    });
    expect(recordOf(project, doomed).status).toBe('cancelled');
    await worker.says(`${doomed} ended: cancelled`);
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  });
});
