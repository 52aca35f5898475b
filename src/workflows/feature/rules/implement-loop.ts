import { CharretteError } from '../../../base/errors.ts';
import type { GateResult } from './gate.ts';
import type { ReviewIssue } from './review-answer.ts';

export type ReviewerStatus = 'pending' | 'passed' | 'failed';

/** T-123: the reviewers of an implementation and their verdicts so far. */
export type ImplementLoop = {
  readonly reviewers: Readonly<Record<string, { status: ReviewerStatus; passedIn?: number }>>;
  /** Rounds sent out so far (lean/C-18: this is what the cap counts). */
  readonly round: number;
  readonly max: number;
  readonly finalValidation: boolean;
  /** Of the current round. */
  readonly answers: Readonly<Record<string, GateResult>>;
};

export type ImplementStep =
  | { kind: 'review'; round: number; max: number; roles: readonly string[]; finalValidation: boolean }
  /** T-127: only what failed reviewers found. */
  | { kind: 'fix'; round: number; issues: readonly (ReviewIssue & { reviewer: string })[] }
  | { kind: 'approved'; rounds: number }
  /** T-129: only you may force an approval. */
  | {
      kind: 'circuit-breaker';
      rounds: number;
      max: number;
      failed: readonly string[];
      open: readonly ReviewIssue[];
    };

export function startImplementLoop(roles: readonly string[], max: number): ImplementLoop {
  return {
    reviewers: Object.fromEntries(roles.map((role) => [role, { status: 'pending' as const }])),
    round: 0,
    max,
    finalValidation: false,
    answers: {},
  };
}

/** T-124…T-129, lean/C-18: the next step. `fixed`: the issues of the last round were worked on. */
export function nextImplementStep(loop: ImplementLoop, fixed: boolean): ImplementStep {
  const { round, max } = loop;
  const failed = rolesWith(loop, 'failed');
  const pending = rolesWith(loop, 'pending');
  const allPassed = failed.length === 0 && pending.length === 0;
  if (loop.finalValidation && allPassed) return { kind: 'approved', rounds: round };
  const open = failed.flatMap((reviewer) =>
    (loop.answers[reviewer]?.open ?? []).map((issue) => ({ ...issue, reviewer })),
  );
  if (round >= max) return { kind: 'circuit-breaker', rounds: round, max, failed, open };
  if (failed.length > 0 && !fixed) return { kind: 'fix', round, issues: open };
  // lean/C-18: the last round that may be sent out is kept for all reviewers.
  const finalValidation = allPassed || (round > 0 && round + 1 === max);
  const roles = finalValidation || round === 0 ? Object.keys(loop.reviewers) : [...failed, ...pending];
  return { kind: 'review', round: round + 1, max, roles, finalValidation };
}

/** Sends a round out. */
export function startRound(
  loop: ImplementLoop,
  step: Extract<ImplementStep, { kind: 'review' }>,
): ImplementLoop {
  const reviewers = Object.fromEntries(
    Object.entries(loop.reviewers).map(([role, state]) => [
      role,
      step.roles.includes(role) ? { ...state, status: 'pending' as const } : state,
    ]),
  );
  return { ...loop, reviewers, round: step.round, finalValidation: step.finalValidation, answers: {} };
}

/** T-126: a failure in the final round restarts the fix cycle. */
export function afterReview(loop: ImplementLoop, role: string, result: GateResult): ImplementLoop {
  if (!Object.hasOwn(loop.reviewers, role)) {
    throw new CharretteError({ code: 'internal', message: `${role} does not review this implementation.` });
  }
  const passed = result.gate === 'pass';
  return {
    ...loop,
    reviewers: {
      ...loop.reviewers,
      [role]: passed ? { status: 'passed', passedIn: loop.round } : { status: 'failed' },
    },
    finalValidation: loop.finalValidation && passed,
    answers: { ...loop.answers, [role]: result },
  };
}

function rolesWith(loop: ImplementLoop, status: ReviewerStatus): string[] {
  return Object.entries(loop.reviewers)
    .filter(([, state]) => state.status === status)
    .map(([role]) => role);
}
