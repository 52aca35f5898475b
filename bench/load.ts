// Many panel runs at the same time on one PostgreSQL: `node bench/load.ts [--runs 200] [--workers 0,1,2,4] [--write FILE]`
// after a build. 0 workers: one engine in one process with agents inside it. Otherwise so many `charrette worker` processes
// take the runs from the queue, and the agents are models on a scripted server on loopback. Exit 1 when anything is lost or
// made twice; each such call is reported with what its run and the workers logged at that time. To make it harder: `--busy N`
// processes that only count in parallel, `--silent-seconds N` until a worker counts as gone.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeExampleRepository } from '../scripts/example-repository.mjs';
import { readEvents } from '../src/engine/event-log.ts';
import { readLedger } from '../src/engine/ledger.ts';
import { type Home, homeOf, runDirectoryOf } from '../src/engine/run-directory.ts';
import { isFinal, readRunRecord } from '../src/engine/run-record.ts';
import { WorkflowContext } from '../src/engine/workflow.ts';
import { taskOf } from '../test/agents/panel-answers.mjs';
import { shopAnswer } from '../test/agents/shop-answers.mjs';
import { perform } from '../test/crash/in-process.ts';
import { startModelServer } from '../test/model-server/server.ts';
import { findPostgres, startPostgres } from '../test/support/postgres.ts';
import { calibrate, calibrationLine, median, percentile } from './calibration.ts';
import { callMark, repeatedCalls, servedCall } from './load/served-calls.ts';
import { timeSteps } from './load/step-times.ts';
import { machineLine, markdownTable } from './markdown.ts';
import { makePanelProject, openPanel } from './panel.ts';

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    workers: { type: 'string', default: '0,1,2,4' },
    write: { type: 'string' },
    busy: { type: 'string', default: '0' },
    'silent-seconds': { type: 'string' },
  },
});
const count = Number(flags.runs);
const program = path.resolve(import.meta.dirname, '..', 'bin', 'charrette');
const quick = ['--auto', '--quick', '--dialectic', 'off', '--no-branch'];
/** What a run delivers; everything else has times in it. */
const delivered = [
  'plan.txt',
  'approach-synthesis.txt',
  'contested-decisions.md',
  'voting-tally.md',
  'accepted-plan-findings.md',
  'rejected-findings.md',
  'oos.md',
];

type Row = {
  title: string;
  seconds: number;
  overheads: number[];
  /** The same of journaled steps. */
  stepOverheads: number[];
  calls: number;
  /** Of all processes that worked on the runs. */
  peak: number;
  idle: number;
  cpuSeconds: number;
  problems: string[];
  /** Messages of workers that are not a problem. */
  notes?: string[];
};

if (findPostgres() === undefined) {
  process.stdout.write('PostgreSQL is not installed; nothing was measured\n');
  process.exit(1);
}
const lines = [machineLine(), calibrationLine(calibrate())];
const rows: Row[] = [];
for (const workers of flags.workers.split(',').map(Number)) {
  const row = await measure(workers);
  rows.push(row);
  // Told at once: the next one takes minutes.
  process.stderr.write(`${cellsOf(row).join(' | ')}\n`);
  process.stderr.write(
    `${row.title}: ${row.seconds.toFixed(1)} s, ${row.problems.length} problems\n${[...(row.notes ?? []), ...row.problems].slice(0, 20).join('\n')}\n`,
  );
}
lines.push(
  '',
  markdownTable(
    [
      `${count} runs`,
      'Time',
      'Runs a second',
      'Step overhead, p50',
      'p99',
      'Lane overhead, p50',
      'p99',
      'Memory a run',
      'Processor time a run',
      'Calls',
      'Lost or twice',
    ],
    rows.map(cellsOf),
  ),
);
const text = `${lines.join('\n')}\n`;
process.stdout.write(text);
if (flags.write !== undefined) writeFileSync(flags.write, text);
process.exitCode = rows.some(({ problems }) => problems.length > 0) ? 1 : 0;

function cellsOf(row: Row): string[] {
  const { title, seconds, overheads, stepOverheads, calls, peak, idle, cpuSeconds, problems } = row;
  return [
    title,
    `${seconds.toFixed(1)} s`,
    (count / seconds).toFixed(1),
    `${median(stepOverheads).toFixed(1)} ms`,
    `${percentile(stepOverheads, 99).toFixed(0)} ms`,
    `${median(overheads).toFixed(0)} ms`,
    `${percentile(overheads, 99).toFixed(0)} ms`,
    `${((peak - idle) / count / 1e6).toFixed(2)} MB`,
    `${((cpuSeconds / count) * 1000).toFixed(0)} ms`,
    String(calls),
    String(problems.length),
  ];
}

