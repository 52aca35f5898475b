import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { isInside } from '../../base/files/bounded.ts';
import { commitAll, ignoredIn, writeCommit } from './checkout.ts';
import { commitOf, currentBranch, headCommit, isAncestor, operationUnderWay } from './repository-facts.ts';
import { type GitResult, gitError, gitOutput, reasonOf, runGit, splitNul, untilDone } from './run-git.ts';
import { listWorktrees } from './worktrees.ts';

/**
 * A mark is a line that names a piece of a run's work in its commit, so that a restarted run finds completed work. Marks are
 * the last paragraph of a message; the paragraphs before it are agents' words and mark nothing.
 */
const likeMark = /^(?=[ \t]*Charrette-)/gim;

/** A message that ends with marks; a line of its text that looks like one is quoted. */
export function markedMessage(words: readonly string[], marks: readonly string[]): string {
  const said = words.map((text) => text.replace(likeMark, '> '));
  return `${[...said, marks.join('\n')].join('\n\n')}\n`;
}

/** The lines that may be marks: those of the last paragraph, unless it is the only one. */
export function marksIn(message: string): string[] {
  const text = message.trimEnd();
  const gap = text.lastIndexOf('\n\n');
  return gap < 0 ? [] : text.slice(gap + 2).split('\n');
}

/** Creates the branch of a run; an existing one does not change. */
export async function openRunBranch(root: string, branch: string, commit: string): Promise<string> {
  const known = await branchTip(root, branch);
  if (known !== undefined) return known;
  await gitOutput(root, ['update-ref', `refs/heads/${branch}`, commit, '']);
  return commit;
}

export function branchTip(root: string, branch: string): Promise<string | undefined> {
  return commitOf(root, `refs/heads/${branch}`);
}

/** The branches of all runs with their commits; `undefined` outside a repository. */
export async function runBranches(root: string): Promise<Map<string, string> | undefined> {
  const listed = await runGit(root, [
    'for-each-ref',
    '--format=%(refname:lstrip=2) %(objectname)',
    'refs/heads/charrette/',
  ]);
  if (listed.code !== 0) return undefined;
  const lines = listed.stdout.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => line.split(' ') as [string, string]));
}

/** Whether everything on a branch is also on another one, or nothing was ever done on it. */
export async function isContained(root: string, branch: string): Promise<boolean> {
  const others = await gitOutput(root, [
    'for-each-ref',
    `--contains=refs/heads/${branch}`,
    '--format=%(refname)',
    'refs/heads',
    'refs/remotes',
  ]);
  return others.split('\n').some((name) => name !== '' && name !== `refs/heads/${branch}`);
}

type Landing = { kind: 'landed'; commit: string } | { kind: 'conflict'; files: string[]; text: string };

/** Puts a commit whose parent is `start` on top of the run branch; a conflict leaves the branch as it was. */
async function landCommit(
  root: string,
  branch: string,
  { commit, start, checkouts }: { commit: string; start: string; checkouts: string },
): Promise<Landing> {
  const tip = (await branchTip(root, branch)) ?? start;
  const onTop = await isAncestor(root, tip, commit);
  const landing = onTop ? { kind: 'landed' as const, commit } : await joined(root, tip, commit);
  if (landing.kind === 'landed' && landing.commit !== tip) {
    const place = await placeOf(root, branch, checkouts);
    if (place === undefined)
      await gitOutput(root, ['update-ref', `refs/heads/${branch}`, landing.commit, tip]);
    else await forwardIn(place, branch, landing.commit);
  }
  return landing;
}

/** The user's worktree with the branch of a run; checkouts of the run itself do not count. */
async function placeOf(root: string, branch: string, checkouts: string): Promise<string | undefined> {
  const ours = await realpath(checkouts);
  return (await listWorktrees(root)).find(
    (worktree) => worktree.branch === branch && !isInside(ours, worktree.path) && existsSync(worktree.path),
  )?.path;
}

/** Moves the branch with its files: otherwise the next commit there would revert the new work. */
async function forwardIn(place: string, branch: string, commit: string): Promise<void> {
  const merge = await mergeForward(place, commit);
  if ((await headCommit(place)) === commit) return;
  throw new CharretteError({
    code: 'git-failed',
    message: `${branch} is checked out in ${place} and cannot be moved forward there: ${reasonOf(merge)}.`,
    fix: 'Check out another branch there, then run `charrette resume`.',
  });
}

function mergeForward(directory: string, commit: string): Promise<GitResult> {
  const words = ['merge', '--quiet', '--ff-only', '--no-overwrite-ignore', commit];
  return runGit(directory, ['-c', 'merge.autoStash=false', ...words], untilDone);
}

