// What the durable engine costs: `npm run bench`, or `node bench/engine.ts` after a build.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeExampleRepository } from '../scripts/example-repository.mjs';
import { findPostgres, startPostgres } from '../test/support/postgres.ts';
import { calibrate, calibrationLine, median, table } from './calibration.ts';

type Measured = {
  importMs: number;
  openMs: number;
  openCpuMs: number;
  openRss: number;
  peakRss: number;
  stepTimes: number[];
  stepCpuMs: number;
  journaledMs: number;
  fanOutMs: number;
};

const repetitions = 5;
/** Quicker than a real agent, so that what is added weighs more. */
const latencyMs = 3000;
const workspace = mkdtempSync(path.join(tmpdir(), 'charrette-bench-'));
const fresh = () => mkdtempSync(path.join(workspace, 'project-'));
const milliseconds = (value: number, digits = 1) => `${value.toFixed(digits)} ms`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

const config = {
  detect: false,
  agents: Object.fromEntries(
    ['one', 'two'].map((name) => [name, { protocol: 'exec', command: ['true'], family: name }]),
  ),
};

process.stdout.write(`${calibrationLine(calibrate())}\n`);
try {
  print('store', ['median', 'goal', 'processor time'], openings());
  print('engine', ['median', 'goal', 'processor time', 'fastest tenth'], await workings());
  print('design run', ['median', 'goal', 'processor time'], await designs());
} finally {
  rmSync(workspace, { recursive: true, force: true });
}

function measure(project: string, store: string, steps: number, lanes: number): Measured {
  return child('engine.ts', [project, store, String(steps), String(lanes)]);
}

function child<Result>(script: string, args: readonly string[]): Result {
  const file = path.join(import.meta.dirname, 'measured', script);
  return JSON.parse(
    execFileSync(process.execPath, ['--no-deprecation', file, ...args], { encoding: 'utf8' }),
  ) as Result;
}

function repeat<Result>(act: () => Result): Result[] {
  return Array.from({ length: repetitions }, act);
}

/** The embedded store in a folder that never had one, and in one that has. */
function openings(): string[][] {
  const pairs = repeat(() => {
    const project = fresh();
    return { first: measure(project, 'embedded', 0, 0), later: measure(project, 'embedded', 0, 0) };
  });
  const of = (which: 'first' | 'later', key: 'openMs' | 'openCpuMs' | 'openRss' | 'peakRss' | 'importMs') =>
    median(pairs.map((pair) => pair[which][key]));
  return [
    [
      'open, first time',
      milliseconds(of('first', 'openMs'), 0),
      '≤ 1500 ms',
      milliseconds(of('first', 'openCpuMs'), 0),
    ],
    [
      'open, later',
      milliseconds(of('later', 'openMs'), 0),
      '≤ 1300 ms',
      milliseconds(of('later', 'openCpuMs'), 0),
    ],
    ['loading the engine’s code before that', milliseconds(of('later', 'importMs'), 0), ''],
    ['memory when open, first time', megabytes(of('first', 'openRss')), ''],
    ['memory when open, later', megabytes(of('later', 'openRss')), ''],
    ['memory at its peak, first time', megabytes(of('first', 'peakRss')), ''],
    ['memory at its peak, later', megabytes(of('later', 'peakRss')), ''],
  ];
}

/** Steps one after the other, and 16 lanes of one second side by side. */
async function workings(): Promise<string[][]> {
  const rows = rowsOf('PGlite', 'embedded', '≤ 8 ms');
  if (findPostgres() === undefined) return [...rows, ['PostgreSQL', 'not installed', '']];
  const postgres = await startPostgres();
  try {
    return [...rows, ...rowsOf('PostgreSQL', postgres.url, '≤ 5 ms')];
  } finally {
    await postgres.stop();
  }
}

