// One long life of a process in which design runs are started, answered, stopped, resumed, cancelled and removed without
// end. node --expose-gc bench/soak/life.ts <project> <inputs.json> <embedded | PostgreSQL url> <minutes> <rounds> <parallel> [leak]
// Works in rounds, so many at least. After each it waits until everything should be gone, and prints what remains as a line of JSON.
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAgent } from '../../src/agents/registry.ts';
import { thisWorld } from '../../src/agents/settings.ts';
import type { Question } from '../../src/engine/question.ts';
import { listRunIds, runDirectoryOf } from '../../src/engine/run-directory.ts';
import { readRunRecord } from '../../src/engine/run-record.ts';
import { openProject } from '../../src/service/project.ts';
import { startWebServer } from '../../src/surfaces/web/server.ts';
import type { DesignInputs } from '../../src/workflows/design/desk.ts';
import { panelAnswer } from '../../test/agents/panel-answers.mjs';
import { perform } from '../../test/crash/in-process.ts';
import { panelAgent } from '../../test/support/program.ts';
import { openPanel } from '../panel.ts';
import { leakOf } from './leaks.ts';
import { look } from './sampler.ts';

const [project = '', inputsFile = '', url = 'embedded', ...rest] = process.argv.slice(2);
const [minutes = '1', rounds = '1', parallel = '4', leakName = ''] = rest;
const inputs = JSON.parse(readFileSync(inputsFile, 'utf8')) as DesignInputs;
const asking = new Set<string>();
const processes = new Set<string>();
const command = [process.execPath, panelAgent, '', '0', 'none', 'plain'];
const program = await createAgent({ id: 'process', protocol: 'exec', command }, thisWorld());
const { engine, home, make } = await openPanel({
  project,
  inputs,
  store: url === 'embedded' ? 'embedded' : { url },
  latencyMs: 5,
  answer: ({ task, prompt, seat, run }) =>
    panelAnswer(task, prompt, seat, asking.has(run) ? 'asks' : 'plain'),
  instead: ({ run }) => (processes.has(run) ? program : undefined),
  keepJournalsMs: url === 'embedded' ? 0 : 1000,
});
const server = await startWebServer(
  { project: openProject(project), prices: undefined, commands: {} },
  { host: '127.0.0.1', port: 0, names: [], files: new Map() },
);
const kept = 20;
/** New runs begin for so long in a round, and until there was one of every kind. */
const roundMs = 8000;
/** A stopped or cancelled run is released after ten seconds, and its journal is removed after that. */
const goneMs = 13_000;
const ends = { done: 0, cancelled: 0, resumed: 0, answered: 0, 'with processes': 0, removed: 0 };
const until = Date.now() + Number(minutes) * 60_000;
const never = new AbortController().signal;
const problems: string[] = [];
const leak = leakOf(leakName);
let lastLeft = 0;
let number = 0;

/** What a day brings, in turns; first in a round comes what takes longest to be gone. */
const restless = [cancelled, stopped, paused, cancelled];
const kinds = [plain, answered, plain, withProcesses, watched, plain];

for (let round = 0; round < Number(rounds) || Date.now() < until; round += 1) {
  const turns = [...restless, ...kinds];
  const end = Date.now() + roundMs;
  const next = () => turns.shift() ?? (Date.now() < end ? kinds[number % kinds.length] : undefined);
  await Promise.all(Array.from({ length: Number(parallel) }, () => work(next)));
  await prune();
  await sleep(Math.max(2000, lastLeft + goneMs - Date.now()));
  const runs = ends.done + ends.cancelled;
  const sample = {
    runs,
    kept: (await listRunIds(home)).length,
    ends: { ...ends },
    ...(await look(home, url === 'embedded')),
  };
  process.stdout.write(`${JSON.stringify(sample)}\n`);
}
await server.close();
await engine.close();
if (problems.length > 0) process.stderr.write(`${problems.slice(0, 10).join('\n')}\n`);
process.exit(problems.length === 0 ? 0 : 1);

async function work(next: () => (() => Promise<void>) | undefined): Promise<void> {
  for (let kind = next(); kind !== undefined; kind = next()) {
    number += 1;
    try {
      await kind();
      await leak();
    } catch (error) {
      problems.push(`${kind.name}: ${String(error)}`);
    }
  }
}

async function plain(): Promise<void> {
  const run = await make('plain');
  await engine.start(run);
  await expectDone(run);
}

/** Its agents are programs that are started for each call. */
async function withProcesses(): Promise<void> {
  const run = await make('with processes');
  processes.add(run);
  await engine.start(run);
  await expectDone(run);
  processes.delete(run);
  ends['with processes'] += 1;
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

/** Without an answer the run pauses; it is answered later and continues. */
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
  lastLeft = Date.now();
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
  lastLeft = Date.now();
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
