// What V8's optimising compiler does to the embedded database: `node bench/store-code.ts`, without a build.
// The same queries in two fresh processes, one that lets it work and one that keeps it away as `src/engine/embedded-code.ts` does.
import { execFileSync } from 'node:child_process';
import { calibrate, calibrationLine, table } from './calibration.ts';

type Measured = { cpuMs: number; wallMs: number; peakRss: number };

const queries = 3000;
const settings = [
  { title: 'with the optimising compiler', flags: [] },
  { title: 'kept away', flags: ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'] },
];
const program = `
import { PGlite } from '@electric-sql/pglite';
const started = performance.now();
const database = await PGlite.create();
await database.exec('create table journal (run text, step int, output text, primary key (run, step))');
for (let step = 0; step < ${queries / 2}; step += 1) {
  await database.query('insert into journal values ($1, $2, $3)', ['run', step, 'x'.repeat(500)]);
  await database.query('select output from journal where run = $1 and step = $2', ['run', step]);
}
const wallMs = performance.now() - started;
const { user, system } = process.cpuUsage();
const peakRss = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ cpuMs: (user + system) / 1000, wallMs, peakRss }));
process.exit(0);
`;

process.stdout.write(`${calibrationLine(calibrate())}\n\n`);
const rows = settings.map(({ title, flags }) => {
  const args = [...flags, '--input-type=module', '--eval', program];
  const output = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    cwd: `${import.meta.dirname}/..`,
  });
  const { cpuMs, wallMs, peakRss } = JSON.parse(output) as Measured;
  return [title, `${wallMs.toFixed(0)} ms`, `${cpuMs.toFixed(0)} ms`, `${(peakRss / 1e6).toFixed(0)} MB`];
});
process.stdout.write(
  `${table([[`open and ${queries} queries`, 'wall clock', 'processor time', 'memory at its peak'], ...rows])}\n`,
);
