// How costs grow: `node bench/growth.ts [--most 100000] [--only WORD] [--write FILE]` after a build. For each piece of work
// the power of the size with which its processor time grows, fitted on a log-log scale. Exit 1 when one is above 1.15.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { calibrate, calibrationLine } from './calibration.ts';
import { type Cost, costOf, type Growth, grow, growthOf, isAbove } from './growth/dimension.ts';
import { fileWork } from './growth/files.ts';
import { judging } from './growth/judging.ts';
import { panelSeatWork } from './growth/panel-seats.ts';
import { eventWork, historyWork } from './growth/runs.ts';
import { seatWork } from './growth/seats.ts';
import { texts } from './growth/texts.ts';
import { machineLine, markdownTable } from './markdown.ts';

const limit = 1.15;
const { values: flags } = parseArgs({
  options: {
    most: { type: 'string', default: '100000' },
    only: { type: 'string' },
    write: { type: 'string' },
  },
});
const wanted = (what: string) => flags.only === undefined || what.includes(flags.only);
const workspace = mkdtempSync(path.join(tmpdir(), 'charrette-growth-'));
const growths: Growth[] = [];
const begun = Date.now();
const head = [machineLine(), calibrationLine(calibrate())];

try {
  for (const dimension of [
    ...seatWork(workspace),
    ...panelSeatWork(workspace),
    ...judging,
    ...texts(workspace),
    ...fileWork(workspace),
    ...eventWork(workspace),
  ])
    if (wanted(dimension.what)) say(await grow(dimension));
  if (wanted('runs in the history')) for (const growth of await history()) say(growth);
} finally {
  // The program takes a third of the time that a loop here would for the files of 100,000 runs.
  if (spawnSync('rm', ['-rf', workspace]).status !== 0)
    rmSync(workspace, { recursive: true, force: true, maxRetries: 5 });
}
const above = growths.filter((growth) => isAbove(growth, limit));
const text = `${[
  ...head,
  '',
  markdownTable(
    ['Against', 'Cost of', 'Sizes', 'Smallest', 'Largest', 'Exponent', 'Upper half'],
    growths.map(rowOf),
  ),
  '',
  `${growths.length} kinds of work, ${above.length} above ${limit}, ${((Date.now() - begun) / 60_000).toFixed(1)} min`,
].join('\n')}\n`;
process.stdout.write(text);
if (flags.write !== undefined) writeFileSync(flags.write, text);
process.exitCode = above.length === 0 ? 0 : 1;

async function history(): Promise<Growth[]> {
  const { sizes, at } = historyWork(workspace, Number(flags.most));
  const costs = new Map<string, Cost[]>();
  for (const size of sizes)
    for (const { work, prepare } of at(size)) {
      const list = costs.get(work) ?? [];
      costs.set(work, [...list, { size, milliseconds: await costOf(await prepare()) }]);
    }
  return [...costs].map(([work, list]) => growthOf('runs in the history', work, list));
}

function say(growth: Growth): void {
  growths.push(growth);
  const costs = growth.costs.map(({ size, milliseconds }) => `${size}: ${shown(milliseconds)}`).join(', ');
  process.stderr.write(`${growth.what}, ${growth.work}: ${growth.exponent.toFixed(2)} (${costs})\n`);
}

function rowOf(growth: Growth): string[] {
  const { what, work, costs, exponent, error, upper, upperError } = growth;
  const [first, last] = [costs[0], costs.at(-1)];
  const mark = isAbove(growth, limit) ? ' ABOVE' : '';
  return [
    what,
    work,
    `${first?.size}…${last?.size}`,
    shown(first?.milliseconds ?? 0),
    shown(last?.milliseconds ?? 0),
    `${exponent.toFixed(2)} ± ${error.toFixed(2)}${mark}`,
    `${upper.toFixed(2)} ± ${upperError.toFixed(2)}`,
  ];
}

function shown(milliseconds: number): string {
  return milliseconds < 10 ? `${milliseconds.toFixed(3)} ms` : `${milliseconds.toFixed(0)} ms`;
}
