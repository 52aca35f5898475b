import type { LiveRun } from './live-run.ts';
import type { Answer } from './question.ts';

/** How a run stands with the process that works on it. */
export type GuardedState = 'running' | 'waiting' | 'ended';

/** Stands between a run and its journal where other machines may take the run over. */
export type RunGuard = {
  /** Called before the body of a step. Resolves once the run is known to be ours still; rejects when the signal says so. */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * Called when the body of a step is through, before its result counts. Resolves once everything that was written is
   * kept where other machines find it; rejects when the run has been given to somebody else.
   */
  keep(live: LiveRun): Promise<void>;
  /** Takes answers that somebody left in the directory of a run, which may have to wait before it goes on. */
  answered(run: string, answers: readonly Answer[]): Promise<void>;
  /** Told whenever the run asks, goes on or has ended here. */
  changed(run: string, state: GuardedState): void;
  /** Told that this could not be put on record, and is tried again. */
  troubled(run: string, error: unknown): void;
};
