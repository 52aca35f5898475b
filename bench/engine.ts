// What the durable engine costs: `npm run bench`, or `node bench/engine.ts [--repetitions 5]` after a build. Exit 1 when a ratio
// to the critical path is above its goal.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makeExampleRepository } from '../scripts/example-repository.mjs';
import { findPostgres, startPostgres } from '../test/support/postgres.ts';
import { calibrate, calibrationLine, median, percentile, table } from './calibration.ts';
import { type Goal, type Unit, Verdicts } from './goals.ts';

type Measured = {
  importMs: number;
  openMs: number;
  openCpuMs: number;
  openRss: number;
  peakRss: number;
  stepTimes: number[];
  stepCpuMs: number;
  fanOutMs: number;
};

const { values: flags } = parseArgs({ options: { repetitions: { type: 'string', default: '5' } } });
const repetitions = Number(flags.repetitions);
const most = (value: number, unit: Unit): Goal => ({ most: value, unit });
const goals = {
  openFirst: most(1500, 'ms'),
  openLater: most(1300, 'ms'),
  step: { PGlite: most(8, 'ms'), PostgreSQL: most(5, 'ms') },
  criticalPath: most(1.05, '×'),
  design: most(1500, 'ms'),
  memoryAboveStore: most(120, 'MB'),
  memoryInAll: most(200, 'MB'),
} as const;
const verdicts = new Verdicts();
/** Quicker than a real agent, so that what is added weighs more. */
const latencyMs = 3000;
/** As long as a lane of `measured/engine.ts` sleeps. */
const laneMs = 1000;
const workspace = mkdtempSync(path.join(tmpdir(), 'charrette-bench-'));
const fresh = () => mkdtempSync(path.join(workspace, 'project-'));
const milliseconds = (value: number, digits = 0) => `${value.toFixed(digits)} ms`;

const config = {
  detect: false,
  agents: Object.fromEntries(
    ['one', 'two'].map((name) => [name, { protocol: 'exec', command: ['true'], family: name }]),
  ),
};

process.stdout.write(`${calibrationLine(calibrate())}\n`);
try {
  print('store', ['median', 'goal', 'verdict', 'processor time'], openings());
  print('engine', ['median', 'goal', 'verdict', 'processor time', 'fastest tenth'], await workings());
  print('design run', ['median', 'goal', 'verdict', 'processor time'], await designs());
} finally {
  rmSync(workspace, { recursive: true, force: true });
}
verdicts.conclude();

/** A row of a table: what, how much, its goal and whether it holds, and whatever else there is to say. */
function row(what: string, shown: string, value: number, goal?: Goal, ...rest: string[]): string[] {
  return [what, shown, ...verdicts.judge(what, value, goal), ...rest];
}

function time(what: string, value: number, goal?: Goal, digits = 0, ...rest: string[]): string[] {
  return row(what, milliseconds(value, digits), value, goal, ...rest);
}

function memory(what: string, bytes: number, goal?: Goal): string[] {
  return row(what, `${(bytes / 1e6).toFixed(0)} MB`, bytes / 1e6, goal);
}

function ratio(what: string, value: number, goal: Goal): string[] {
  return row(what, `${value.toFixed(3)}×`, value, goal);
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
  const cpu = (which: 'first' | 'later') => milliseconds(of(which, 'openCpuMs'));
  return [
    time('open, first time', of('first', 'openMs'), goals.openFirst, 0, cpu('first')),
    time('open, later', of('later', 'openMs'), goals.openLater, 0, cpu('later')),
    time('loading the engine’s code before that', of('later', 'importMs')),
    memory('memory when open, first time', of('first', 'openRss')),
    memory('memory when open, later', of('later', 'openRss')),
    memory('memory at its peak, first time', of('first', 'peakRss')),
    memory('memory at its peak, later', of('later', 'peakRss')),
  ];
}

/** Steps one after the other, and 16 lanes of one second side by side. */
async function workings(): Promise<string[][]> {
  const rows = rowsOf('PGlite', 'embedded');
  if (findPostgres() === undefined) return [...rows, ['PostgreSQL', 'not installed', '']];
  const postgres = await startPostgres();
  try {
    return [...rows, ...rowsOf('PostgreSQL', postgres.url)];
  } finally {
    await postgres.stop();
  }
}

function rowsOf(title: keyof typeof goals.step, store: string): string[][] {
  const project = fresh();
  measure(project, store, 5, 0);
  const runs = repeat(() => measure(project, store, 200, 16));
  const steps = runs.flatMap(({ stepTimes }) => stepTimes.slice(20));
  // On a machine that others use as well, the fastest tenth says what the work itself takes.
  const fastest = [...steps].sort((x, y) => x - y).slice(0, steps.length / 10);
  const of = (pick: (measured: Measured) => number) => median(runs.map(pick));
  const processor = milliseconds(
    of(({ stepCpuMs }) => stepCpuMs),
    2,
  );
  const least = `≤ ${milliseconds(fastest.at(-1) ?? 0, 2)}`;
  const fanOut = of(({ fanOutMs }) => fanOutMs) / laneMs;
  const goal = goals.step[title];
  return [
    time(`${title}: a step (${repetitions} × 180), p50`, median(steps), goal, 2, processor, least),
    time(`${title}: a step, p99`, percentile(steps, 99), undefined, 2),
    ratio(`${title}: 16 lanes of 1 s, over that second`, fanOut, goals.criticalPath),
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
  const title = `PGlite: ${slow.waves} calls of ${latencyMs / 1000} s one after another, over the critical path`;
  rows.push(ratio(title, slow.designMs / critical, goals.criticalPath));
  if (findPostgres() === undefined) return rows;
  const postgres = await startPostgres();
  try {
    return [
      ...rows,
      ...instantRows(
        'PostgreSQL',
        repeat(() => design(postgres.url)),
        goals.memoryInAll,
      ),
    ];
  } finally {
    await postgres.stop();
  }
}

function instantRows(title: string, runs: readonly Design[], inAll?: Goal): string[][] {
  const of = (pick: (run: Design) => number) => median(runs.map(pick));
  const processor = milliseconds(of(({ cpuMs }) => cpuMs));
  const whole = of(({ designMs }) => designMs);
  const above = of(({ peakRss, openRss }) => peakRss - openRss);
  return [
    time(`${title}: ${runs[0]?.calls} agent calls, instant`, whole, goals.design, 0, processor),
    memory(`${title}: memory above the open store`, above, goals.memoryAboveStore),
    ...(inAll === undefined
      ? []
      : [
          memory(
            `${title}: memory in all`,
            of(({ peakRss }) => peakRss),
            inAll,
          ),
        ]),
  ];
}

function print(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  process.stdout.write(`\n${table([[title, ...columns], ...rows])}\n`);
}
