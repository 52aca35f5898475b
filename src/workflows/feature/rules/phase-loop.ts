import { CharretteError } from '../../../base/errors.ts';
import type { GateResult } from './gate.ts';
import type { ReviewIssue } from './review-answer.ts';
import { fingerprint } from './waivers.ts';

/** One reviewer of a phase with its own budget. */
export type Stage = { role: string; max: number };

/** T-119: the reviews of a phase: each stage until it passes or its budget is used up, then the next. */
export type PhaseLoop = {
  readonly stages: readonly Stage[];
  /** Index of the running stage; the number of stages when all are through. */
  readonly stage: number;
  /** Counted from 1 (lean/C-19): the round that is being reviewed. */
  readonly iteration: number;
  /** T-118: the same round was asked for again because the answer could not be used. */
  readonly askedAgain: boolean;
  readonly finished: readonly StageResult[];
};

export type StageResult = {
  role: string;
  approved: boolean;
  iterations: number;
  max: number;
  /** T-120: what is carried forward when the budget ended. */
  unresolved: readonly ReviewIssue[];
};

export function startPhaseLoop(stages: readonly Stage[]): PhaseLoop {
  return { stages, stage: 0, iteration: 1, askedAgain: false, finished: [] };
}

export type PhaseStep =
  | { kind: 'dispatch'; role: string; iteration: number; max: number; retry: boolean }
  | { kind: 'done'; results: readonly StageResult[] };

/** What to do now. */
export function nextPhaseStep(loop: PhaseLoop): PhaseStep {
  const stage = loop.stages[loop.stage];
  if (stage === undefined) return { kind: 'done', results: loop.finished };
  return {
    kind: 'dispatch',
    role: stage.role,
    iteration: loop.iteration,
    max: stage.max,
    retry: loop.askedAgain,
  };
}

/** What an answer means: next stage, a revision and another round, or the same question again, once. */
export function afterAnswer(loop: PhaseLoop, result: GateResult): PhaseLoop {
  const stage = loop.stages[loop.stage];
  if (stage === undefined) {
    throw new CharretteError({ code: 'internal', message: 'An answer came after the last review stage.' });
  }
  if (result.gate === 'pass') return closeStage(loop, stage, true, []);
  if (result.gate === 'ask-again' && !loop.askedAgain) return { ...loop, askedAgain: true };
  if (loop.iteration >= stage.max) return closeStage(loop, stage, false, result.open);
  return { ...loop, iteration: loop.iteration + 1, askedAgain: false };
}

function closeStage(
  loop: PhaseLoop,
  stage: Stage,
  approved: boolean,
  unresolved: readonly ReviewIssue[],
): PhaseLoop {
  const result = { role: stage.role, approved, iterations: loop.iteration, max: stage.max, unresolved };
  return {
    ...loop,
    stage: loop.stage + 1,
    iteration: 1,
    askedAgain: false,
    finished: [...loop.finished, result],
  };
}

/** T-131: the number that is reported is the sum over the stages. */
export function totalIterations(results: readonly StageResult[]): number {
  return results.reduce((sum, { iterations }) => sum + iterations, 0);
}

/** T-120: what every reviewer left open when its budget ended, with the issues of the last review; the same one is named once. */
export function carriedIssues(
  finished: readonly StageResult[],
  last: readonly ReviewIssue[] = [],
): ReviewIssue[] {
  const all = [...finished.flatMap(({ unresolved }) => unresolved), ...last];
  return [...new Map(all.map((issue) => [fingerprint(issue), issue])).values()];
}

/** T-132: notes of a phase: everything when its budget ended, else what did not block. */
export function reviewerNotes(
  issues: readonly ReviewIssue[],
  capReached: boolean,
): { severity: string; description: string }[] {
  return issues
    .filter(({ severity }) => capReached || severity !== 'blocker')
    .map(({ severity, description }) => ({ severity, description }));
}