async function measure(workers: number): Promise<Row> {
  const workspace = mkdtempSync(path.join(tmpdir(), 'charrette-load-'));
  const postgres = await startPostgres();
  try {
    const project = path.join(workspace, 'shop');
    return await (workers === 0 ? inside(project, postgres.url) : queued(project, postgres.url, workers));
  } finally {
    await postgres.stop();
    rmSync(workspace, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** All runs in one engine, agents in the same process. */
async function inside(project: string, url: string): Promise<Row> {
  const inputs = makePanelProject(project, quick.slice(1, -1));
  const calls = new Map<string, number>();
  const { engine, home, make } = await openPanel({
    project,
    inputs,
    store: { url },
    parallel: 64,
    onCall: ({ run, task, seat, attempt }) => {
      const key = `${run} ${task} ${seat} ${attempt}`;
      calls.set(key, (calls.get(key) ?? 0) + 1);
    },
  });
  const ids = await Promise.all(Array.from({ length: count }, (_, index) => make(`run ${index}`)));
  const stepOverheads = timeSteps(WorkflowContext);
  globalThis.gc?.();
  const idle = process.memoryUsage.rss();
  let peak = idle;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  const cpu = process.cpuUsage();
  const started = performance.now();
  await Promise.all(
    ids.map(async (id) => {
      await engine.start(id);
      await engine.wait(id, { signal: new AbortController().signal });
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(sampling);
  await engine.close();
  const repeated = [...calls].filter(([, times]) => times > 1).map(([key]) => `twice: ${key}`);
  const examined = await examine(home, ids, calls.size);
  return {
    title: 'one process, agents inside',
    seconds,
    peak,
    idle,
    cpuSeconds: (user + system) / 1e6,
    stepOverheads,
    ...examined,
    problems: [...repeated, ...examined.problems],
  };
}

/** The runs wait in the queue; then the workers start. */
async function queued(project: string, url: string, workers: number): Promise<Row> {
  const model = await startModelServer({
    rules: [
      {
        when: callMark,
        reply: (prompt) => {
          const task = taskOf(prompt);
          return task === undefined ? undefined : { json: shopAnswer(task, prompt, 'alpha') };
        },
      },
    ],
  });
  makeExampleRepository(project);
  const agents = Object.fromEntries(
    ['alpha', 'beta'].map((name) => [
      name,
      { protocol: 'model', model: name, baseUrl: `${model.url}/run/${name}/v1`, family: name },
    ]),
  );
  const silent = flags['silent-seconds'];
  const config = {
    detect: false,
    author: 'alpha',
    agents,
    limits: { parallel: 64 },
    ...(silent === undefined ? {} : { queue: { heartbeatTimeoutSeconds: Number(silent) } }),
  };
  writeFileSync(path.join(project, 'charrette.config.json'), JSON.stringify(config));
  spawnSync('git', ['add', '--all'], { cwd: project });
  process.env['CHARRETTE_DATABASE_URL'] = url;
  const home = homeOf(project);
  const steps = mkdtempSync(path.join(tmpdir(), 'charrette-steps-'));
  const processes: ChildProcess[] = [];
  const others: ChildProcess[] = [];
  try {
    const alone = await memoryAlone(project);
    for (let index = 0; index < count; index += 1) await queueRun(project);
    const ids = readdirSync(home.runs).sort();
    const limit = String(Math.ceil(count / workers));
    const said: string[] = [];
    for (let index = 0; index < Number(flags.busy); index += 1)
      others.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
    const started = performance.now();
    for (let index = 0; index < workers; index += 1)
      processes.push(startWorker(project, steps, limit, (line) => said.push(`worker ${index + 1}: ${line}`)));
    await untilAllEnded(home, ids);
    const seconds = (performance.now() - started) / 1000;
    const peak = sum(processes.map(({ pid = 0 }) => peakOf(pid)));
    const cpuSeconds = sum(processes.map(({ pid = 0 }) => cpuOf(pid)));
    const title = workers === 1 ? '1 worker' : `${workers} workers`;
    const served = model.requests.flatMap(servedCall);
    const examined = await examine(home, ids, served.length);
    await endAll(processes);
    return {
      title,
      seconds,
      peak,
      idle: workers * alone,
      cpuSeconds,
      stepOverheads: readdirSync(steps).flatMap(
        (name) => JSON.parse(readFileSync(path.join(steps, name), 'utf8')) as number[],
      ),
      ...examined,
      problems: [...repeatedCalls(home, ids, served), ...examined.problems],
      notes: said.filter(isTrouble),
    };
  } finally {
    for (const child of others) child.kill('SIGKILL');
    await endAll(processes);
    rmSync(steps, { recursive: true, force: true });
    delete process.env['CHARRETTE_DATABASE_URL'];
    await model.close();
  }
}

async function endAll(processes: readonly ChildProcess[]): Promise<void> {
  for (const child of processes) child.kill('SIGTERM');
  await Promise.all(processes.map((child) => (child.exitCode === null ? once(child, 'exit') : undefined)));
}

function startWorker(
  project: string,
  steps: string,
  limit: string,
  hear: (line: string) => void,
): ChildProcess {
  const preload = path.join(import.meta.dirname, 'load', 'worker-step-times.ts');
  const words = ['--import', preload, program, 'worker', '--limit', limit, '--output', 'stream-json'];
  const worker = spawn(process.execPath, words, {
    cwd: project,
    env: { ...process.env, CHARRETTE_BENCH_STEPS: steps },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface(worker.stdout).on('line', hear);
  return worker;
}

/** What a worker says when not everything goes as it should. */
function isTrouble(line: string): boolean {
  return /"type":"(?:worker-gone|worker-lost|database-unreachable|run-refuse)"/.test(line);
}

/** What a worker takes that has nothing to do. */
async function memoryAlone(project: string): Promise<number> {
  const worker = spawn(process.execPath, [program, 'worker'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await once(worker.stderr, 'data');
  await sleep(1000);
  const bytes = peakOf(worker.pid ?? 0);
  worker.kill('SIGTERM');
  await once(worker, 'exit');
  return bytes;
}

async function queueRun(project: string): Promise<void> {
  const words = ['design', ...quick, '--yes', '--json', '--queue', 'let customers cancel an order'];
  const { exit, stderr } = await perform(words, { project, home: project, calls: '', answers: '' });
  if (exit !== 0) throw new Error(`the run could not be queued: ${stderr}`);
}

async function untilAllEnded(home: Home, ids: readonly string[]): Promise<void> {
  const left = new Set(ids);
  const limit = Date.now() + 30 * 60_000;
  while (left.size > 0 && Date.now() < limit) {
    for (const id of left) {
      const { status } = await readRunRecord(runDirectoryOf(home, id));
      if (isFinal(status)) left.delete(id);
    }
    await sleep(200);
  }
}

/** Every run done, every call recorded exactly once and made no more often, and all runs deliver the same. */
async function examine(
  home: Home,
  ids: readonly string[],
  made: number,
): Promise<Pick<Row, 'overheads' | 'calls' | 'problems'>> {
  const problems: string[] = [];
  const overheads: number[] = [];
  const digests = new Map<string, string>();
  let [calls, resumed] = [0, 0];
  for (const id of ids) {
    const directory = runDirectoryOf(home, id);
    const { status, error } = await readRunRecord(directory);
    if (status !== 'done') problems.push(`${id} ended as ${status} ${error?.message ?? ''}`);
    const ledger = readLedger(directory.ledger);
    calls += ledger.length;
    const events = readEvents(directory.events);
    const types = events.filter(({ type }) => type === 'run-end').length;
    if (types !== 1) problems.push(`${id} ended ${types} times`);
    resumed += events.filter(({ type }) => type === 'run-resume').length;
    const asked = new Map<string, number>();
    for (const event of events) {
      if (event.type === 'lane-queue') asked.set(event.lane, Date.parse(event.time));
      if (event.type !== 'lane-end') continue;
      const own = ledger.filter(({ id: lane }) => lane.startsWith(`${event.lane}-`));
      const working = sum(own.map(({ durationMs }) => durationMs));
      overheads.push(Math.max(0, Date.parse(event.time) - (asked.get(event.lane) ?? 0) - working));
    }
    for (const name of delivered) {
      const file = path.join(directory.artifacts, name);
      const content = existsSync(file) ? readFileSync(file, 'utf8').replaceAll(id, 'RUN') : 'absent';
      const digest = createHash('sha256').update(content).digest('hex');
      const first = digests.get(name) ?? digest;
      digests.set(name, first);
      if (first !== digest) problems.push(`${id}: ${name} differs`);
    }
  }
  // A call in progress when a run moved to another worker is made again; one that had ended is not.
  if (made !== calls)
    problems.push(`${made} calls were made, ${calls} are recorded; ${resumed} times a run changed hands`);
  return { overheads, calls, problems };
}

function peakOf(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return Number(kilobytes) * 1024;
}

/** Processor time so far, in hundredths of a second as Linux counts. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
