import { existsSync } from 'node:fs';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { artifacts, sideFiles } from '../../prompts/artifacts.ts';
import type { AuthoredKey } from '../../prompts/author.ts';
import { type GitOptions, runGit, splitNul, untilDone } from '../../repo/git/run-git.ts';
import type { DocumentPhase } from './inputs.ts';
import { safePaths } from './rules/implementation-log.ts';
import type { Phase } from './rules/phases.ts';
import type { PhaseRun } from './run.ts';

export type CommitKind = CommitOutcome['kind'];

/** T-091…T-093: commits a revised document and nothing else, with --commit. */
export async function commitDocument(
  run: PhaseRun,
  key: AuthoredKey,
  { command, role, iteration }: { command: DocumentPhase; role: string; iteration: number },
): Promise<CommitKind | undefined> {
  if (!run.inputs.commit) return undefined;
  const message = revisionMessage(command, role, iteration);
  const outcome = await run.once(`commit ${message}`, () => commitFiles(run, [artifacts[key].file], message));
  if (outcome.kind === 'COMMIT_FAILED') run.warn(`Not committed: ${outcome.reason}`);
  return outcome.kind;
}

/** §2C: closes a phase; "nothing to commit" is success, a commit that fails blocks the completion. */
export async function commitCompletion(
  run: PhaseRun,
  keys: readonly AuthoredKey[],
  approved: boolean,
): Promise<void> {
  const { commit, directory, phase } = run.inputs;
  if (!commit) return;
  const names = [...keys.map((key) => artifacts[key].file), sideFiles.state, sideFiles.history];
  const existing = names.filter((name) => existsSync(path.join(directory, name)));
  const slug = path.basename(directory).replace(/^\d+-/, '');
  const outcome = await commitFiles(run, existing, completionMessage(phase, slug, approved));
  if (outcome.kind !== 'COMMIT_FAILED') return;
  throw new CharretteError({
    code: 'git-failed',
    message: `${phase} is not completed, because it could not be committed: ${outcome.reason}`,
    fix: 'Fix the git error, then run `charrette resume`.',
  });
}

function commitFiles(
  { services: { project }, inputs }: PhaseRun,
  names: readonly string[],
  message: string,
): Promise<CommitOutcome> {
  const files = names.map((name) => path.relative(project, path.join(inputs.directory, name)));
  return commitRevision(
    project,
    files.map((file) => file.split(path.sep).join('/')),
    message,
  );
}

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
 * T-092, T-096, tricky case 8: commits exactly the named files; other staged changes stay staged. When git or a hook refuses, these
 * files are staged as they were before.
 */
export async function commitRevision(
  repository: string,
  files: readonly string[],
  message: string,
): Promise<CommitOutcome> {
  const paths = safePaths(files);
  if (paths.length === 0) return { kind: 'NO_CHANGES' };
  try {
    const before = await stagedIn(repository, paths);
    try {
      return await commitPaths(repository, paths, message);
    } catch (refusal) {
      await restoreStaged(repository, paths, before).catch((fault) => {
        throw new Refusal(
          `${reasonOf(refusal)}; what was staged before could not be put back: ${reasonOf(fault)}`,
        );
      });
      throw refusal;
    }
  } catch (error) {
    return { kind: 'COMMIT_FAILED', reason: reasonOf(error) };
  }
}

/** Why git or a hook refused. */
class Refusal extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  throw error;
}

async function git(repository: string, words: readonly string[], options: GitOptions = {}): Promise<string> {
  const { code, stdout, stderr, problem } = await runGit(repository, words, options);
  if (code === 0) return stdout;
  throw new Refusal((stderr.trim() || stdout.trim() || problem || 'git failed').slice(0, 500));
}

async function commitPaths(
  repository: string,
  paths: readonly string[],
  message: string,
): Promise<CommitOutcome> {
  await git(repository, ['add', '--', ...paths], untilDone);
  const changed = await git(repository, ['diff', '--cached', '--name-only', '--', ...paths]);
  if (changed === '') return { kind: 'NO_CHANGES' };
  await git(repository, ['commit', '--quiet', '--only', '-m', message, '--', ...paths], untilDone);
  return { kind: 'COMMIT_OK', commit: (await git(repository, ['rev-parse', 'HEAD'])).trim() };
}

/** What the index has of some paths. */
type Staged = {
  /** `100644 1a2b3c 0`, a tab and the name, as `git update-index` reads them. */
  entries: string[];
  /** Names announced with `git add -N`: the index has an empty text for them that was never staged. */
  announced: string[];
};

async function stagedIn(repository: string, paths: readonly string[]): Promise<Staged> {
  const listed = await git(repository, ['ls-files', '--stage', '--full-name', '-z', '--', ...paths]);
  // To the index only what was announced is new in the working tree.
  const words = ['diff-files', '--name-only', '-z', '--no-renames', '--diff-filter=A', '--ignore-submodules'];
  const announced = splitNul(await git(repository, [...words, '--', ...paths]));
  const names = new Set(announced);
  const entries = splitNul(listed).filter((entry) => !names.has(entry.slice(entry.indexOf('\t') + 1)));
  return { entries, announced };
}

async function restoreStaged(repository: string, paths: readonly string[], before: Staged): Promise<void> {
  const now = await stagedIn(repository, paths);
  const gone = now.entries
    .filter((entry) => !before.entries.includes(entry))
    .map((entry) => entry.replace(/^\d+ ([0-9a-f]+) \d/, '0 $1'));
  const lines = [...gone, ...before.entries.filter((entry) => !now.entries.includes(entry))];
  await feed(repository, ['update-index', '-z', '--index-info'], lines);
  const names = before.announced.filter((name) => !now.announced.includes(name));
  // Only --force announces an ignored file.
  const words = ['add', '--intent-to-add', '--force', '--pathspec-from-file=-', '--pathspec-file-nul'];
  await feed(
    repository,
    words,
    names.map((name) => `:(top,literal)${name}`),
  );
}

async function feed(repository: string, words: readonly string[], lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  await git(repository, words, { input: lines.map((line) => `${line}\0`).join('') });
}
