// A whole design run with agents inside this process that answer at once, or after a fixed time: what is left is
// orchestration. node bench/measured/design.ts <example repository> <inputs.json> <embedded | PostgreSQL url> <latency in ms>
import { readFileSync } from 'node:fs';
import type { DesignInputs } from '../../src/workflows/design/desk.ts';
import { openPanel } from '../panel.ts';

const [project = '', inputsFile = '', url = 'embedded', latency = '0'] = process.argv.slice(2);
const inputs = JSON.parse(readFileSync(inputsFile, 'utf8')) as DesignInputs;
const calls: { begin: number; end: number }[] = [];

const { engine, make } = await openPanel({
  project,
  inputs,
  store: url === 'embedded' ? 'embedded' : { url },
  latencyMs: Number(latency),
  onCall: () => calls.push({ begin: performance.now(), end: performance.now() + Number(latency) }),
});
const run = await make('bench');
const openRss = process.memoryUsage.rss();
let peakRss = openRss;
const sampling = setInterval(() => {
  peakRss = Math.max(peakRss, process.memoryUsage.rss());
}, 20);
const cpuStarted = process.cpuUsage();
const started = performance.now();
await engine.start(run);
const { record } = await engine.wait(run, { signal: new AbortController().signal });
const designMs = performance.now() - started;
const cpu = process.cpuUsage(cpuStarted);
clearInterval(sampling);
await engine.close();
const measured = {
  designMs,
  cpuMs: (cpu.user + cpu.system) / 1000,
  openRss,
  peakRss,
  calls: calls.length,
  waves: wavesOf(calls),
  status: record.status,
  error: record.error,
};
process.stdout.write(`${JSON.stringify(measured)}\n`);

/** How many calls come one after another on the longest way through the run. */
function wavesOf(list: readonly { begin: number; end: number }[]): number {
  let waves = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const call of [...list].sort((one, two) => one.begin - two.begin)) {
    if (call.begin < end) continue;
    waves += 1;
    end = call.end;
  }
  return waves;
}
