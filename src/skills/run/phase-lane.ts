import type { LaneKind, Usage } from '../../agents/port.ts';
import type { LiveRun } from '../../engine/live-run.ts';
import type { RunPhase } from './run-plan.ts';

/** How one attempt at a phase came out, as its lane tells it. */
export type AttemptEnd = { kind: LaneKind; message?: string; usage: Usage };

/**
 * The attempts at a phase in one round, told as those of any other lane. Ids come from the folders of the attempts, so a
 * replay tells nothing twice, and a run that goes on after a failure tells of its new attempts.
 */
export class PhaseLane {
  readonly name: string;
  readonly #live: LiveRun;
  readonly #agent: string;
  /** When the first attempt of this execution began. */
  #since: number | undefined;

  constructor(live: LiveRun, phase: RunPhase, round: number, agent: string) {
    this.name = `phase-${phase.number}-${round}`;
    this.#live = live;
    this.#agent = agent;
    live.events.emit(`${this.name}:queue`, {
      type: 'lane-queue',
      lane: this.name,
      task: 'skill-phase',
      seat: `phase-${phase.number}`,
      label: round === 1 ? phase.name : `${phase.name}, round ${round}`,
      phase: `phase-${phase.number}`,
    });
  }

  folderOf(attempt: number): string {
    return `${this.name}-${attempt}`;
  }

  begin(attempt: number): void {
    const { time } = this.#emit(attempt, 'start', { type: 'lane-start', attempt });
    this.#since ??= Date.parse(time);
  }

  /** Nothing more comes after an attempt that was accepted or was the last one. */
  end(attempt: number, { kind, message, usage }: AttemptEnd, isLast: boolean): void {
    if (kind !== 'ok')
      this.#emit(attempt, 'retry', { type: 'lane-retry', attempt, kind, message: message ?? '' });
    if (kind !== 'ok' && !isLast) return;
    const elapsedMs = this.#live.clock.now() - (this.#since ?? this.#live.clock.now());
    this.#emit(attempt, 'end', {
      type: 'lane-end',
      kind,
      ...(message === undefined ? {} : { message }),
      elapsedMs,
      usage,
    });
  }

  #emit(attempt: number, what: string, body: LaneBody) {
    return this.#live.events.emit(`${this.folderOf(attempt)}:${what}`, {
      ...body,
      lane: this.name,
      agent: this.#agent,
    });
  }
}

type LaneBody =
  | { type: 'lane-start'; attempt: number }
  | { type: 'lane-retry'; attempt: number; kind: LaneKind; message: string }
  | { type: 'lane-end'; kind: LaneKind; message?: string; elapsedMs: number; usage: Usage };
