// Seats that answer at the same time: real lanes on the real store, agents inside this process.
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import type { Sketch } from '../../src/base/schema/judgements/design.ts';
import { callAll, type Seat, type Task } from '../../src/council/call/call.ts';
import { judgementForm } from '../../src/council/call/judgement.ts';
import type { CallServices } from '../../src/council/call/once.ts';
import { Semaphore } from '../../src/council/call/once.ts';
import { homeOf } from '../../src/engine/run-directory.ts';
import type { WorkflowDefinition } from '../../src/engine/workflow.ts';
import { embeddedEngine, madeRun } from '../../test/support/engine.ts';
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
  const services: CallServices = {
    agents: new Map([['one', agent]]),
    slots: new Semaphore(32),
    project: home.project,
    overrides: {},
    earlierLanes: undefined,
    nonceSeed: 'bench',
  };
  let spent = 0;
  const story: WorkflowDefinition<null, { status: 'done'; exit: 0 }> = {
    name: 'seats',
    async run(context) {
      const started = process.cpuUsage();
      const calls = Array.from({ length: seats }, (_, index): [Seat, Task<Sketch>] => {
        const [key, kind] = [`seat-${index}`, 'sketch'];
        const limits = { wallMs: 60_000, idleMs: 60_000 };
        const answer = judgementForm('sketch', { kind, facts: {} });
        return [
          { id: key, label: key, agents: ['one'] },
          { key, kind, phase: '2a', prompt, facts: {}, answer, limits },
        ];
      });
      const answers = await callAll({ context, services }, calls);
      if (answers.some(({ kind }) => kind !== 'ok')) throw new Error('a lane failed');
      const { user, system } = process.cpuUsage(started);
      spent = (user + system) / 1000;
      return { status: 'done', exit: 0 };
    },
  };
  const engine = await embeddedEngine({ home, workflows: [story] });
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
