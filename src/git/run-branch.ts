import { existsSync } from 'node:fs';
import path from 'node:path';
import { commitOf } from './repository-facts.ts';
import { type GitOptions, gitOutput, reasonOf, runGit, splitNul } from './run-git.ts';
import { addWorktree } from './worktrees.ts';

/** Commits of a run are the program's, not a person's: no hooks of the repository run and nothing is signed. */
const quietly = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'commit.gpgSign=false',
  '-c',
  'rebase.autoStash=false',
];

/** A branch of its own for a run; one that is there stays as it is. */
export async function openRunBranch(
  root: string,
  branch: string,
  commit: string,
  git: GitOptions = {},
): Promise<string> {
  const known = await branchTip(root, branch, git);
  if (known !== undefined) return known;
  await gitOutput(root, ['update-ref', `refs/heads/${branch}`, commit, ''], git);
  return commit;
}

export function branchTip(root: string, branch: string, git: GitOptions = {}): Promise<string | undefined> {
  return commitOf(root, `refs/heads/${branch}`, git);
}

/** The branches of all runs with the commits they stand at; `undefined` where there is no repository. */
export async function runBranches(
  root: string,
  git: GitOptions = {},
): Promise<Map<string, string> | undefined> {
  const listed = await runGit(
    root,
    ['for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads/charrette/'],
    git,
  );
  if (listed.code !== 0) return undefined;
  const lines = listed.stdout.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => line.split(' ') as [string, string]));
}

/** Whether everything on a branch is also on another one, or nothing was ever done on it. */
export async function isContained(root: string, branch: string, git: GitOptions = {}): Promise<boolean> {
  const others = await gitOutput(
    root,
    ['for-each-ref', `--contains=refs/heads/${branch}`, '--format=%(refname)', 'refs/heads', 'refs/remotes'],
    git,
  );
  return others.split('\n').some((name) => name !== '' && name !== `refs/heads/${branch}`);
}

/** A checkout of a commit; one that is there already is left alone, with whatever was done in it. */
export async function openCheckout(
  root: string,
  target: string,
  commit: string,
  git: GitOptions = {},
): Promise<void> {
  if (existsSync(path.join(target, '.git'))) return;
  await runGit(root, ['worktree', 'prune'], git);
  await addWorktree(root, target, commit, git);
}

/** Puts a checkout on a commit and takes away everything else. */
export async function moveCheckout(checkout: string, commit: string, git: GitOptions = {}): Promise<void> {
  await gitOutput(checkout, ['reset', '--quiet', '--hard', commit], git);
  await gitOutput(checkout, ['clean', '--quiet', '-d', '--force'], git);
}

/** Everything that was done since `start` as one commit; `undefined` when nothing was. */
export async function commitAll(
  checkout: string,
  start: string,
  message: string,
  git: GitOptions = {},
): Promise<{ commit: string; files: string[] } | undefined> {
  await gitOutput(checkout, ['reset', '--quiet', '--soft', start], git);
  await gitOutput(checkout, ['add', '--all'], git);
  const files = await filesBetween(checkout, ['--cached', start], git);
  if (files.length === 0) return undefined;
  const who = await identity(checkout, git);
  await gitOutput(
    checkout,
    [...quietly, ...who, 'commit', '--quiet', '--no-verify', '--cleanup=whitespace', '--file=-'],
    { ...git, input: message },
  );
  return { commit: (await gitOutput(checkout, ['rev-parse', 'HEAD'], git)).trim(), files };
}

export type Landing =
  | { kind: 'landed'; commit: string }
  | { kind: 'conflict'; files: string[]; text: string };

