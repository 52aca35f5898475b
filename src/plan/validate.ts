import path from 'node:path';
import type { Plan } from '../base/schema/judgements/plan.ts';
import type { Revision } from '../base/schema/judgements/review.ts';
import { repeated } from '../base/text/strings.ts';
import { type DecidedPoint, groundDecisions } from './grounding/decisions.ts';
import { subjectOfPlan } from './grounding/subject.ts';

/** Files that need no failure modes when nothing else changes (L-563). */
const documentation =
  /(?:^|\/)(?:docs?|examples?)\/|\.(?:md|mdx|rst|adoc|txt)$|(?:^|\/)(?:LICENSE|CHANGELOG|README)[^/]*$/i;

export type PlanRules = {
  /** Resolutions of the dialectic; the plan must follow the `voted` ones. */
  decided?: readonly DecidedPoint[];
};

/** L-566: what is missing from a plan, one line each; empty when it can go to review. */
export function planProblems(plan: Plan, { decided = [] }: PlanRules = {}): string[] {
  return [
    ...(plan.edgeCases.length === 0 ? ['Edge cases: none are named'] : []),
    ...(plan.failureModes.length === 0 && !isDocumentationOnly(plan)
      ? ['Failure modes: a change to code needs them']
      : []),
    ...plan.files.flatMap(({ path: file }) =>
      isRepositoryPath(file) ? [] : [`${file}: not a path inside the repository`],
    ),
    ...repeated(plan.files.map(({ path: file }) => path.posix.normalize(file))).map(
      (file) => `${file}: listed more than once`,
    ),
    ...decisionProblems(plan, decided),
  ];
}

/** L-562: voted resolutions that the plan does not follow. */
export function decisionProblems(plan: Plan, decided: readonly DecidedPoint[]): string[] {
  return groundDecisions(subjectOfPlan(plan), decided)
    .filter(({ severity }) => severity === 'error')
    .map(({ subject, reason }) => `${subject}: ${reason}`);
}

/** L-690, L-698: whether a revision deals with every accepted finding and with nothing else. */
export function revisionProblems(accepted: readonly string[], before: Plan, revision: Revision): string[] {
  const answered = new Set(revision.resolutions.map(({ id }) => id));
  const unchanged = accepted.length > 0 && JSON.stringify(before) === JSON.stringify(revision.plan);
  return [
    ...accepted
      .filter((id) => !answered.has(id))
      .map((id) => `${id}: accepted, but the revision has no resolution for it`),
    ...[...answered]
      .filter((id) => !accepted.includes(id))
      .map((id) => `${id}: resolved, but it was not accepted`),
    ...(unchanged ? ['the plan did not change although findings were accepted'] : []),
  ];
}

export function isDocumentationOnly(plan: Pick<Plan, 'files'>): boolean {
  return plan.files.every(({ path: file }) => documentation.test(file));
}

/** Whether a path stays inside the repository and out of git's own folder, by its text alone. */
export function isRepositoryPath(file: string): boolean {
  const parts = file.split(/[\\/]/);
  return (
    file !== '' &&
    !path.posix.isAbsolute(file) &&
    !path.win32.isAbsolute(file) &&
    !parts.includes('..') &&
    parts[0]?.toLowerCase() !== '.git' &&
    !/[\u0000-\u001f\u007f]/.test(file)
  );
}
