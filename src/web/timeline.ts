import type { LaneKind } from '../agents/port.ts';
import type { RunEvent } from '../engine/event.ts';

/** A stretch of a run in which one step happened. Times are milliseconds since 1970. */
export type PhaseSpan = {
  phase: string;
  start: number;
  end?: number;
  state: 'running' | 'done' | 'skipped';
  line: string;
};

/** One agent's work on one task; `state` is how it ended, or where it is. */
export type LaneSpan = {
  lane: string;
  label: string;
  task: string;
  phase: string;
  agent?: string;
  queued: number;
  start?: number;
  end?: number;
  attempt: number;
  state: 'queued' | 'running' | LaneKind;
  message?: string;
  tokens?: number;
  basis?: 'measured' | 'estimated' | 'unknown';
};

/** What the events of a run come to. Entries are replaced, never changed, so that a view knows what is new. */
export type Timeline = {
  phases: Map<string, PhaseSpan>;
  lanes: Map<string, LaneSpan>;
  start?: number;
  last: number;
  /** Number of the last event. */
  seq: number;
  ended: boolean;
};

export function emptyTimeline(): Timeline {
  return { phases: new Map(), lanes: new Map(), last: 0, seq: 0, ended: false };
}

/** Adds one event; the cost of an event does not grow with the number of those before it. */
export function applyEvent(timeline: Timeline, event: RunEvent): void {
  const time = Date.parse(event.time);
  timeline.start ??= time;
  timeline.last = Math.max(timeline.last, time);
  timeline.seq = event.seq;
  const { phases, lanes } = timeline;
  switch (event.type) {
    case 'run-resume':
      timeline.ended = false;
      break;
    case 'run-end':
      timeline.ended = true;
      break;
    case 'phase-start':
      phases.set(event.phase, { phase: event.phase, start: time, state: 'running', line: event.line });
      break;
    case 'phase-end':
    case 'phase-skip': {
      const before = phases.get(event.phase) ?? { phase: event.phase, start: time, line: '' };
      const state = event.type === 'phase-end' ? 'done' : 'skipped';
      phases.set(event.phase, { ...before, end: time, state, line: event.line ?? before.line });
      break;
    }
    case 'lane-queue': {
      const { lane, label, task, phase } = event;
      lanes.set(lane, { lane, label, task, phase, queued: time, attempt: 0, state: 'queued' });
      break;
    }
    case 'lane-start': {
      const before = laneOf(lanes, event.lane, time);
      const { agent, attempt } = event;
      lanes.set(event.lane, {
        ...before,
        agent,
        attempt,
        start: before.start ?? time,
        state: 'running',
      });
      break;
    }
    case 'lane-retry': {
      const before = laneOf(lanes, event.lane, time);
      lanes.set(event.lane, { ...before, message: `${event.kind}: ${event.message}` });
      break;
    }
    case 'lane-end': {
      const before = laneOf(lanes, event.lane, time);
      const { agent, kind, usage, message } = event;
      lanes.set(event.lane, {
        ...before,
        agent,
        start: before.start ?? time - event.elapsedMs,
        end: time,
        state: kind,
        tokens: usage.inputTokens + usage.outputTokens,
        basis: usage.basis,
        ...(message !== undefined && { message }),
      });
      break;
    }
  }
}

function laneOf(lanes: Map<string, LaneSpan>, lane: string, time: number): LaneSpan {
  return (
    lanes.get(lane) ?? { lane, label: lane, task: '', phase: '', queued: time, attempt: 0, state: 'queued' }
  );
}
