// A whole design run with agents that answer at once, inside this process: what is left is orchestration.
// node bench/measured/design.ts <example repository> <inputs.json>
import { readFileSync } from 'node:fs';
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

const [project = '', inputsFile = ''] = process.argv.slice(2);
const inputs = JSON.parse(readFileSync(inputsFile, 'utf8')) as DesignInputs;
let calls = 0;

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
      calls += 1;
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
  store: 'embedded',
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
const started = performance.now();
await opening.engine.start(run);
const { record } = await opening.engine.wait(run, { signal: new AbortController().signal });
const designMs = performance.now() - started;
await opening.engine.close();
process.stdout.write(`${JSON.stringify({ designMs, calls, status: record.status, error: record.error })}\n`);
