import type { LaneKind } from '../../agents/port.ts';
import type { RunEvent } from '../../engine/event.ts';

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

/** A step with the lanes that worked in it. */
export type PhaseGroup = { phase: string; span?: PhaseSpan; lanes: readonly LaneSpan[] };

/**
 * What the events of a run come to. A group is replaced when something in it changes, and stays the same object otherwise,
 * so that a view knows what to draw again.
 */
export type Timeline = {
  groups: Map<string, PhaseGroup>;
  /** Lane → the step it belongs to. */
  phaseOf: Map<string, string>;
  agents: readonly string[];
  start?: number;
  last: number;
  /** Number of the last event. */
  seq: number;
  /** Counts the events that changed a group. */
  version: number;
};

export function emptyTimeline(): Timeline {
  return { groups: new Map(), phaseOf: new Map(), agents: [], last: 0, seq: 0, version: 0 };
}

/** From the first event to the last, or to now while the run continues: the one answer to how long a run took. */
export function spanOf({ start = 0, last }: Timeline, now?: number): { start: number; end: number } {
  return { start, end: Math.max(last, now ?? last) };
}

/** Adds one event; the cost of an event does not grow with the number of those before it. */
export function applyEvent(timeline: Timeline, event: RunEvent): void {
  const time = Date.parse(event.time);
  timeline.start ??= time;
  timeline.last = Math.max(timeline.last, time);
  timeline.seq = event.seq;
  switch (event.type) {
    case 'phase-start': {
      const { phase, line } = event;
      endOpenPhases(timeline, phase, time);
      replacePhase(timeline, { phase, start: time, state: 'running', line });
      break;
    }
    case 'phase-end':
    case 'phase-skip': {
      const { phase } = event;
      const before = timeline.groups.get(phase)?.span ?? { phase, start: time, line: '' };
      const state = event.type === 'phase-end' ? 'done' : 'skipped';
      replacePhase(timeline, { ...before, end: time, state, line: event.line ?? before.line });
      break;
    }
    case 'lane-queue': {
      const { lane, label, task, phase } = event;
      timeline.phaseOf.set(lane, phase);
      replaceLane(timeline, { lane, label, task, phase, queued: time, attempt: 0, state: 'queued' });
      break;
    }
    case 'lane-start': {
      const before = laneOf(timeline, event.lane, time);
      const { agent, attempt } = event;
      replaceLane(timeline, {
        ...before,
        agent,
        attempt,
        start: before.start ?? time,
        state: 'running',
      });
      break;
    }
    case 'lane-retry': {
      const before = laneOf(timeline, event.lane, time);
      replaceLane(timeline, { ...before, message: `${event.kind}: ${event.message}` });
      break;
    }
    case 'lane-end': {
      const before = laneOf(timeline, event.lane, time);
      const { agent, kind, usage, message } = event;
      const start = before.start ?? time - event.elapsedMs;
      replaceLane(timeline, {
        ...before,
        agent,
        start,
        // The designs of a comparison report it only when both are over.
        end: before.task === 'design' ? Math.min(time, start + event.elapsedMs) : time,
        state: kind,
        tokens: usage.inputTokens + usage.outputTokens,
        basis: usage.basis,
        ...(message !== undefined && { message }),
      });
      break;
    }
  }
}

function laneOf({ groups, phaseOf }: Timeline, lane: string, time: number): LaneSpan {
  const known = groups.get(phaseOf.get(lane) ?? '')?.lanes.find((each) => each.lane === lane);
  return known ?? { lane, label: lane, task: '', phase: '', queued: time, attempt: 0, state: 'queued' };
}

/** Phases follow one another: the start of the next ends one that had nothing to say at its end. */
function endOpenPhases(timeline: Timeline, next: string, time: number): void {
  for (const { phase, span } of timeline.groups.values())
    if (phase !== next && span?.state === 'running')
      replacePhase(timeline, { ...span, end: time, state: 'done' });
}

function replacePhase(timeline: Timeline, span: PhaseSpan): void {
  const group = timeline.groups.get(span.phase) ?? { phase: span.phase, lanes: [] };
  timeline.groups.set(span.phase, { ...group, span });
  timeline.version += 1;
}

function replaceLane(timeline: Timeline, lane: LaneSpan): void {
  const { groups, phaseOf, agents } = timeline;
  const phase = phaseOf.get(lane.lane) ?? lane.phase;
  phaseOf.set(lane.lane, phase);
  const group = groups.get(phase) ?? { phase, lanes: [] };
  const at = group.lanes.findIndex((each) => each.lane === lane.lane);
  const lanes = at < 0 ? [...group.lanes, lane] : group.lanes.with(at, lane);
  groups.set(phase, { ...group, lanes });
  if (lane.agent !== undefined && !agents.includes(lane.agent)) timeline.agents = [...agents, lane.agent];
  timeline.version += 1;
}
