// A day's work of one process in a few minutes: design runs are started, answered, paused, stopped, resumed, cancelled and
// pruned without end. `node bench/soak.ts [--minutes 20] [--life embedded|postgres|worker]… [--parallel 4] [--write FILE]` after a
// build. The minutes are shared by the lives; each has at least so many rounds that a line can be fitted. After every round it
// measures what remains when everything should be gone. Exit 1 when more than its limit remains of each run.
// `--leak handle|row|memory` plants a fault that must be found.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { findPostgres, startPostgres } from '../test/support/postgres.ts';
import { calibrate, calibrationLine } from './calibration.ts';
import { machineLine, markdownTable } from './markdown.ts';
import { makePanelProject } from './panel.ts';
import { leakNames } from './soak/leaks.ts';
import { type Judged, judge, leastPoints, type Measure, settled } from './soak/measures.ts';
import { steadyNode } from './soak/process-look.ts';
import type { Look } from './soak/sampler.ts';
import { workerLife } from './soak/worker-life.ts';

/** Only rows of a worker's store are measured. */
type SoakSample = Omit<Look, 'tables' | 'disk'> &
  Partial<Pick<Look, 'tables' | 'disk'>> & { runs: number; kept: number; ends: Record<string, number> };

type Life = { samples: SoakSample[]; code: number | null };

const kilobytes = (bytes: number | undefined) => (bytes === undefined ? undefined : bytes / 1000);
/** What every run leaves behind adds up: one handle, one row or a kilobyte of each is found in twenty minutes. */
const measures: readonly Measure<SoakSample>[] = [
  { title: 'memory in use', of: ({ heap }) => kilobytes(heap), unit: 'KB', perRun: 0.6, warmUp: 400 },
  {
    title: 'memory outside',
    of: ({ external }) => kilobytes(external),
    unit: 'KB',
    perRun: 0.6,
    warmUp: 400,
  },
  { title: 'resident memory', of: ({ rss }) => kilobytes(rss), unit: 'KB', perRun: 50, warmUp: 80_000 },
  { title: 'file handles', of: ({ handles }) => handles, unit: '', perRun: 0.3, warmUp: 8 },
  {
    title: 'timers, sockets and the like',
    of: ({ resources }) => resources,
    unit: '',
    perRun: 0.3,
    warmUp: 8,
  },
  { title: 'tables', of: ({ tables }) => kilobytes(tables), unit: 'KB', perRun: 0.6, warmUp: 400 },
  { title: 'store on disk', of: ({ disk }) => kilobytes(disk), unit: 'KB', perRun: 5, warmUp: 2000 },
  { title: 'rows left in the store', of: ({ rows }) => rows, unit: '', perRun: 0.3, warmUp: 0 },
];
const titles = { embedded: 'PGlite', postgres: 'PostgreSQL', worker: 'a worker' };

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    life: { type: 'string', multiple: true },
    parallel: { type: 'string', default: '4' },
    write: { type: 'string' },
    leak: { type: 'string' },
  },
});
const known = Object.keys(titles) as (keyof typeof titles)[];
const lives = known.filter((name) => flags.life === undefined || flags.life.includes(name));
if (lives.length === 0 || (flags.life ?? []).some((name) => !known.includes(name as keyof typeof titles)))
  refuse(`--life is one of ${known.join(', ')}`);
if (flags.leak !== undefined && !leakNames.includes(flags.leak as (typeof leakNames)[number]))
  refuse(`--leak is one of ${leakNames.join(', ')}`);
if (flags.leak !== undefined && lives.includes('worker'))
  refuse('--leak needs --life embedded or --life postgres');
if (!(Number(flags.minutes) > 0)) refuse('--minutes is a number above 0');
const minutes = Number(flags.minutes) / lives.length;
/** A third of the rounds does not count. */
const rounds = Math.floor(leastPoints * 1.5);
const lines = [machineLine(), calibrationLine(calibrate())];
let failed = false;
for (const life of lives) {
  if (life !== 'embedded' && findPostgres() === undefined) {
    lines.push('', `${titles[life]}: PostgreSQL is not installed, not measured`);
    continue;
  }
  lines.push('', ...report(titles[life], await live(life)));
}
const text = `${lines.join('\n')}\n`;
process.stdout.write(text);
if (flags.write !== undefined) writeFileSync(flags.write, text);
process.exitCode = failed ? 1 : 0;

async function live(life: keyof typeof titles): Promise<Life> {
  const samples: SoakSample[] = [];
  const hear = (sample: SoakSample) => {
    samples.push(sample);
    const { seconds, runs, heap, handles, rows } = sample;
    process.stderr.write(
      `${life}, ${seconds.toFixed(0)} s: ${runs} runs, heap ${(heap / 1e6).toFixed(2)} MB, ${handles} handles, ${rows} rows\n`,
    );
  };
  if (life === 'worker')
    return { samples, code: await workerLife({ minutes, rounds, parallel: flags.parallel }, hear) };
  const workspace = mkdtempSync(path.join(tmpdir(), 'charrette-soak-'));
  const project = path.join(workspace, 'shop');
  const inputs = path.join(workspace, 'inputs.json');
  writeFileSync(inputs, JSON.stringify(makePanelProject(project, ['--quick'])));
  const server = life === 'postgres' ? await startPostgres({ durable: false }) : undefined;
  try {
    const numbers = [minutes, rounds, flags.parallel].map(String);
    const args = [project, inputs, server?.url ?? 'embedded', ...numbers, flags.leak ?? ''];
    return { samples, code: await inProcess(args, hear) };
  } finally {
    await server?.stop();
    rmSync(workspace, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function inProcess(
  args: readonly string[],
  hear: (sample: SoakSample) => void,
): Promise<number | null> {
  const script = path.join(import.meta.dirname, 'soak', 'life.ts');
  const child = spawn(process.execPath, [...steadyNode, '--no-deprecation', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  for await (const line of createInterface({ input: child.stdout })) hear(JSON.parse(line) as SoakSample);
  return ended;
}

function report(title: string, { samples, code }: Life): string[] {
  const last = samples.at(-1);
  if (code !== 0) failed = true;
  if (last === undefined || settled(samples).length < leastPoints) {
    failed = true;
    return [`${title}: too few rounds (exit ${code})`];
  }
  const rows = measures.flatMap((measure) => {
    const judged = judge(measure, settled(samples));
    if (judged?.grows === true) failed = true;
    return judged === undefined ? [] : [rowOf(measure, judged)];
  });
  const told = Object.entries(last.ends).map(([name, count]) => `${count} ${name}`);
  return [
    `${title}: ${(last.seconds / 60).toFixed(1)} min, ${samples.length} rounds, ${flags.parallel} at a time: ${told.join(', ')}; ${last.kept} kept${code === 0 ? '' : `; FAILED with exit ${code}`}`,
    '',
    markdownTable(
      [`${title}, after the first third`, 'From', 'To', 'Stays of each run', 'Limit', 'Verdict'],
      rows,
    ),
  ];
}

function rowOf({ title, unit }: Measure<SoakSample>, judged: Judged): string[] {
  const { from, to, perRun, error, limit, grows } = judged;
  const shown = (value: number, digits: number) => `${value.toFixed(digits)} ${unit}`.trim();
  return [
    title,
    shown(from, 0),
    shown(to, 0),
    `${perRun.toFixed(2)} ± ${shown(error, 2)}`,
    limit === undefined ? '' : `≤ ${shown(limit, 2)}`,
    limit === undefined ? '' : grows ? 'GROWS' : 'steady',
  ];
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}
