// One long life of a process in which design runs are started, answered, stopped, resumed, cancelled and removed without
// end. node --expose-gc bench/measured/soak.ts <project> <inputs.json> <embedded | PostgreSQL url> <minutes> <parallel>
// Prints a JSON line for every sample.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Question } from '../../src/engine/question.ts';
import { listRunIds, runDirectoryOf } from '../../src/engine/run-directory.ts';
import { readRunRecord } from '../../src/engine/run-record.ts';
import { startWebServer } from '../../src/web/server.ts';
import type { DesignInputs } from '../../src/workflows/design/state.ts';
import { panelAnswer } from '../../test/agents/panel-answers.mjs';
import { perform } from '../../test/crash/in-process.ts';
import { openPanel } from '../panel.ts';
import type { SoakSample } from '../soak.ts';

const [project = '', inputsFile = '', url = 'embedded', minutes = '1', parallel = '4'] =
  process.argv.slice(2);
const inputs = JSON.parse(readFileSync(inputsFile, 'utf8')) as DesignInputs;
const asking = new Set<string>();
const { engine, home, make } = await openPanel({
  project,
  inputs,
  store: url === 'embedded' ? 'embedded' : { url },
  latencyMs: 5,
  answer: ({ task, prompt, seat, run }) =>
    panelAnswer(task, prompt, seat, asking.has(run) ? 'asks' : 'plain'),
  keepJournalsMs: url === 'embedded' ? 0 : 5000,
});
const context = { cwd: project, config: undefined, env: process.env, program: [process.execPath] };
const server = await startWebServer(
  { home, context, prices: undefined },
  { host: '127.0.0.1', port: 0, names: [], files: new Map() },
);
const kept = 20;
const ends = { done: 0, cancelled: 0, resumed: 0, answered: 0, removed: 0 };
const until = Date.now() + Number(minutes) * 60_000;
const never = new AbortController().signal;
const problems: string[] = [];
const started = Date.now();
let number = 0;

/** What a day brings, in turns. */
const kinds = [plain, plain, answered, cancelled, plain, stopped, watched, paused, plain, cancelled];

const sampling = sampleAlways();
await Promise.all(Array.from({ length: Number(parallel) }, work));
await sampling;
await server.close();
await engine.close();
if (problems.length > 0) process.stderr.write(`${problems.slice(0, 10).join('\n')}\n`);
process.exit(problems.length === 0 ? 0 : 1);

async function work(): Promise<void> {
  while (Date.now() < until) {
    number += 1;
    const kind = kinds[number % kinds.length] ?? plain;
    try {
      await kind();
    } catch (error) {
      problems.push(`${kind.name}: ${String(error)}`);
    }
    if (number % 10 === 0) await prune();
  }
}

async function plain(): Promise<void> {
  const run = await make('plain');
  await engine.start(run);
  await expectDone(run);
}

/** A person answers every question at once. */
async function answered(): Promise<void> {
  const run = await makeAsking();
  await engine.start(run);
  const end = await engine.wait(run, { signal: never, answer: async (open) => answersTo(open) });
  expect(run, end.record.status);
  ends.answered += 1;
  asking.delete(run);
}

/** Nobody is there to answer: the run pauses, is answered later and goes on. */
async function paused(): Promise<void> {
  const run = await makeAsking();
  for (;;) {
    await engine.start(run);
    const end = await engine.wait(run, { signal: never });
    if (end.kind !== 'paused') {
      expect(run, end.record.status);
      asking.delete(run);
      return;
    }
    await engine.answer(run, answersTo(end.questions));
    ends.resumed += 1;
  }
}

async function cancelled(): Promise<void> {
  const run = await make('cancelled');
  await engine.start(run);
  await sleep(50 + (number % 7) * 40);
  if ((await readRunRecord(runDirectoryOf(home, run))).status !== 'running') return;
  const waiting = engine.wait(run, { signal: never });
  await engine.cancel(run, 'enough');
  await waiting;
  ends.cancelled += 1;
}

async function stopped(): Promise<void> {
  const run = await make('stopped');
  const stop = new AbortController();
  await engine.start(run);
  const waiting = engine.wait(run, { signal: stop.signal });
  await sleep(50 + (number % 5) * 60);
  stop.abort();
  const end = await waiting;
  if (end.kind === 'ended') return;
  ends.resumed += 1;
  await engine.start(run);
  await expectDone(run);
}

/** The page follows it. */
async function watched(): Promise<void> {
  const run = await make('watched');
  await engine.start(run);
  const stream = get(`http://127.0.0.1:${server.port}/api/runs/${run}/stream`, {
    headers: { Authorization: `Bearer ${server.token}` },
  });
  stream.on('error', () => {});
  stream.on('response', (response) => response.resume());
  await expectDone(run);
  stream.destroy();
}

async function expectDone(run: string): Promise<void> {
  const { record } = await engine.wait(run, { signal: never });
  expect(run, record.status, record.error?.message);
}

function expect(run: string, status: string, message = ''): void {
  if (status === 'done') ends.done += 1;
  else problems.push(`${run} ended as ${status} ${message}`);
}

async function makeAsking(): Promise<string> {
  const run = await make('asking', { auto: false });
  asking.add(run);
  return run;
}

function answersTo(questions: readonly Question[]) {
  return questions.map(({ id, recommended, options }) => ({
    question: id,
    value: recommended ?? options?.[0]?.value ?? 'yes',
    source: 'person' as const,
  }));
}

/** As a person does it who wants to keep the last few. */
async function prune(): Promise<void> {
  const places = { project, home: project, calls: '', answers: '' };
  const { stdout, exit, stderr } = await perform(['runs', 'prune', '--keep', String(kept), '--json'], places);
  if (exit !== 0) problems.push(`prune: ${stderr}`);
  else ends.removed += JSON.parse(stdout).removed.length;
}

async function sampleAlways(): Promise<void> {
  const client = url === 'embedded' ? undefined : new pg.Client({ connectionString: url });
  await client?.connect();
  while (Date.now() < until) {
    await sleep(Math.min(2000, Math.max(200, until - Date.now())));
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    const sample: SoakSample = {
      seconds: (Date.now() - started) / 1000,
      runs: ends.done + ends.cancelled,
      rss,
      heap: heapUsed + external,
      handles: readdirSync('/proc/self/fd').length,
      resources: process.getActiveResourcesInfo().length,
      store: client === undefined ? sizeOf(home.store) : await databaseSize(client),
      rows: client === undefined ? undefined : await rowCount(client),
      kept: (await listRunIds(home)).length,
      ends: { ...ends },
    };
    process.stdout.write(`${JSON.stringify(sample)}\n`);
  }
  await client?.end();
}

async function databaseSize(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ size: string }>(
    'SELECT pg_database_size(current_database())::text AS size',
  );
  return Number(rows[0]?.size);
}

async function rowCount(client: pg.Client): Promise<number> {
  const tables = ['workflow_status', 'operation_outputs', 'notifications'];
  const counts = tables.map((table) => `(SELECT count(*) FROM dbos.${table})`);
  const { rows } = await client.query<{ count: string }>(`SELECT (${counts.join(' + ')})::text AS count`);
  return Number(rows[0]?.count);
}

function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const { size } = statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false }) ?? {
      size: 0,
    };
    if (entry.isFile()) bytes += size;
  }
  return bytes;
}