/** The commit's changes and message on top of another commit, made among git's objects alone. */
async function joined(root: string, tip: string, commit: string): Promise<Landing> {
  const words = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', tip, commit];
  const merge = await runGit(root, words);
  if (merge.code !== 0 && merge.code !== 1) throw gitError(words, merge);
  const [tree = '', ...names] = splitNul(merge.stdout);
  if (merge.code === 1) {
    const files = [...new Set(names)];
    const shown = ['diff', '--no-ext-diff', '--no-color', tip, tree, '--', ...files];
    const text = (await runGit(root, ['--literal-pathspecs', ...shown])).stdout;
    return { kind: 'conflict', files, text: text.slice(0, 40_000) };
  }
  // Everything exists already: it was merged before the process died.
  if (tree === (await gitOutput(root, ['rev-parse', `${tip}^{tree}`])).trim())
    return { kind: 'landed', commit: tip };
  const message = await gitOutput(root, ['show', '--no-patch', '--format=%B', commit]);
  const onTip = await writeCommit(root, { tree, parents: [tip], message });
  return { kind: 'landed', commit: onTip };
}

/** `ignored`: files of the checkout that are in no commit. */
export type Taken =
  | { kind: 'nothing'; ignored: string[] }
  | { kind: 'landed'; commit: string; files: string[]; ignored: string[] }
  | Extract<Landing, { kind: 'conflict' }>;

/** Everything that was done in a checkout since `start`, as one commit on top of the run branch. */
export async function takeWork(
  root: string,
  checkout: string,
  { branch, start, message }: { branch: string; start: string; message: string },
): Promise<Taken> {
  const work = await commitAll(root, checkout, start, message);
  const ignored = await ignoredIn(root, checkout);
  if (work === undefined) return { kind: 'nothing', ignored };
  const checkouts = path.dirname(checkout);
  const landing = await landCommit(root, branch, { commit: work.commit, start, checkouts });
  return landing.kind === 'landed' ? { ...landing, files: work.files, ignored } : landing;
}

/** The commit on the branch that carries this mark, if there is one since `base`. */
export async function findLanded(
  root: string,
  branch: string,
  base: string,
  mark: string,
): Promise<{ commit: string; files: string[] } | undefined> {
  const range = `${base}..refs/heads/${branch}`;
  // Git finds the words anywhere in a message.
  const words = ['log', '-z', '--format=%H%n%B', '--fixed-strings', `--grep=${mark}`, range];
  const found = splitNul(await gitOutput(root, words)).find((entry) => marksIn(entry).includes(mark));
  const commit = found?.split('\n')[0];
  if (commit === undefined) return undefined;
  return { commit, files: await changedSince(root, `${commit}^`, commit) };
}

export async function diffBetween(root: string, from: string, to: string): Promise<string> {
  return gitOutput(root, ['diff', '--no-ext-diff', '--no-color', from, to]);
}

/** Files that differ between two commits. */
export async function changedSince(root: string, from: string, to: string): Promise<string[]> {
  const words = ['diff', '--name-only', '--no-renames', '-z', from, to];
  return splitNul(await gitOutput(root, words)).sort();
}

/** Forgets kept work below a name, once it has landed. */
export async function dropKeptWork(root: string, prefix: string): Promise<void> {
  const names = (await gitOutput(root, ['for-each-ref', '--format=%(refname)', prefix])).split('\n');
  for (const name of names.filter((line) => line !== '')) await gitOutput(root, ['update-ref', '-d', name]);
}

/** Where a run began: the commit, and the branch that was checked out; `undefined` when none was. */
type Beginning = { base: string; onto: string | undefined };

/** Moves the branch a run began on forward to the run's result, if it is still checked out and where it was. */
export async function forwardTo(
  directory: string,
  tip: string,
  { base, onto }: Beginning,
): Promise<{ merged: boolean; reason: string }> {
  const no = (reason: string) => ({ merged: false, reason });
  const reached = async () =>
    (onto === undefined ? await headCommit(directory) : await branchTip(directory, onto)) === tip;
  if (await reached()) return { merged: true, reason: '' };
  const current = await currentBranch(directory);
  if (current !== onto)
    return no(`${current ?? 'no branch'} is checked out, the run began on ${onto ?? 'no branch'}`);
  const operation = await operationUnderWay(directory);
  if (operation !== undefined) return no(`git ${operation} is in progress`);
  if ((await headCommit(directory)) !== base) return no('the branch has moved since');
  const merge = await mergeForward(directory, tip);
  // A hook that fails after the merge takes nothing back.
  return (await reached()) ? { merged: true, reason: '' } : no(reasonOf(merge));
}
