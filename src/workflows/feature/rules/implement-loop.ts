import { CharretteError } from '../../../base/errors.ts';
import type { GateResult } from './gate.ts';
import type { ReviewIssue } from './review-answer.ts';

export type ReviewerStatus = 'pending' | 'passed' | 'failed';

/** T-123: the reviewers of an implementation and where they stand. */
export type ImplementLoop = {
  readonly reviewers: Readonly<Record<string, { status: ReviewerStatus; passedIn?: number }>>;
  /** Rounds sent out so far (lean/C-18: this is what the cap counts). */
  readonly round: number;
  readonly max: number;
  readonly finalValidation: boolean;
  /** Results of the running round. */
  readonly answers: Readonly<Record<string, GateResult>>;
};

export type ImplementStep =
  | { kind: 'review'; round: number; max: number; roles: readonly string[]; finalValidation: boolean }
  /** T-127: only what failed reviewers found. */
  | { kind: 'fix'; round: number; issues: readonly (ReviewIssue & { reviewer: string })[] }
  | { kind: 'approved'; rounds: number }
  /** T-129: a person decides; nobody else may force an approval. */
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

/** T-124…T-129, lean/C-18: what comes after the state as it is. `fixed` says that the issues of the last round were worked on. */
export function nextImplementStep(loop: ImplementLoop, fixed: boolean): ImplementStep {
  const roles = Object.keys(loop.reviewers);
  const failed = rolesWith(loop, 'failed');
  if (loop.round > 0 && loop.finalValidation && failed.length === 0 && isRoundComplete(loop)) {
    return { kind: 'approved', rounds: loop.round };
  }
  if (failed.length > 0 && !fixed) {
    if (loop.round >= loop.max) return breaker(loop, failed);
    return { kind: 'fix', round: loop.round, issues: openIssues(loop, failed) };
  }
  if (loop.round >= loop.max) return breaker(loop, failed);
  const pending = rolesWith(loop, 'pending');
  const allPassed = failed.length === 0 && pending.length === 0;
  // lean/C-18: the last round that may be sent out is kept for everybody.
  const final = allPassed || (loop.round > 0 && loop.round + 1 === loop.max);
  const called = final || loop.round === 0 ? roles : [...failed, ...pending];
  return { kind: 'review', round: loop.round + 1, max: loop.max, roles: called, finalValidation: final };
}

/** A round goes out. */
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

/** T-126: a failure in the final round takes its flag away; the fix cycle starts again. */
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

function isRoundComplete(loop: ImplementLoop): boolean {
  return rolesWith(loop, 'pending').length === 0;
}

function rolesWith(loop: ImplementLoop, status: ReviewerStatus): string[] {
  return Object.entries(loop.reviewers)
    .filter(([, state]) => state.status === status)
    .map(([role]) => role);
}

function openIssues(loop: ImplementLoop, failed: readonly string[]): (ReviewIssue & { reviewer: string })[] {
  return failed.flatMap((role) =>
    (loop.answers[role]?.open ?? []).map((issue) => ({ ...issue, reviewer: role })),
  );
}

function breaker(loop: ImplementLoop, failed: readonly string[]): ImplementStep {
  return {
    kind: 'circuit-breaker',
    rounds: loop.round,
    max: loop.max,
    failed,
    open: openIssues(loop, failed),
  };
}
