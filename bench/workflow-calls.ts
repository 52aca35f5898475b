// What a workflow file with many calls costs: `node scripts/run.mjs node bench/workflow-calls.ts` after a build. Runs files of 100 and
// of 1,000 calls without a model, and prints time for each call and the most memory that the program took.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { calibrate, calibrationLine, table } from './calibration.ts';

const program = path.resolve(import.meta.dirname, '..', 'bin', 'charrette');
const folder = mkdtempSync(path.join(tmpdir(), 'charrette-calls-'));
// Your own folder, so that nobody is asked about the code.
const workflows = path.join(folder, 'home', '.claude', 'workflows');
const project = path.join(folder, 'project');
mkdirSync(workflows, { recursive: true });
mkdirSync(project);
writeFileSync(path.join(project, 'README.md'), '# Numbers\n');
execFileSync('git', ['init', '--quiet'], { cwd: project });

process.stdout.write(`${calibrationLine(calibrate())}\n\n`);
const measured = [];
for (const calls of [100, 1000]) measured.push({ calls, ...(await measure(calls)) });
rmSync(folder, { recursive: true, force: true });
const [few, many] = measured;
const rows = measured.map(({ calls, ms, mebibytes }) => [
  String(calls),
  `${(ms / 1000).toFixed(1)} s`,
  `${(ms / calls).toFixed(1)} ms`,
  `${mebibytes.toFixed(0)} MiB`,
]);
process.stdout.write(`${table([['calls', 'time', 'for each', 'most memory'], ...rows])}\n`);
const ratio = (many?.mebibytes ?? 0) / (few?.mebibytes ?? 1);
process.stdout.write(`Ten times the calls take ${ratio.toFixed(2)} times the memory.\n`);

async function measure(calls: number): Promise<{ ms: number; mebibytes: number }> {
  const text = `export const meta = { name: 'many-${calls}', description: 'Makes ${calls} calls' };
const answers = await parallel(Array.from({ length: ${calls} }, (_, index) => () => agent('question ' + index)));
return answers.length;
`;
  writeFileSync(path.join(workflows, `many-${calls}.js`), text);
  const started = performance.now();
  const args = [program, 'run', `many-${calls}`, '--agents', 'static', '--json', '--no-input', '--yes'];
  const environment = { PATH: process.env['PATH'] ?? '', HOME: path.join(folder, 'home') };
  const child = spawn(process.execPath, args, { cwd: project, env: environment, stdio: 'ignore' });
  let mebibytes = 0;
  const timer = setInterval(() => {
    mebibytes = Math.max(mebibytes, peakOf(child.pid));
  }, 100);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(timer);
  if (code !== 0) throw new Error(`A run of ${calls} calls ended with ${code}.`);
  return { ms: performance.now() - started, mebibytes };
}

/** The most memory that a process had so far; 0 where the system does not say. */
function peakOf(process: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${process}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
