import { describe, expect, test } from 'vitest';
import type { EventBody, RunEvent } from '../engine/event.ts';
import { emptyView, foldEvent, foldEvents, type View } from './run-view.ts';

const start = Date.parse('2026-01-01T00:00:00.000Z');

function eventsOf(...bodies: EventBody[]): RunEvent[] {
  return bodies.map((body, index) => ({
    v: 1,
    id: `run:${index}`,
    run: 'r1',
    seq: index + 1,
    time: new Date(start + index * 1000).toISOString(),
    ...body,
  }));
}

/** One event after the other; taking all of them at once, or the later ones at once, must not make a difference. */
function viewOf(...bodies: EventBody[]): View {
  const events = eventsOf(...bodies);
  const view = events.reduce(foldEvent, emptyView);
  const half = events.slice(0, Math.ceil(events.length / 2)).reduce(foldEvent, emptyView);
  const before = structuredClone(half);
  expect(foldEvents(emptyView, events)).toEqual(view);
  expect(foldEvents(half, events.slice(Math.ceil(events.length / 2)))).toEqual(view);
  expect(half).toEqual(before);
  return view;
}

const queue = {
  type: 'lane-queue',
  lane: 'a',
  task: 'sketch',
  seat: 'a',
  label: 'One-Arch',
  phase: '2a',
} as const;
const usage = { basis: 'measured', inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 } as const;

describe('the view of a run', () => {
  test('lists phases in the order they began, with their last words as title', () => {
    const view = viewOf(
      { type: 'run-start', workflow: 'design', title: 'cancel an order' },
      { type: 'phase-start', phase: '1', line: '━━━\n> **🔶 1: branch**' },
      { type: 'phase-end', phase: '1', line: '✅ 1: branch — created dev/x (0s)', elapsedMs: 400 },
      { type: 'phase-start', phase: '1c', line: '━━━\n> **🔶 1c: questions**' },
      { type: 'phase-skip', phase: '1c', line: '⏩ 1c: questions — skipped (auto mode) (0s)', elapsedMs: 1 },
      { type: 'phase-start', phase: 'explore', line: '▸ explore looking around' },
    );
    expect(view.phases.map(({ title, state }) => [title, state])).toEqual([
      ['1: branch — created dev/x', 'done'],
      ['1c: questions — skipped (auto mode)', 'skipped'],
      ['explore looking around', 'running'],
    ]);
    expect(view.run).toMatchObject({ id: 'r1', title: 'cancel an order', started: start });
  });

  test('a phase without an end line is done when the next begins', () => {
    const view = viewOf(
      { type: 'phase-start', phase: '1', line: '> **🔶 1: branch — using existing: dev/x**' },
      { type: 'phase-start', phase: '2', line: '> **🔶 2: sketches**' },
    );
    expect(view.phases).toMatchObject([
      { title: '1: branch — using existing: dev/x', state: 'done', elapsedMs: 1000 },
      { state: 'running' },
    ]);
  });

  test('a lane goes from queued over retries and another agent to its end', () => {
    const bodies: EventBody[] = [
      queue,
      { type: 'lane-start', lane: 'a', agent: 'one', attempt: 1 },
      { type: 'lane-retry', lane: 'a', agent: 'one', attempt: 1, kind: 'rate_limit', message: 'slow down' },
      { type: 'lane-start', lane: 'a', agent: 'two', attempt: 2 },
      { type: 'lane-end', lane: 'a', agent: 'two', kind: 'ok', elapsedMs: 700, usage },
    ];
    const states = bodies.map((_, index) => viewOf(...bodies.slice(0, index + 1)).lanes.get('a'));
    expect(states.map((lane) => [lane?.agent, lane?.state])).toEqual([
      [undefined, 'queued'],
      ['one', 'running'],
      ['one', 'retrying'],
      ['two', 'running'],
      ['two', 'ok'],
    ]);
    expect(states.at(-1)).toMatchObject({ elapsedMs: 700, usage, attempt: 2, seq: 5 });
  });

  test('lanes of a workflow without phase lines still have a phase', () => {
    const view = viewOf({ ...queue, phase: 'specify' });
    expect(view.phases).toMatchObject([{ phase: 'specify', title: 'specify', lanes: ['a'] }]);
  });

  test('a stopped run does not count time; resumed, its open lanes run again from then on', () => {
    const before: EventBody[] = [
      { type: 'phase-start', phase: '2a', line: '2a: sketches' },
      queue,
      { type: 'lane-start', lane: 'a', agent: 'one', attempt: 1 },
      { type: 'run-pause', reason: 'stop' },
    ];
    expect(viewOf(...before).lanes.get('a')?.state).toBe('stopped');
    expect(viewOf(...before).phases[0]?.state).toBe('stopped');
    const resumed = viewOf(...before, { type: 'run-resume', attempt: 5 });
    expect(resumed.lanes.get('a')).toMatchObject({ state: 'running', since: start + 4000 });
    expect(resumed.phases[0]?.state).toBe('running');
    expect(resumed.pause).toBeUndefined();
  });

  test('a question is open until it is answered, and appears once when asked twice', () => {
    const ask: EventBody = { type: 'question-ask', questions: [{ id: 'scope', text: 'Which part?' }] };
    expect(viewOf(ask, ask).questions).toHaveLength(1);
    const answer: EventBody = {
      type: 'question-answer',
      answers: [{ question: 'scope', value: 'api', source: 'person' }],
    };
    expect(viewOf(ask, answer).questions).toEqual([]);
  });

  test('hides notes that repeat a question, also after its answer', () => {
    const view = viewOf(
      { type: 'phase-start', phase: 'LP-4', line: '▸ LP-4 confirm' },
      { type: 'note', phase: 'LP-4', text: '1. TASK-001 Add one' },
      { type: 'note', phase: 'LP-4', text: 'something else' },
      {
        type: 'question-ask',
        questions: [{ id: 'confirm', text: 'Go?', detail: 'Tasks\n1. TASK-001 Add one' }],
      },
    );
    expect(view.phases[0]?.notes.map(({ text }) => text)).toEqual(['something else']);
  });

  test('shows repeated warnings once and tables of lanes never', () => {
    const view = viewOf(
      { type: 'phase-start', phase: '0', line: '0: setup' },
      { type: 'warning', phase: '0', text: 'A seat is empty' },
      { type: 'phase-start', phase: '5', line: '5: cleanup' },
      { type: 'note', phase: '5', text: '1 warning(s) of this run:' },
      { type: 'note', phase: '5', text: '**⚠ A seat is empty**' },
      { type: 'note', phase: '5', text: '📊 Sketches: | One: ⏳ |' },
    );
    expect(view.phases.map(({ notes }) => notes.map(({ text }) => text))).toEqual([['A seat is empty'], []]);
  });

  test('escape sequences of agents do not reach the view', () => {
    const view = viewOf(
      { type: 'run-start', workflow: 'design', title: 'a\u001b[2Jb\u0007\u202ec' },
      { ...queue, label: '\u001b]0;owned\u0007Seat\r\nTwo' },
      { type: 'lane-start', lane: 'a', agent: '\u009b31mone', attempt: 1 },
    );
    expect(view.run?.title).toBe('abc');
    expect(view.lanes.get('a')).toMatchObject({ label: ']0;ownedSeat Two', agent: 'one' });
  });
});
