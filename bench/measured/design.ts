// A whole design run with agents inside this process that answer at once, or after a fixed time: what is left is
// orchestration. node bench/measured/design.ts <example repository> <inputs.json> <embedded | PostgreSQL url> <latency in ms>
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent, LaneResult } from '../../src/agents/port.ts';
import { randomIds, systemClock } from '../../src/engine/clock.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { homeOf } from '../../src/engine/run-directory.ts';
import { createRun } from '../../src/workflows/create-run.ts';
import { designWorkflow } from '../../src/workflows/design/design.ts';
import type { DesignInputs } from '../../src/workflows/design/state.ts';
import { laneWorkflow } from '../../src/workflows/lane.ts';
import { Semaphore } from '../../src/workflows/semaphore.ts';
import type { RunServices } from '../../src/workflows/services.ts';
import { codeVersion } from '../../src/workflows/version.ts';
import { panelAnswer } from '../../test/agents/panel-answers.mjs';

const [project = '', inputsFile = '', url = 'embedded', latency = '0'] = process.argv.slice(2);
const inputs = JSON.parse(readFileSync(inputsFile, 'utf8')) as DesignInputs;
const calls: { begin: number; end: number }[] = [];

function instantAgent(id: string): Agent {
  return {
    id,
    family: id,
    title: id,
    capabilities: {
      readOnly: 'enforced',
      write: false,
      schema: true,
      resume: false,
      fork: false,
      usage: false,
      trust: 'terminal-event',
    },
    async call({ task, prompt, seat }): Promise<LaneResult> {
      const begin = performance.now();
      if (Number(latency) > 0) await sleep(Number(latency));
      calls.push({ begin, end: performance.now() });
      const value = panelAnswer(task, prompt, seat);
      const usage = { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 } as const;
      return { kind: 'ok', text: JSON.stringify(value), value, usage, toolCalls: 0, durationMs: 0 };
    },
    probe: async () => ({ healthy: true }),
  };
}

const services: RunServices = {
  agents: new Map(inputs.roster.map(({ id }) => [id, instantAgent(id)])),
  slots: new Semaphore(8),
  project,
  overrides: {},
  earlierLanes: undefined,
  nonceSeed: 'bench',
};
const servicesOf = async () => services;
const lane = laneWorkflow(servicesOf);
const home = homeOf(project);
const opening = await openEngine({
  home,
  store: url === 'embedded' ? 'embedded' : { url },
  codeVersion,
  workflows: [designWorkflow(lane, servicesOf)],
  children: [lane],
});
if (!opening.opened) throw new Error('the store is held by another process');
const run = await createRun(
  home,
  { workflow: 'design', title: 'bench', inputs },
  { clock: systemClock, ids: randomIds },
);
const openRss = process.memoryUsage.rss();
let peakRss = openRss;
const sampling = setInterval(() => {
  peakRss = Math.max(peakRss, process.memoryUsage.rss());
}, 20);
const cpuStarted = process.cpuUsage();
const started = performance.now();
await opening.engine.start(run);
const { record } = await opening.engine.wait(run, { signal: new AbortController().signal });
const designMs = performance.now() - started;
const cpu = process.cpuUsage(cpuStarted);
clearInterval(sampling);
await opening.engine.close();
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
