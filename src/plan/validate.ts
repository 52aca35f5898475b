import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { withDirectoryLock, writeFileAtomic } from '../base/files/atomic.ts';
import { readTextFile } from '../base/files/bounded.ts';
import type { Plan } from '../base/schema/judgements/plan.ts';
import type { Revision } from '../base/schema/judgements/review.ts';
import { tidyLine } from '../base/schema/primitives.ts';
import { repeated, trimEndChars } from '../base/text/strings.ts';
import { type DecidedPoint, groundDecisions } from './grounding/decisions.ts';
import { subjectOfPlan } from './grounding/subject.ts';

/** L-765 */
const issueCategories = [
  'Pre-existing Code Issues',
  'Tool Failures',
  'Permission Prompts',
  'External Reviewer Issues',
  'CI Issues',
  'Warnings',
  'Q/A',
] as const;
export type IssueCategory = (typeof issueCategories)[number];

/**
 * L-765: the log with one more bullet at the end of its category; log and section are made when missing. A bullet that is there
 * already stays alone: a step that a kill cut off writes again.
 */
export function insertIssue(log: string, category: IssueCategory, entry: string): string {
  const bullet = `- ${tidyLine(entry).replace(/^- /, '')}`;
  const lines = trimEndChars(log, '\n').split('\n');
  const start = lines.indexOf(`### ${category}`);
  if (start === -1) {
    const before = log.trim() === '' ? '' : `${lines.join('\n')}\n\n`;
    return `${before}### ${category}\n\n${bullet}\n`;
  }
  const next = lines.slice(start + 1).findIndex((line) => line.startsWith('### '));
  const end = next === -1 ? lines.length : start + 1 + next;
  const section = lines.slice(0, end);
  if (section.slice(start).includes(bullet)) return log;
  while (section.at(-1) === '') section.pop();
  const rest = lines.slice(end);
  return `${[...section, bullet, ...(rest.length > 0 ? ['', ...rest] : [])].join('\n')}\n`;
}

/** Appends under a lock directory, so that parallel writers lose nothing. */
export async function appendIssue(file: string, category: IssueCategory, entry: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await withDirectoryLock(file, async () =>
    writeFileAtomic(file, insertIssue((await readTextFile(file)) ?? '', category, entry)),
  );
}

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

function isDocumentationOnly(plan: Pick<Plan, 'files'>): boolean {
  return plan.files.every(({ path: file }) => documentation.test(file));
}

/** True if a path stays inside the repository and outside git's folder, by its text alone. */
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
