import type { RunEvent } from '../../engine/event.ts';

export type PhaseView = { phase: string; state: 'running' | 'done' | 'skipped'; elapsedMs?: number };

export type LaneView = {
  lane: string;
  task: string;
  seat: string;
  agent?: string;
  state: string;
  attempt?: number;
  elapsedMs?: number;
};

/** Phases and lanes as the events of a run tell them, in the order in which they began. */
export function viewOf(events: Iterable<RunEvent>): { phases: PhaseView[]; lanes: LaneView[] } {
  const phases = new Map<string, PhaseView>();
  const lanes = new Map<string, LaneView>();
  const laneOf = (lane: string): LaneView => lanes.get(lane) ?? { lane, task: '', seat: '', state: 'queued' };
  for (const event of events) {
    switch (event.type) {
      case 'phase-start':
        phases.set(event.phase, { phase: event.phase, state: 'running' });
        break;
      case 'phase-end':
        phases.set(event.phase, { phase: event.phase, state: 'done', elapsedMs: event.elapsedMs });
        break;
      case 'phase-skip':
        phases.set(event.phase, { phase: event.phase, state: 'skipped', elapsedMs: event.elapsedMs });
        break;
      case 'lane-queue': {
        const { lane, task, seat } = event;
        lanes.set(lane, { ...laneOf(lane), task, seat });
        break;
      }
      case 'lane-start': {
        const { lane, agent, attempt } = event;
        lanes.set(lane, { ...laneOf(lane), agent, attempt, state: 'running' });
        break;
      }
      case 'lane-end': {
        const { lane, agent, kind, elapsedMs } = event;
        lanes.set(lane, { ...laneOf(lane), agent, state: kind, elapsedMs });
        break;
      }
    }
  }
  return { phases: [...phases.values()], lanes: [...lanes.values()] };
}
