// A day's work of one process in a few minutes: design runs are started, answered, paused, stopped, resumed, cancelled and
// pruned without end. `node bench/soak.ts [--minutes 20] [--store embedded|postgres] [--parallel 4] [--write FILE]` after a
// build. A line is fitted to the second half of every measure; exit 1 when one grows although what is kept does not.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { findPostgres, startPostgres } from '../test/support/postgres.ts';
import { calibrate, calibrationLine } from './calibration.ts';
import { fitLine } from './fit.ts';
import { machineLine, markdownTable } from './markdown.ts';
import { makePanelProject } from './panel.ts';

export type SoakSample = {
  seconds: number;
  runs: number;
  rss: number;
  heap: number;
  handles: number;
  resources: number;
  store: number;
  rows: number | undefined;
  kept: number;
  ends: Record<string, number>;
};

/** A measure, what it is shown in, and the rise over the second half that is still called steady. */
type Measure = {
  title: string;
  of: (sample: SoakSample) => number | undefined;
  unit: string;
  slack: number;
  /** The same for a life so short that its second half still sees code and buffers being made for the first time. */
  shortSlack: number;
};

const megabytes = (bytes: number) => bytes / 1e6;
const measures: readonly Measure[] = [
  {
    title: 'memory after collection',
    of: ({ heap }) => megabytes(heap),
    unit: 'MB',
    slack: 3,
    shortSlack: 5,
  },
  { title: 'resident memory', of: ({ rss }) => megabytes(rss), unit: 'MB', slack: 20, shortSlack: 80 },
  { title: 'file handles', of: ({ handles }) => handles, unit: '', slack: 4, shortSlack: 20 },
  {
    title: 'timers, sockets and the like',
    of: ({ resources }) => resources,
    unit: '',
    slack: 6,
    shortSlack: 30,
  },
  // A server of PostgreSQL gives room back when its vacuum comes by, once a minute.
  { title: 'store', of: ({ store }) => megabytes(store), unit: 'MB', slack: 20, shortSlack: 40 },
  { title: 'rows in the store', of: ({ rows }) => rows, unit: '', slack: 1500, shortSlack: 3000 },
];

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    store: { type: 'string', multiple: true },
    parallel: { type: 'string', default: '4' },
    write: { type: 'string' },
  },
});
const minutes = Number(flags.minutes);
const stores = flags.store ?? ['embedded', 'postgres'];
/** A life of less than five minutes. */
const isShort = minutes / stores.length < 5;
const lines = [machineLine(), calibrationLine(calibrate())];
let failed = false;
for (const store of stores) {
  if (store === 'postgres' && findPostgres() === undefined) {
    lines.push('', 'PostgreSQL: not installed, not measured');
    continue;
  }
  lines.push('', ...(await soak(store, minutes / stores.length)));
}
const text = `${lines.join('\n')}\n`;
process.stdout.write(text);
if (flags.write !== undefined) writeFileSync(flags.write, text);
process.exitCode = failed ? 1 : 0;

async function soak(store: string, length: number): Promise<string[]> {
  const workspace = mkdtempSync(path.join(tmpdir(), 'charrette-soak-'));
  const project = path.join(workspace, 'shop');
  const inputs = path.join(workspace, 'inputs.json');
  writeFileSync(inputs, JSON.stringify(makePanelProject(project, ['--quick'])));
  const server = store === 'postgres' ? await startPostgres({ durable: false }) : undefined;
  try {
    const { samples, code } = await live([
      project,
      inputs,
      server?.url ?? 'embedded',
      String(length),
      flags.parallel,
    ]);
    if (code !== 0) failed = true;
    return report(store === 'postgres' ? 'PostgreSQL' : 'PGlite', samples, code);
  } finally {
    await server?.stop();
    rmSync(workspace, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function live(args: readonly string[]): Promise<{ samples: SoakSample[]; code: number | null }> {
  const script = path.join(import.meta.dirname, 'measured', 'soak.ts');
  const child = spawn(process.execPath, ['--expose-gc', '--no-deprecation', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const samples: SoakSample[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const sample = JSON.parse(line) as SoakSample;
    samples.push(sample);
    if (samples.length % 15 === 0)
      process.stderr.write(
        `${sample.seconds.toFixed(0)} s: ${sample.runs} runs, heap ${megabytes(sample.heap).toFixed(1)} MB, resident ${megabytes(sample.rss).toFixed(0)} MB, ${sample.handles} handles, store ${megabytes(sample.store).toFixed(1)} MB\n`,
      );
  }
  return { samples, code: await ended };
}

function report(title: string, samples: readonly SoakSample[], code: number | null): string[] {
  const half = samples.slice(Math.floor(samples.length / 2));
  const [first, last] = [half[0], samples.at(-1)];
  if (first === undefined || last === undefined || half.length < 5) {
    failed = true;
    return [`${title}: too few samples (exit ${code})`];
  }
  const rows = measures.flatMap((measure) => {
    const points = half.flatMap((sample) => {
      const value = measure.of(sample);
      return value === undefined ? [] : [[sample.seconds / 60, value] as const];
    });
    return points.length === 0 ? [] : [rowOf(measure, points)];
  });
  const told = Object.entries(last.ends).map(([name, count]) => `${count} ${name}`);
  return [
    `${title}: ${(last.seconds / 60).toFixed(1)} min, ${flags.parallel} at a time: ${told.join(', ')}; ${last.kept} kept${code === 0 ? '' : `; FAILED with exit ${code}`}`,
    '',
    markdownTable(
      [`${title}, second half`, 'From', 'To', 'Slope a minute', 'Slope per 100 runs', 'Verdict'],
      rows.map(({ cells, slope }) => {
        const each = (slope * (last.seconds - first.seconds)) / 60 / ((last.runs - first.runs) / 100);
        return [...cells.slice(0, 4), each.toFixed(2), cells[4] ?? ''];
      }),
    ),
  ];
}

/** Grows: even the flattest line that fits the points rises by more than the slack. */
function rowOf(
  { title, unit, slack, shortSlack }: Measure,
  points: readonly (readonly [number, number])[],
): { cells: string[]; slope: number } {
  const { slope, intercept, slopeError } = fitLine(points);
  const [from, to] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0];
  const grows = (slope - 2 * slopeError) * (to - from) > (isShort ? shortSlack : slack);
  if (grows) failed = true;
  const at = (x: number) => `${(intercept + slope * x).toFixed(1)} ${unit}`.trim();
  return {
    cells: [
      title,
      at(from),
      at(to),
      `${slope.toFixed(2)} ± ${slopeError.toFixed(2)} ${unit}`.trim(),
      grows ? 'GROWS' : 'steady',
    ],
    slope,
  };
}
