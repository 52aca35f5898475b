// How long commands take to start, against an empty Node process: `npm run bench`, or `node bench/start.ts [--rounds 41]` after
// a build. Exit 1 when a ratio is above its goal.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { calibrate, calibrationLine, median, sample, table } from './calibration.ts';
import { type Goal, Verdicts } from './goals.ts';

const { values: flags } = parseArgs({ options: { rounds: { type: 'string', default: '41' } } });
const rounds = Number(flags.rounds);
const program = path.resolve(import.meta.dirname, '..', 'bin', 'charrette');
const folder = mkdtempSync(path.join(tmpdir(), 'charrette-bench-'));
const times = (most: number): Goal => ({ most, unit: '×' });
const commands: readonly { name: string; args: string[]; goal?: Goal }[] = [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'charrette --version', args: [program, '--version'], goal: times(1.5) },
  { name: 'charrette --help', args: [program, '--help'], goal: times(2) },
  { name: 'charrette context', args: [program, 'context'], goal: times(1.6) },
  { name: 'charrette runs', args: [program, 'runs'] },
];

process.stdout.write(`${calibrationLine(calibrate())}\n\n`);
const measured = commands.map((command) => ({ ...command, times: [] as number[] }));
// Turn by turn, so that all see the same machine.
for (let round = 0; round < rounds; round += 1)
  for (const { name, args, times: taken } of measured) taken.push(...sample(1, () => start(name, args)));
rmSync(folder, { recursive: true });
const base = median(measured[0]?.times ?? []);
const verdicts = new Verdicts();
const rows = measured.map(({ name, times: taken, goal }) => {
  const ratio = median(taken) / base;
  return [
    name,
    `${median(taken).toFixed(1)} ms`,
    `${ratio.toFixed(2)}×`,
    ...verdicts.judge(name, ratio, goal),
  ];
});
process.stdout.write(
  `${table([['start', `median of ${rounds}`, 'of node -e 0', 'goal', 'verdict'], ...rows])}\n`,
);
verdicts.conclude();

function start(name: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
}
