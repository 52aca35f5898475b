// Seats that answer at the same time: real lanes on the real store, agents inside this process.
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { openEngine } from '../../src/engine/engine.ts';
import { createRunDirectory, homeOf, runDirectoryOf } from '../../src/engine/run-directory.ts';
import { writeRunRecord } from '../../src/engine/run-record.ts';
import type { WorkflowDefinition } from '../../src/engine/workflow.ts';
import { type LaneRequest, laneWorkflow } from '../../src/workflows/lane.ts';
import { writeQuestion } from '../../src/workflows/lane-files.ts';
import { Semaphore } from '../../src/workflows/semaphore.ts';
import type { RunServices } from '../../src/workflows/services.ts';
import { scriptedAgent } from '../panel.ts';
import type { Dimension, Prepared } from './dimension.ts';

const prompt = 'Sketch how requests are limited per client.\n'.repeat(200);
const agent = scriptedAgent('one');

export function seatWork(workspace: string): Dimension[] {
  return [
    {
      what: 'seats',
      work: 'lanes started, answered, checked, journaled and collected',
      sizes: [2, 4, 8, 12, 16, 20],
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
  const opening = await openEngine({
    home,
    store: 'embedded',
    codeVersion: '1',
    workflows: [story],
    children: [lane],
  });
  if (!opening.opened) throw new Error('the store is held');
  const { engine } = opening;
  let number = 0;
  const one = async () => {
    number += 1;
    const directory = runDirectoryOf(home, `seats-${number}`);
    await createRunDirectory(directory);
    await writeRunRecord(directory, {
      schemaVersion: 1,
      run: directory.id,
      workflow: 'seats',
      codeVersion: '1',
      title: 'seats',
      inputs: null,
      status: 'running',
      created: new Date().toISOString(),
    });
    await engine.start(directory.id);
    const { record } = await engine.wait(directory.id, { signal: new AbortController().signal });
    if (record.status !== 'done') throw new Error(record.error?.message ?? record.status);
  };
  // The first runs of a store meet cold code.
  for (let warm = 0; warm < 5; warm += 1) await one();
  return { act: one, measured: () => spent, clean: () => engine.close() };
}
