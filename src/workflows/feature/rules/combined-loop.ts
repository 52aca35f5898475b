import type { GateResult } from './gate.ts';
import type { ReviewIssue } from './review-answer.ts';

/** T-122: plan, task and phase review in one loop with one counter; a failure starts again at the first. */
export type CombinedLoop = {
  readonly roles: readonly string[];
  readonly max: number;
  /** Counted from 1. */
  readonly iteration: number;
  /** Index of the reviewer whose turn it is. */
  readonly turn: number;
  /** The same round was asked for again because the answer could not be used. */
  readonly askedAgain: boolean;
  readonly end?: { approved: boolean; unresolved: readonly ReviewIssue[] };
};

export function startCombinedLoop(roles: readonly string[], max = 5): CombinedLoop {
  return { roles, max, iteration: 1, turn: 0, askedAgain: false };
}

/** A change of the plan makes the tasks stale, so every failure restarts the chain. */
export function afterCombinedAnswer(loop: CombinedLoop, result: GateResult): CombinedLoop {
  if (loop.end !== undefined) return loop;
  if (result.gate === 'pass') {
    const turn = loop.turn + 1;
    const next = { ...loop, turn, askedAgain: false };
    return turn < loop.roles.length ? next : { ...next, end: { approved: true, unresolved: [] } };
  }
  // Tricky case 10: with nothing to fix the same question is asked once more.
  if (result.gate === 'ask-again' && !loop.askedAgain) return { ...loop, askedAgain: true };
  if (loop.iteration >= loop.max) return { ...loop, end: { approved: false, unresolved: result.open } };
  return { ...loop, iteration: loop.iteration + 1, turn: 0, askedAgain: false };
}