function rowsOf(title: string, store: string, goal: string): string[][] {
  const project = fresh();
  measure(project, store, 5, 0);
  const runs = repeat(() => measure(project, store, 200, 16));
  const steps = runs.flatMap(({ stepTimes }) => stepTimes.slice(20));
  // On a machine that others use as well, the fastest tenth says what the work itself takes.
  const fastest = [...steps].sort((x, y) => x - y).slice(0, steps.length / 10);
  const fanOut = median(runs.map(({ fanOutMs }) => fanOutMs));
  const processor = milliseconds(median(runs.map(({ stepCpuMs }) => stepCpuMs)), 2);
  return [
    [
      `${title}: a step (${repetitions} × 180)`,
      milliseconds(median(steps), 2),
      goal,
      processor,
      `≤ ${milliseconds(fastest.at(-1) ?? 0, 2)}`,
    ],
    [
      `${title}: a step, until the journal has it`,
      milliseconds(median(runs.map(({ journaledMs }) => journaledMs)), 2),
      goal,
    ],
    [`${title}: 16 lanes of 1 s`, milliseconds(fanOut, 0), '≤ 1050 ms'],
  ];
}

type Design = {
  designMs: number;
  cpuMs: number;
  openRss: number;
  peakRss: number;
  calls: number;
  waves: number;
  status: string;
};

/** `design` with agents in this process: at once, for what orchestration costs; slow, for what it adds to waiting. */
async function designs(): Promise<string[][]> {
  const project = path.join(workspace, 'shop');
  makeExampleRepository(project);
  writeFileSync(path.join(project, 'charrette.config.json'), JSON.stringify(config));
  const program = path.resolve(import.meta.dirname, '..', 'bin', 'charrette');
  const flags = ['design', '--dry-run', '--json', '--yes', '--no-branch', '--auto', 'add rate limiting'];
  const dry = execFileSync(process.execPath, [program, ...flags], { cwd: project, encoding: 'utf8' });
  const inputs = path.join(workspace, 'inputs.json');
  writeFileSync(inputs, JSON.stringify(JSON.parse(dry).inputs));
  const design = (store: string, latency = 0): Design => {
    const measured = child<Design>('design.ts', [project, inputs, store, String(latency)]);
    if (measured.status === 'done') return measured;
    throw new Error(`the measured run did not end well: ${JSON.stringify(measured)}`);
  };
  const rows = instantRows(
    'PGlite',
    repeat(() => design('embedded')),
  );
  const slow = design('embedded', latencyMs);
  const critical = slow.waves * latencyMs;
  rows.push([
    `PGlite: ${slow.waves} calls of ${latencyMs / 1000} s one after another, over the critical path`,
    `${(slow.designMs / critical).toFixed(3)}×`,
    '≤ 1.05×',
  ]);
  if (findPostgres() === undefined) return rows;
  const postgres = await startPostgres();
  try {
    return [
      ...rows,
      ...instantRows(
        'PostgreSQL',
        repeat(() => design(postgres.url)),
        200,
      ),
    ];
  } finally {
    await postgres.stop();
  }
}

function instantRows(title: string, runs: readonly Design[], memoryGoal?: number): string[][] {
  const of = (pick: (run: Design) => number) => median(runs.map(pick));
  const rows = [
    [
      `${title}: ${runs[0]?.calls} agent calls, instant`,
      milliseconds(
        of(({ designMs }) => designMs),
        0,
      ),
      '≤ 1500 ms',
      milliseconds(
        of(({ cpuMs }) => cpuMs),
        0,
      ),
    ],
    [
      `${title}: memory above the open store`,
      megabytes(of(({ peakRss, openRss }) => peakRss - openRss)),
      '≤ 120 MB',
    ],
  ];
  if (memoryGoal !== undefined)
    rows.push([`${title}: memory in all`, megabytes(of(({ peakRss }) => peakRss)), `≤ ${memoryGoal} MB`]);
  return rows;
}

function print(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  process.stdout.write(`\n${table([[title, ...columns], ...rows])}\n`);
}
