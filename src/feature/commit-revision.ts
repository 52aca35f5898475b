import { type GitOptions, runGit, untilDone } from '../git/run-git.ts';
import { safePaths } from './implementation-log.ts';
import type { Phase } from './phases.ts';

/** T-092. */
export type CommitOutcome =
  | { kind: 'NO_CHANGES' }
  | { kind: 'COMMIT_OK'; commit: string }
  | { kind: 'COMMIT_FAILED'; reason: string };

/** T-091: what the message of a revision calls each review. */
const reviewNames: Readonly<Record<string, string>> = {
  'specify/spec-reviewer': 'specify review',
  'specify/phase-reviewer': 'specify phase-review',
  'design/design-reviewer': 'design review',
  'design/phase-reviewer': 'design handoff review',
  'create-plan/plan-reviewer': 'plan review',
  'create-plan/phase-reviewer': 'plan chain review',
  'create-tasks/task-reviewer': 'tasks review',
  'create-tasks/phase-reviewer': 'tasks chain review',
};

/** T-091: the message of a revision after a review round. */
export function revisionMessage(phase: Phase, role: string, iteration: number): string {
  if (phase === 'implement') return `iflow: implement review iteration ${iteration} fixes`;
  return `iflow: ${reviewNames[`${phase}/${role}`] ?? `${phase} review`} iteration ${iteration}`;
}

/** §2C: the message that closes a phase. */
export function completionMessage(phase: Phase, slug: string): string {
  return `phase(${phase}): ${slug} - approved`;
}

/** T-092, T-096, tricky case 8: commits exactly the named files; what else was staged stays staged and out of it. */
export async function commitRevision(
  repository: string,
  files: readonly string[],
  message: string,
  git: GitOptions = {},
): Promise<CommitOutcome> {
  const paths = safePaths(files);
  if (paths.length === 0) return { kind: 'NO_CHANGES' };
  const added = await runGit(repository, ['add', '--', ...paths], { ...git, ...untilDone });
  if (added.code !== 0) return failed(added);
  const changed = await runGit(repository, ['diff', '--cached', '--quiet', '--', ...paths], git);
  if (changed.code === 0) return { kind: 'NO_CHANGES' };
  if (changed.code !== 1) return failed(changed);
  const committed = await runGit(repository, ['commit', '--quiet', '--only', '-m', message, '--', ...paths], {
    ...git,
    ...untilDone,
  });
  if (committed.code !== 0) return failed(committed);
  const head = await runGit(repository, ['rev-parse', 'HEAD'], git);
  return head.code === 0 ? { kind: 'COMMIT_OK', commit: head.stdout.trim() } : failed(head);
}

function failed({
  stderr,
  stdout,
  problem,
}: {
  stderr: string;
  stdout: string;
  problem?: string;
}): CommitOutcome {
  const reason = (stderr.trim() || stdout.trim() || problem || 'git failed').slice(0, 500);
  return { kind: 'COMMIT_FAILED', reason };
}
