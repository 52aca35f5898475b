// A separate process, so that every measurement starts cold. Prints one JSON document.
// node bench/measured/engine.ts <project folder> <embedded | PostgreSQL url> <steps> <lanes>
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunRecord, StoreSetting, WorkflowDefinition } from '../../src/engine/index.ts';

const [project = '', url = 'embedded', steps = '0', lanes = '0'] = process.argv.slice(2);
const store: StoreSetting = url === 'embedded' ? 'embedded' : { url };

const importStarted = performance.now();
// The built module, as an installation has it.
const engineModule = new URL('../../dist/engine.js', import.meta.url).href;
const { createRunDirectory, homeOf, openEngine, runDirectoryOf, writeRunRecord } = (await import(
  engineModule
)) as typeof import('../../src/engine/index.ts');
const importMs = performance.now() - importStarted;

const stepTimes: number[] = [];
let fanOutMs = 0;
let stepCpuMs = 0;
const story: WorkflowDefinition<{ steps: number; lanes: number }, { status: 'done'; exit: number }> = {
  name: 'bench',
  async run(context, input) {
    const cpuStarted = process.cpuUsage();
    const stepsStarted = performance.now();
    let before = stepsStarted;
    for (let index = 0; index < input.steps; index += 1) {
      await context.step(`step ${index}`, async () => index);
      const now = performance.now();
      stepTimes.push(now - before);
      before = now;
    }
    stepCpuMs = cpuSince(cpuStarted) / input.steps;
    const started = performance.now();
    await Promise.all(
      Array.from({ length: input.lanes }, (_, index) =>
        context.step(`lane-${index}`, () => sleep(1000, undefined)),
      ),
    );
    fanOutMs = performance.now() - started;
    return { status: 'done', exit: 0 };
  },
};

const home = homeOf(project);
const openStarted = performance.now();
const openCpuStarted = process.cpuUsage();
const opening = await openEngine({ home, store, codeVersion: 'bench', workflows: [story] });
if (!opening.opened) throw new Error('the store is held by another process');
const openMs = performance.now() - openStarted;
const openCpuMs = cpuSince(openCpuStarted);
const openRss = process.memoryUsage().rss;

if (Number(steps) > 0 || Number(lanes) > 0) {
  const directory = runDirectoryOf(home, `bench-${process.pid}-${Date.now()}`);
  await createRunDirectory(directory);
  const record: RunRecord = {
    schemaVersion: 1,
    run: directory.id,
    workflow: 'bench',
    codeVersion: 'bench',
    title: 'bench',
    inputs: { steps: Number(steps), lanes: Number(lanes) },
    status: 'running',
    created: new Date().toISOString(),
  };
  await writeRunRecord(directory, record);
  await opening.engine.start(directory.id);
  await opening.engine.wait(directory.id, { signal: new AbortController().signal });
}
await opening.engine.close();
const peakRss = process.resourceUsage().maxRSS * 1024;
const measured = {
  importMs,
  openMs,
  openCpuMs,
  openRss,
  peakRss,
  stepTimes,
  stepCpuMs,
  fanOutMs,
};
process.stdout.write(`${JSON.stringify(measured)}\n`);

/** Processor time, which other programs on the machine do not add to. */
function cpuSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
