import { type GitOptions, runGit, splitNul, untilDone } from '../git/run-git.ts';
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

/**
 * T-092, T-096, tricky case 8: commits exactly the named files; what else was staged stays staged and out of it. Where git or a hook
 * refuses, these files are staged as they were before.
 */
export async function commitRevision(
  repository: string,
  files: readonly string[],
  message: string,
  git: GitOptions = {},
): Promise<CommitOutcome> {
  const paths = safePaths(files);
  if (paths.length === 0) return { kind: 'NO_CHANGES' };
  const before = await stagedIn(repository, paths, git);
  if (!Array.isArray(before)) return before;
  const outcome = await commitPaths(repository, paths, message, git);
  if (outcome.kind === 'COMMIT_FAILED') await stageAgain(repository, paths, before, git);
  return outcome;
}

async function commitPaths(
  repository: string,
  paths: readonly string[],
  message: string,
  git: GitOptions,
): Promise<CommitOutcome> {
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

/** `100644 1a2b3c 0`, a tab and the name, as `git update-index` takes them back. */
async function stagedIn(
  repository: string,
  paths: readonly string[],
  git: GitOptions,
): Promise<string[] | CommitOutcome> {
  const listed = await runGit(repository, ['ls-files', '--stage', '--full-name', '-z', '--', ...paths], git);
  return listed.code === 0 ? splitNul(listed.stdout) : failed(listed);
}

async function stageAgain(
  repository: string,
  paths: readonly string[],
  before: readonly string[],
  git: GitOptions,
): Promise<void> {
  const now = await stagedIn(repository, paths, git);
  if (!Array.isArray(now)) return;
  const gone = now
    .filter((entry) => !before.includes(entry))
    .map((entry) => entry.replace(/^\d+ ([0-9a-f]+) \d/, '0 $1'));
  const lines = [...gone, ...before.filter((entry) => !now.includes(entry))];
  if (lines.length === 0) return;
  const input = lines.map((line) => `${line}\0`).join('');
  await runGit(repository, ['update-index', '-z', '--index-info'], { ...git, input });
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
