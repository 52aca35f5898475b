import { expect, test } from 'vitest';
import type { EventBody, RunEvent } from '../../engine/event.ts';
import { applyEvent, emptyTimeline, spanOf } from './timeline.ts';

const usage = { basis: 'measured', inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 } as const;

function timelineOf(...bodies: EventBody[]) {
  const timeline = emptyTimeline();
  for (const [index, body] of bodies.entries()) {
    const time = new Date(1_000_000 + index * 1000).toISOString();
    const event: RunEvent = { v: 1, id: `run:${index}`, run: 'r', seq: index + 1, time, ...body };
    applyEvent(timeline, event);
  }
  return timeline;
}

const queue = (lane: string, phase = '2a'): EventBody => ({
  type: 'lane-queue',
  lane,
  task: 'sketch',
  seat: lane,
  label: lane,
  phase,
});

test('a lane goes from its queue to its end inside its step', () => {
  const { groups, agents, seq } = timelineOf(
    { type: 'phase-start', phase: '2a', line: 'sketches' },
    queue('a'),
    { type: 'lane-start', lane: 'a', agent: 'one', attempt: 1 },
    { type: 'lane-retry', lane: 'a', agent: 'one', attempt: 1, kind: 'server', message: 'busy' },
    { type: 'lane-start', lane: 'a', agent: 'two', attempt: 2 },
    { type: 'lane-end', lane: 'a', agent: 'two', kind: 'ok', elapsedMs: 1, usage },
    { type: 'phase-end', phase: '2a', elapsedMs: 6000 },
  );
  const group = groups.get('2a');
  expect(group?.span).toMatchObject({ state: 'done', start: 1_000_000, end: 1_006_000 });
  expect(group?.lanes).toEqual([
    expect.objectContaining({
      agent: 'two',
      attempt: 2,
      state: 'ok',
      start: 1_002_000,
      end: 1_005_000,
      tokens: 15,
    }),
  ]);
  expect([agents, seq]).toEqual([['one', 'two'], 7]);
});

test('an event touches only the group it is about', () => {
  const timeline = timelineOf(queue('a'), queue('b', '3'));
  const [before, version] = [timeline.groups.get('2a'), timeline.version];
  const frame = { v: 1, run: 'r', time: new Date(2_000_000).toISOString() } as const;
  applyEvent(timeline, {
    ...frame,
    id: 'x',
    seq: 3,
    type: 'lane-start',
    lane: 'b',
    agent: 'one',
    attempt: 1,
  });
  expect(timeline.groups.get('2a')).toBe(before);
  expect(timeline.version).toBe(version + 1);
  applyEvent(timeline, { ...frame, id: 'y', seq: 4, type: 'note', text: 'nothing' });
  expect(timeline.version).toBe(version + 1);
});

test('a lane of which only the end is known is shown anyway', () => {
  const { groups } = timelineOf({
    type: 'lane-end',
    lane: 'x',
    agent: 'one',
    kind: 'crash',
    elapsedMs: 500,
    usage,
  });
  expect([...groups.values()].flatMap(({ lanes }) => lanes)).toEqual([
    expect.objectContaining({ lane: 'x', state: 'crash', start: 999_500, end: 1_000_000 }),
  ]);
});

test('a step without its own end is over when the next begins, and the run lasts from its first event to its last', () => {
  const timeline = timelineOf(
    { type: 'phase-start', phase: 'LP-0', line: 'preferences' },
    { type: 'phase-start', phase: 'LP-1', line: 'explore' },
    { type: 'note', text: 'on' },
  );
  expect(timeline.groups.get('LP-0')?.span).toMatchObject({ state: 'done', end: 1_001_000 });
  expect(timeline.groups.get('LP-1')?.span).toMatchObject({ state: 'running' });
  expect(spanOf(timeline)).toEqual({ start: 1_000_000, end: 1_002_000 });
  expect(spanOf(timeline, 1_009_000).end).toBe(1_009_000);
});
