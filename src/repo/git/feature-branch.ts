import { CharretteError } from '../../base/errors.ts';
import { currentBranch, isAncestor, isBranchName } from './repository-facts.ts';
import { branchTip } from './run-branch.ts';
import { type GitResult, gitError, gitOutput, runGit, untilDone } from './run-git.ts';

/** The branch that is checked out, compared with the branch of a feature. */
export type BranchCheck =
  /** No repository, no recorded branch, or a branch that does not exist (yet). */
  | { kind: 'unknown' }
  | { kind: 'same'; branch: string }
  | { kind: 'differs'; branch: string; current: string };

/** §2C: compares the recorded branch with the one that is checked out. */
export async function checkBranch(directory: string, branch: string | undefined): Promise<BranchCheck> {
  if (branch === undefined || !(await isBranchName(directory, branch))) return { kind: 'unknown' };
  if ((await branchTip(directory, branch)) === undefined) return { kind: 'unknown' };
  const current = await currentBranch(directory);
  if (current === branch) return { kind: 'same', branch };
  return { kind: 'differs', branch, current: current ?? 'no branch' };
}

/** True if HEAD contains a commit, or all its changes, as after a squashed merge. */
export async function holdsWork(directory: string, commit: string): Promise<boolean> {
  if (!/^[0-9a-f]{7,64}$/.test(commit)) return false;
  if (await isAncestor(directory, commit, 'HEAD')) return true;
  const merged = await runGit(directory, ['merge-tree', '--write-tree', 'HEAD', commit]);
  const tree = await runGit(directory, ['rev-parse', 'HEAD^{tree}']);
  return merged.code === 0 && tree.code === 0 && merged.stdout.trim() === tree.stdout.trim();
}

/** Checks a branch out; git refuses where that would lose a change or an ignored file. */
export async function switchTo(directory: string, branch: string): Promise<void> {
  const words = ['switch', '--quiet', '--no-guess', '--no-overwrite-ignore', branch];
  const result = await runGit(directory, words, untilDone);
  if (result.code !== 0) throw gitError(words, result);
}

/** Files in which merging would stop; empty when it would not. Nothing is touched. */
export async function conflictsOf(directory: string, onto: string, branch: string): Promise<string[]> {
  const words = ['merge-tree', '--write-tree', '--name-only', '--no-messages', onto, branch];
  const result = await runGit(directory, words);
  if (result.code === 0) return [];
  if (result.code !== 1) throw gitError(words, result);
  const names = result.stdout.split('\n').slice(1);
  return [...new Set(names.filter((name) => name !== ''))];
}

/** Merges a branch into another one that is then checked out; where that fails everything is as before. */
export async function mergeInto(
  directory: string,
  { branch, onto, message }: { branch: string; onto: string; message: string },
): Promise<string> {
  await switchTo(directory, onto);
  const merged = await runGit(
    directory,
    [
      ...['-c', 'merge.autoStash=false', 'merge', '--quiet', '--no-ff', '--no-overwrite-ignore'],
      ...['-m', message, branch],
    ],
    untilDone,
  );
  if (merged.code !== 0) {
    await runGit(directory, ['merge', '--abort'], untilDone);
    await switchTo(directory, branch);
    throw refusedMerge(branch, merged);
  }
  const commit = await gitOutput(directory, ['rev-parse', 'HEAD']);
  // Only a branch that is contained can be deleted this way; another one stays.
  await runGit(directory, ['branch', '--quiet', '-d', branch]);
  return commit.trim();
}

/** How git ends what a hook said against a merge. */
const closingLine = /^Not committing merge; .*$/m;

/** A hook says in many lines what it minds, and the last may count. */
function refusedMerge(branch: string, merged: GitResult): CharretteError {
  if (!closingLine.test(merged.stderr)) return gitError(['merge', branch], merged);
  const words = merged.stderr.replace(closingLine, '').trim().slice(-500);
  return new CharretteError({
    code: 'git-failed',
    message: `git merge failed: ${words || 'a hook rejected it without a message'}`,
  });
}
