// Seats that answer at the same time: real lanes on the real store, agents inside this process.
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { homeOf } from '../../src/engine/run-directory.ts';
import { embeddedEngine, madeRun } from '../../src/engine/testing.ts';
import type { WorkflowDefinition } from '../../src/engine/workflow.ts';
import { type LaneRequest, laneWorkflow } from '../../src/workflows/lane.ts';
import { writeQuestion } from '../../src/workflows/lane-files.ts';
import { Semaphore } from '../../src/workflows/semaphore.ts';
import type { RunServices } from '../../src/workflows/services.ts';
import { scriptedAgent } from '../panel.ts';
import type { Dimension, Prepared } from './dimension.ts';
import { seatSizes } from './sizes.ts';

const prompt = 'Sketch how requests are limited per client.\n'.repeat(200);
const agent = scriptedAgent('one');

export function seatWork(workspace: string): Dimension[] {
  return [
    {
      what: 'seats',
      work: 'lanes started, answered, checked, journaled and collected',
      sizes: seatSizes,
      prepare: (size) => lanes(workspace, size),
    },
  ];
}

async function lanes(workspace: string, seats: number): Promise<Prepared> {
  const home = homeOf(mkdtempSync(path.join(workspace, 'seats-')));
  const services: RunServices = {
    agents: new Map([['one', agent]]),
    slots: new Semaphore(32),
    project: home.project,
    overrides: {},
    earlierLanes: undefined,
    nonceSeed: 'bench',
  };
  const lane = laneWorkflow(async () => services);
  let spent = 0;
  const story: WorkflowDefinition<null, { status: 'done'; exit: 0 }> = {
    name: 'seats',
    async run(context) {
      const started = process.cpuUsage();
      const children = Array.from({ length: seats }, (_, index) => {
        const name = `seat-${index}`;
        const digest = writeQuestion(context.live.directory.lanes, name, { prompt, input: {} });
        const input: LaneRequest = {
          lane: name,
          phase: '2a',
          task: 'sketch',
          seat: name,
          agents: ['one'],
          judgement: 'sketch',
          wallMs: 60_000,
          idleMs: 60_000,
          digest,
        };
        return { key: name, input };
      });
      const answers = await context.children(lane, children);
      if (answers.some(({ kind }) => kind !== 'ok')) throw new Error('a lane failed');
      const { user, system } = process.cpuUsage(started);
      spent = (user + system) / 1000;
      return { status: 'done', exit: 0 };
    },
  };
  const engine = await embeddedEngine({ home, workflows: [story], children: [lane] });
  let number = 0;
  const one = async () => {
    number += 1;
    const { id } = await madeRun(home, `seats-${number}`, story.name);
    await engine.start(id);
    const { record } = await engine.wait(id, { signal: new AbortController().signal });
    if (record.status !== 'done') throw new Error(record.error?.message ?? record.status);
  };
  // The first runs of a store meet cold code.
  for (let warm = 0; warm < 5; warm += 1) await one();
  return { act: one, measured: () => spent, clean: () => engine.close() };
}
