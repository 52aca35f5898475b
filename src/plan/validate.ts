import path from 'node:path';
import { decisionId } from '../dialectic/decisions.ts';
import type { Resolution } from '../dialectic/resolutions.ts';
import type { Plan } from '../schema/judgements/plan.ts';
import type { Revision } from '../schema/judgements/revision.ts';
import { repeated } from '../text/repeated.ts';

/** Files that need no failure modes when nothing else changes (L-563). */
const documentation =
  /(?:^|\/)(?:docs?|examples?)\/|\.(?:md|mdx|rst|adoc|txt)$|(?:^|\/)(?:LICENSE|CHANGELOG|README)[^/]*$/i;

export type PlanRules = {
  /** Resolutions of the dialectic; `voted` ones must be honoured by id. */
  resolutions?: readonly Resolution[];
  /** In advisory mode a vote does not bind the plan. */
  binding?: boolean;
};

/** L-566: what is missing from a plan, one line each; empty when it can go to review. */
export function planProblems(plan: Plan, { resolutions = [], binding = true }: PlanRules = {}): string[] {
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
    ...(binding ? unhonoured(plan, resolutions) : []),
  ];
}

/** Voted decisions that the plan does not answer by id (L-562). */
function unhonoured(plan: Plan, resolutions: readonly Resolution[]): string[] {
  const named = new Set(plan.decisions.map(({ id }) => id));
  return resolutions
    .filter((resolution) => resolution.disposition === 'voted' && !named.has(decisionId(resolution)))
    .map((resolution) => `${decisionId(resolution)}: voted, but the plan does not say how it is honoured`);
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