/** Puts the work of a checkout on top of the run branch. A conflict leaves branch and checkout as they were. */
export async function landCheckout(
  root: string,
  checkout: string,
  branch: string,
  start: string,
  git: GitOptions = {},
): Promise<Landing> {
  await runGit(checkout, ['rebase', '--abort'], git);
  const tip = (await branchTip(root, branch, git)) ?? start;
  const onTop = (await runGit(checkout, ['merge-base', '--is-ancestor', tip, 'HEAD'], git)).code === 0;
  if (!onTop) {
    const who = await identity(checkout, git);
    const rebased = await runGit(
      checkout,
      [...quietly, ...who, 'rebase', '--quiet', '--onto', tip, start],
      git,
    );
    if (rebased.code !== 0) {
      const files = splitNul(
        await gitOutput(checkout, ['diff', '--name-only', '--diff-filter=U', '-z'], git),
      );
      const text = (await runGit(checkout, ['diff', '--no-ext-diff'], git)).stdout.slice(0, 40_000);
      await runGit(checkout, ['rebase', '--abort'], git);
      return { kind: 'conflict', files, text: text === '' ? rebased.stderr : text };
    }
  }
  const commit = (await gitOutput(checkout, ['rev-parse', 'HEAD'], git)).trim();
  await gitOutput(root, ['update-ref', `refs/heads/${branch}`, commit, tip], git);
  return { kind: 'landed', commit };
}

/** The commit on the branch that carries a line of this text, if there is one since `base`. */
export async function findLanded(
  root: string,
  branch: string,
  base: string,
  line: string,
  git: GitOptions = {},
): Promise<{ commit: string; files: string[] } | undefined> {
  const range = `${base}..refs/heads/${branch}`;
  const found = await gitOutput(
    root,
    ['log', '--format=%H', '--fixed-strings', `--grep=${line}`, range],
    git,
  );
  const commit = found.split('\n')[0] ?? '';
  if (commit === '') return undefined;
  return { commit, files: await filesBetween(root, [`${commit}^`, commit], git) };
}

export async function diffBetween(
  root: string,
  from: string,
  to: string,
  git: GitOptions = {},
): Promise<string> {
  return gitOutput(root, ['diff', '--no-ext-diff', '--no-color', from, to], git);
}

/** Files that differ between two commits. */
export function changedSince(
  root: string,
  from: string,
  to: string,
  git: GitOptions = {},
): Promise<string[]> {
  return filesBetween(root, [from, to], git);
}

/** Keeps what was done in a checkout since `start` under a name of its own, so that moving the checkout cannot lose it. */
export async function keepWork(
  checkout: string,
  start: string,
  reference: string,
  git: GitOptions = {},
): Promise<void> {
  const work = await commitAll(checkout, start, 'Work that has not landed yet\n', git);
  if (work !== undefined) await gitOutput(checkout, ['update-ref', reference, work.commit], git);
}

/** Puts kept work back into a checkout; without any the checkout stays as it is. */
export async function restoreWork(checkout: string, reference: string, git: GitOptions = {}): Promise<void> {
  const kept = await commitOf(checkout, reference, git);
  if (kept !== undefined) await moveCheckout(checkout, kept, git);
}

/** Forgets kept work below a name, once it has landed. */
export async function dropKeptWork(root: string, prefix: string, git: GitOptions = {}): Promise<void> {
  const names = (await gitOutput(root, ['for-each-ref', '--format=%(refname)', prefix], git)).split('\n');
  for (const name of names.filter((line) => line !== ''))
    await gitOutput(root, ['update-ref', '-d', name], git);
}

/** Moves the checked-out branch forward to a run's branch, if it still is where the run began. */
export async function forwardTo(
  directory: string,
  branch: string,
  { base, tip }: { base: string; tip: string },
  git: GitOptions = {},
): Promise<{ merged: boolean; reason: string }> {
  const head = await commitOf(directory, 'HEAD', git);
  if (head === tip) return { merged: true, reason: '' };
  if (head !== base) return { merged: false, reason: 'the branch has moved since' };
  const merge = await runGit(directory, ['merge', '--quiet', '--ff-only', branch], git);
  return merge.code === 0 ? { merged: true, reason: '' } : { merged: false, reason: reasonOf(merge) };
}

async function filesBetween(directory: string, range: readonly string[], git: GitOptions): Promise<string[]> {
  return splitNul(
    await gitOutput(directory, ['diff', '--name-only', '--no-renames', '-z', ...range], git),
  ).sort();
}

/** The person's own name where git knows one. */
async function identity(directory: string, git: GitOptions): Promise<string[]> {
  const known = await runGit(directory, ['config', 'user.email'], git);
  return known.code === 0 && known.stdout.trim() !== ''
    ? []
    : ['-c', 'user.name=Charrette', '-c', 'user.email=charrette@localhost'];
}
