import { expect, test } from 'vitest';
import type { EventBody, RunEvent } from '../../engine/event.ts';
import { viewOf } from './run-tools.ts';

const usage = { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 } as const;

function eventsOf(...bodies: EventBody[]): RunEvent[] {
  return bodies.map((body, index) => ({
    v: 1,
    id: String(index),
    run: 'one',
    seq: index + 1,
    time: new Date(index).toISOString(),
    ...body,
  }));
}

test('phases and lanes are in the order in which they began, each with its latest state', () => {
  const view = viewOf(
    eventsOf(
      { type: 'phase-start', phase: '0', line: '' },
      { type: 'phase-end', phase: '0', elapsedMs: 5 },
      { type: 'phase-skip', phase: '1c', line: '', elapsedMs: 0 },
      { type: 'phase-start', phase: '2a', line: '' },
      { type: 'lane-queue', lane: 'a', task: 'sketch', seat: 'first', label: '', phase: '2a' },
      { type: 'lane-queue', lane: 'b', task: 'sketch', seat: 'second', label: '', phase: '2a' },
      { type: 'lane-start', lane: 'b', agent: 'two', attempt: 1 },
      { type: 'lane-end', lane: 'b', agent: 'two', kind: 'timeout', elapsedMs: 9, usage },
    ),
  );
  expect(view).toEqual({
    phases: [
      { phase: '0', state: 'done', elapsedMs: 5 },
      { phase: '1c', state: 'skipped', elapsedMs: 0 },
      { phase: '2a', state: 'running' },
    ],
    lanes: [
      { lane: 'a', task: 'sketch', seat: 'first', state: 'queued' },
      {
        lane: 'b',
        task: 'sketch',
        seat: 'second',
        agent: 'two',
        attempt: 1,
        state: 'timeout',
        elapsedMs: 9,
      },
    ],
  });
});
