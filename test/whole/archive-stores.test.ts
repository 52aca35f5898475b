import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCharrette, until } from '../support/live-program.ts';
import { findPostgres } from '../support/postgres.ts';
import { artifactsOf, callsIn, charrette, fixed, holdTask, makeProject } from '../support/program.ts';
import { sharedStore } from '../support/shared-store.ts';
import { cloneOf, timesIn } from '../support/worker-program.ts';

const quick = ['design', '--auto', '--quick', '--dialectic', 'off', '--no-branch'];
const clones = ['shop', 'clone', 'third'];
const ways = [
  ['the embedded store', 'a PostgreSQL server'],
  ['a PostgreSQL server', 'the embedded store'],
] as const;

describe.skipIf(findPostgres() === undefined)('archives between stores', () => {
  const store = sharedStore();
  type Kind = (typeof ways)[number][number];
  const envOf = (kind: Kind): Record<string, string> => ({
    ...fixed,
    ...(kind === 'a PostgreSQL server' ? { CHARRETTE_DATABASE_URL: store.url() } : {}),
  });
  /** The program in a clone with one of the stores; gives its JSON document. */
  const on = (cwd: string, kind: Kind) => async (words: readonly string[]) => {
    const { code, stdout, stderr } = await charrette(['--json', ...words], { cwd, env: envOf(kind) });
    return { code, stderr, json: JSON.parse(stdout || 'null') };
  };
  /** Takes a run to another clone in one file. */
  const move = async (project: string, from: Kind, run: string, to: Kind, name = 'clone') => {
    const file = path.join(path.dirname(project), `to-${name}.tar.gz`);
    const exported = await on(project, from)(['runs', 'export', run, file]);
    expect(exported.code, JSON.stringify(exported)).toBe(0);
    const clone = cloneOf(project, name);
    const imported = await on(clone, to)(['runs', 'import', file]);
    expect(imported.code, JSON.stringify(imported)).toBe(0);
    return clone;
  };
  /** The artifacts and calls of the same run when nothing happens to it. */
  const undisturbed = async () => {
    const { project, calls } = await makeProject();
    const { json } = await on(project, 'the embedded store')([...quick, '--yes', 'limits']);
    expect(json.status).toBe('done');
    return { run: json.run as string, artifacts: artifactsOf(project, json.run), calls: callsIn(calls) };
  };

  test.each(ways)('a run stopped in the middle on %s finishes on %s', async (from, to) => {
    const whole = await undisturbed();
    const { project, calls } = await makeProject();
    const release = holdTask(calls, 'plan');
    const live = startCharrette([...quick, '--yes', 'limits'], { cwd: project, env: envOf(from) });
    await until(() => callsIn(calls).some((call) => call.startsWith('plan ')), 120_000);
    const refused = await on(project, from)(['runs', 'export', 'latest']);
    expect(refused.json.error).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('is running'),
    });
    live.kill('SIGTERM');
    await live.ended;
    release();
    const clone = await move(project, from, whole.run, to);
    const resumed = await on(clone, to)(['resume', whole.run]);
    expect([resumed.code, resumed.json.status], resumed.stderr).toEqual([0, 'done']);
    expect(artifactsOf(clone, whole.run)).toEqual(whole.artifacts);
    // The call that the stop ended is made again, and no other.
    const twice = whole.calls.filter((call) => call.startsWith('plan '));
    expect(callsIn(calls)).toEqual([...whole.calls, ...twice].sort());
  });

  test('a run that returns to a server continues from its work elsewhere, not from the old journal', async () => {
    const whole = await undisturbed();
    const { project, calls } = await makeProject();
    const [server, embedded] = ways[1];
    const stopAt = async (task: string, cwd: string, kind: Kind, words: string[]) => {
      const release = holdTask(calls, task);
      const live = startCharrette(words, { cwd, env: envOf(kind) });
      await until(() => callsIn(calls).some((call) => call.startsWith(`${task} `)), 120_000);
      live.kill('SIGTERM');
      await live.ended;
      release();
    };
    await stopAt('synthesis', project, server, [...quick, '--yes', 'limits']);
    const clone = await move(project, server, whole.run, embedded);
    await stopAt('plan', clone, embedded, ['resume', whole.run]);
    const third = await move(clone, embedded, whole.run, server, 'third');
    const resumed = await on(third, server)(['resume', whole.run]);
    expect([resumed.code, resumed.json.status], resumed.stderr).toEqual([0, 'done']);
    expect(artifactsOf(third, whole.run)).toEqual(whole.artifacts);
    const twice = whole.calls.filter((call) => /^(?:synthesis|plan) /.test(call));
    expect(callsIn(calls)).toEqual([...whole.calls, ...twice].sort());
  });

  test.each(ways)('a run paused on %s keeps its answer on %s', async (from, to) => {
    const whole = await undisturbed();
    const { project, calls } = await makeProject();
    const paused = await on(project, from)([...quick, 'limits']);
    expect([paused.code, paused.json.status]).toEqual([7, 'paused']);
    await on(project, from)(['answer', whole.run, 'consent=yes', '--no-resume']);
    const clone = await move(project, from, whole.run, to);
    const resumed = await on(clone, to)(['resume', whole.run]);
    expect([resumed.code, resumed.json.status], resumed.stderr).toEqual([0, 'done']);
    expect(artifactsOf(clone, whole.run)).toEqual(whole.artifacts);
    expect(callsIn(calls)).toEqual(whole.calls);
  });

  test.each(ways)('a run that ended on %s shows and reports the same on %s', async (from, to) => {
    const { project } = await makeProject();
    const { json } = await on(project, from)([...quick, '--yes', 'limits']);
    expect(json.status).toBe('done');
    const clone = await move(project, from, json.run, to);
    expect(await told(clone, to, json.run)).toEqual(await told(project, from, json.run));
    const record = readFileSync(path.join(clone, '.charrette', 'runs', json.run, 'run.json'), 'utf8');
    expect(record).not.toContain(project);
    const again = await on(clone, to)(['resume', json.run]);
    expect(again.json.error.message).toContain('has ended: done');
  });

  test('refuses to export a queued or claimed run, also where its store is unreachable', async () => {
    const { project, calls } = await makeProject();
    const release = holdTask(calls, 'sketch');
    const run = await store.queue(project, '--yes', '--no-branch', 'limits');
    const refusal = async (cwd: string, env: Record<string, string>) => {
      const { code, stdout } = await charrette(['runs', 'export', run, '--json'], { cwd, env });
      expect(code).toBe(2);
      return JSON.parse(stdout).error;
    };
    const shared = { CHARRETTE_DATABASE_URL: store.url() };
    const away = { CHARRETTE_DATABASE_URL: 'postgresql://charrette@127.0.0.1:1/postgres' };
    const unseen = {
      code: 'usage',
      message: `The run ${run} was given to the queue of a shared store, which cannot be reached from here.`,
      fix: expect.stringContaining('CHARRETTE_DATABASE_URL'),
    };
    expect((await refusal(project, shared)).message).toContain('waits in the queue');
    expect(await refusal(project, {})).toMatchObject(unseen);
    expect(await refusal(project, away)).toMatchObject(unseen);

    const clone = cloneOf(project, 'clone');
    const worker = await store.serve(clone);
    await until(() => callsIn(calls).some((call) => call.startsWith('sketch ')), 120_000);
    for (const cwd of [project, clone])
      expect((await refusal(cwd, shared)).message).toMatch(
        new RegExp(`^The run ${run} is running in \\S+\\.$`),
      );
    expect(await refusal(project, {})).toMatchObject(unseen);
    release();
    await worker.says('run-end', run);

    // It is over: it can be taken along, and is nothing for the queue there.
    await store.command(project, 'show', run);
    const third = cloneOf(project, 'third');
    const file = path.join(path.dirname(project), 'run.tar.gz');
    expect((await charrette(['runs', 'export', run, file], { cwd: project, env: shared })).code).toBe(0);
    expect((await charrette(['runs', 'import', file], { cwd: third })).code).toBe(0);
    const kept = await told(third, 'the embedded store', run);
    expect(kept).toEqual(await told(project, 'a PostgreSQL server', run));
  });

  test('a queued run that failed in a worker is exported and continues without a queue', async () => {
    const { project, calls } = await makeProject({ failTask: 'plan' });
    const run = await store.queue(project, '--yes', '--no-branch', 'limits');
    const worker = await store.serve(project);
    await worker.says('run-end', run);
    const before = callsIn(calls).filter((call) => !call.startsWith('plan '));
    const config = path.join(project, '.charrette', 'config.json');
    writeFileSync(config, readFileSync(config, 'utf8').replaceAll('"plan"', '"none"'));
    const clone = await move(project, 'a PostgreSQL server', run, 'the embedded store');
    const resumed = await on(clone, 'the embedded store')(['resume', run]);
    expect([resumed.code, resumed.json.status], resumed.stderr).toEqual([0, 'done']);
    for (const call of before) expect(timesIn(callsIn(calls), call), call).toBe(1);
  });

  /** What commands say of a run that is over, with the place of its clone left out. */
  async function told(cwd: string, kind: Kind, run: string) {
    const page = path.join(mkdtempSync(path.join(path.dirname(cwd), 'page-')), 'report.html');
    const shown = await on(cwd, kind)(['show', run]);
    const plain = (words: string[]) => charrette(words, { cwd, env: envOf(kind) });
    const [text, report] = [await plain(['show', run]), await plain(['report', run])];
    const paged = await plain(['report', run, '--html', '--out', page]);
    expect([shown, text, report, paged].map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const html = readFileSync(page, 'utf8');
    rmSync(path.dirname(page), { recursive: true });
    // Who worked on it, and for whom, stays where it was.
    const { process: _process, queue: _queue, ...record } = shown.json;
    const places = clones.map((name) => path.join(path.dirname(cwd), name));
    const local = (value: string) => places.reduce((text, place) => text.replaceAll(place, 'CLONE'), value);
    return [JSON.stringify(record), text.stdout, report.stdout, html].map(local);
  }
});
