import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { GroundingReport } from '../../plan/grounding/report.ts';

/** How far a plan holds and reaches, counted by the program; shares are `[part, whole]`. */
export type Coverage = {
  /** Claims about the repository (files, symbols, commands, tests, citations) that hold at the base commit. */
  grounded: [held: number, claims: number];
  /** Errors and warnings of the plan check. */
  errors: number;
  warnings: number;
  files: number;
  tests: number;
  /** Files of the task that the plan touches. */
  expectedFiles: [touched: number, named: number];
  /** Criteria of the task that the judges see met. */
  criteria: [met: number, named: number];
  /** Findings of the review: raised, and accepted into the plan. */
  findings: [accepted: number, raised: number];
};

const claims = ['file', 'symbol', 'command', 'tests', 'citation'];

export function coverageOf(
  plan: Plan,
  report: GroundingReport,
  review: { raised: number; accepted: number },
  task: { files: readonly string[]; criteria: readonly string[]; met: number },
): Coverage {
  const facts = report.facts.filter(({ check, result }) => claims.includes(check) && result !== 'unchecked');
  const touched = new Set([...plan.files, ...plan.tests].map(({ path }) => path));
  return {
    grounded: [facts.filter(({ severity }) => severity === 'none').length, facts.length],
    errors: report.errors,
    warnings: report.warnings,
    files: plan.files.length,
    tests: plan.tests.length,
    expectedFiles: [task.files.filter((file) => touched.has(file)).length, task.files.length],
    criteria: [task.met, task.criteria.length],
    findings: [review.accepted, review.raised],
  };
}
