import type { CodeReview } from '../schema/judgements/code-review.ts';
import type { LiteTask } from '../schema/lite/task.ts';

export type TestOutcome = 'PASS' | 'FAIL' | 'UNKNOWN';

export type CriterionState = {
  task: string;
  title: string;
  criterion: string;
  state: 'met' | 'unmet' | 'unverified';
  evidence: string;
};

/** P-155: what a review says about every criterion; one it leaves out, or one without evidence, is not verified. */
export function criteriaStates(tasks: readonly LiteTask[], review: CodeReview | undefined): CriterionState[] {
  return tasks.flatMap(({ id, title, convergence }) =>
    convergence.criteria.map((criterion, index) => {
      const said = review?.criteria.find(({ task_id, number }) => task_id === id && number === index + 1);
      const evidence = said?.evidence ?? '';
      const state =
        said === undefined ? 'unverified' : !said.met ? 'unmet' : evidence === '' ? 'unverified' : 'met';
      return { task: id, title, criterion, state, evidence };
    }),
  );
}

/** `NOT VERIFIED`: nobody looked; never to be read as a pass. */
export type Convergence = 'PASS' | 'PARTIAL' | 'FAIL' | 'NOT VERIFIED';

export function convergenceOf(
  states: readonly CriterionState[],
  tests: TestOutcome,
  reviewed: boolean,
): Convergence {
  if (tests === 'FAIL') return 'FAIL';
  if (!reviewed) return 'NOT VERIFIED';
  const met = states.filter(({ state }) => state === 'met').length;
  if (met === 0) return 'FAIL';
  return met === states.length ? 'PASS' : 'PARTIAL';
}

/** P-152: the verdict on the code itself. */
export function codeVerdict(findings: CodeReview['findings']): 'PASS' | 'WARN' | 'FAIL' {
  if (findings.some(({ severity }) => severity === 'Critical' || severity === 'High')) return 'FAIL';
  return findings.some(({ severity }) => severity === 'Medium') ? 'WARN' : 'PASS';
}

/** What a fix round has to deal with; nothing when there is nothing to fix. */
export function fixesNeeded(
  states: readonly CriterionState[],
  review: CodeReview | undefined,
  tests: { outcome: TestOutcome; output: string },
): string[] {
  return [
    ...(tests.outcome === 'FAIL' ? [`The tests fail:\n${tests.output}`] : []),
    ...states
      .filter(({ state }) => state === 'unmet')
      .map(
        ({ task, criterion, evidence }) =>
          `${task}: not met: ${criterion}${evidence === '' ? '' : ` (${evidence})`}`,
      ),
    ...(review?.findings ?? [])
      .filter(({ severity }) => severity === 'Critical' || severity === 'High')
      .map(
        ({ severity, file, line, description, fix }) =>
          `${severity} ${file}:${line}: ${description} Fix: ${fix}`,
      ),
  ];
}
