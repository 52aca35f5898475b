// How long commands take to start, against an empty Node process: `npm run bench`, or `node bench/start.ts`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { calibrate, calibrationLine, median, sample, table } from './calibration.ts';

const rounds = 41;
const program = path.resolve(import.meta.dirname, '..', 'bin', 'charrette');
const folder = mkdtempSync(path.join(tmpdir(), 'charrette-bench-'));
const commands = [
  { name: 'node -e 0', args: ['-e', '0'], goal: '' },
  { name: 'charrette --version', args: [program, '--version'], goal: '≤ 1.5×' },
  { name: 'charrette --help', args: [program, '--help'], goal: '≤ 2×' },
  { name: 'charrette context', args: [program, 'context'], goal: '' },
  { name: 'charrette runs', args: [program, 'runs'], goal: '' },
].map((command) => ({ ...command, times: [] as number[] }));

process.stdout.write(`${calibrationLine(calibrate())}\n\n`);
// Turn by turn, so that all see the same machine.
for (let round = 0; round < rounds; round += 1) {
  for (const { args, times } of commands) {
    times.push(...sample(1, () => void spawnSync(process.execPath, args, { cwd: folder })));
  }
}
rmSync(folder, { recursive: true });
const base = median(commands[0]?.times ?? []);
const rows = commands.map(({ name, times, goal }) => [
  name,
  `${median(times).toFixed(1)} ms`,
  `${(median(times) / base).toFixed(2)}×`,
  goal,
]);
process.stdout.write(`${table([['start', `median of ${rounds}`, 'of node -e 0', 'goal'], ...rows])}\n`);
