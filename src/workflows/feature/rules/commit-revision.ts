import { type GitOptions, runGit, splitNul, untilDone } from '../../../repo/git/run-git.ts';
import { safePaths } from './implementation-log.ts';
import type { Phase } from './phases.ts';

/** T-092. */
export type CommitOutcome = { kind: 'NO_CHANGES' } | { kind: 'COMMIT_OK'; commit: string } | CommitFailure;
type CommitFailure = { kind: 'COMMIT_FAILED'; reason: string };

/** T-091: what the message of a revision calls each review. */
const reviewNames: Readonly<Record<string, string>> = {
  'specify/spec-reviewer': 'specify review',
  'specify/phase-reviewer': 'specify phase-review',
  'design/design-reviewer': 'design review',
  'design/phase-reviewer': 'design handoff review',
  'plan/plan-reviewer': 'plan review',
  'plan/phase-reviewer': 'plan chain review',
  'tasks/task-reviewer': 'tasks review',
  'tasks/phase-reviewer': 'tasks chain review',
};

/** T-091: the message of a revision after a review round. */
export function revisionMessage(phase: Phase, role: string, iteration: number): string {
  if (phase === 'implement') return `charrette: implement review iteration ${iteration} fixes`;
  return `charrette: ${reviewNames[`${phase}/${role}`] ?? `${phase} review`} iteration ${iteration}`;
}

/** §2C: the message that closes a phase. */
export function completionMessage(phase: Phase, slug: string, approved = true): string {
  return `phase(${phase}): ${slug} - ${approved ? 'approved' : 'issues carried forward'}`;
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
  if ('kind' in before) return before;
  const outcome = await commitPaths(repository, paths, message, git);
  if (outcome.kind !== 'COMMIT_FAILED') return outcome;
  const fault = await stageAgain(repository, paths, before, git);
  if (fault === undefined) return outcome;
  const reason = `${outcome.reason}; what was staged before could not be put back: ${fault.reason}`;
  return { ...outcome, reason };
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

/** What the index has of some paths. */
type Staged = {
  /** `100644 1a2b3c 0`, a tab and the name, as `git update-index` takes them back. */
  entries: string[];
  /** Names that were only announced, with `git add -N`: the index has an empty text for them that nobody staged. */
  announced: string[];
};

async function stagedIn(
  repository: string,
  paths: readonly string[],
  git: GitOptions,
): Promise<Staged | CommitFailure> {
  const listed = await runGit(repository, ['ls-files', '--stage', '--full-name', '-z', '--', ...paths], git);
  if (listed.code !== 0) return failed(listed);
  // To the index only what was announced is new in the working tree.
  const words = ['diff-files', '--name-only', '-z', '--no-renames', '--diff-filter=A', '--ignore-submodules'];
  const fresh = await runGit(repository, [...words, '--', ...paths], git);
  if (fresh.code !== 0) return failed(fresh);
  const announced = splitNul(fresh.stdout);
  const names = new Set(announced);
  const entries = splitNul(listed.stdout).filter((entry) => !names.has(entry.slice(entry.indexOf('\t') + 1)));
  return { entries, announced };
}

/** Gives back what kept it from being done. */
async function stageAgain(
  repository: string,
  paths: readonly string[],
  before: Staged,
  git: GitOptions,
): Promise<CommitFailure | undefined> {
  const now = await stagedIn(repository, paths, git);
  if ('kind' in now) return now;
  const gone = now.entries
    .filter((entry) => !before.entries.includes(entry))
    .map((entry) => entry.replace(/^\d+ ([0-9a-f]+) \d/, '0 $1'));
  const lines = [...gone, ...before.entries.filter((entry) => !now.entries.includes(entry))];
  const put = await feed(repository, ['update-index', '-z', '--index-info'], lines, git);
  if (put !== undefined) return put;
  const names = before.announced.filter((name) => !now.announced.includes(name));
  // Forced, because it may have been: an ignored file is announced no other way.
  const words = ['add', '--intent-to-add', '--force', '--pathspec-from-file=-', '--pathspec-file-nul'];
  return feed(
    repository,
    words,
    names.map((name) => `:(top,literal)${name}`),
    git,
  );
}

/** Has git read lines, if there are any. */
async function feed(
  repository: string,
  words: readonly string[],
  lines: readonly string[],
  git: GitOptions,
): Promise<CommitFailure | undefined> {
  if (lines.length === 0) return undefined;
  const input = lines.map((line) => `${line}\0`).join('');
  const done = await runGit(repository, words, { ...git, input });
  return done.code === 0 ? undefined : failed(done);
}

function failed({
  stderr,
  stdout,
  problem,
}: {
  stderr: string;
  stdout: string;
  problem?: string;
}): CommitFailure {
  const reason = (stderr.trim() || stdout.trim() || problem || 'git failed').slice(0, 500);
  return { kind: 'COMMIT_FAILED', reason };
}
