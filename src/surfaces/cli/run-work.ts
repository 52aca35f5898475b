import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../../base/files/contained.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import type { RunRecord } from '../../engine/run-record.ts';
import { isContained, runBranches } from '../../repo/git/run-branch.ts';
import { runGit } from '../../repo/git/run-git.ts';
import { listWorktrees, removeWorktree } from '../../repo/git/worktrees.ts';

/** The checkouts that a run has left: work that was not joined, or that is going on. */
export async function worktreesOf(directory: RunDirectory): Promise<string[]> {
  const folder = path.join(directory.root, 'worktrees');
  // Also one that lost its `.git`: what was done there is nowhere else.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(folder, name))
    .sort();
}

/** One line about them for people; nothing when there are none. */
export function worktreeLine(places: readonly string[]): string {
  return places.length === 0 ? '' : `Work that was not joined is in ${places.join(', ')}.\n`;
}

/** `in-use`: somebody has the branch checked out. */
export type RemovedWork = { worktrees: number; branch: 'none' | 'deleted' | 'kept' | 'in-use' };

type Wishes = { force: boolean; dryRun: boolean };

/**
 * A function that removes the checkouts of a run, and its branch unless that has work that is nowhere else. Git is asked for the
 * branches once: most runs have none.
 */
export async function workRemover(
  project: string,
  { force, dryRun }: Wishes,
): Promise<(directory: RunDirectory) => Promise<RemovedWork>> {
  const branches = await runBranches(project);
  return async (directory) => {
    if (branches === undefined) return { worktrees: 0, branch: 'none' };
    const places = await worktreesOf(directory);
    const branch = `charrette/${directory.id}`;
    const tip = branches.get(branch);
    if (!dryRun) for (const place of places) await removeWorktree(project, place);
    const state = tip === undefined ? 'none' : await branchState(project, branch, directory, force);
    if (state !== 'deleted' || dryRun) return { worktrees: places.length, branch: state };
    // Unlike `update-ref` it refuses a branch that somebody works on, also in a rebase.
    const deleted = await runGit(project, ['branch', '--quiet', '-D', '--', branch]);
    return { worktrees: places.length, branch: deleted.code === 0 ? 'deleted' : 'in-use' };
  };
}

/** What becomes of a branch: checkouts of the run itself go with it. */
async function branchState(
  project: string,
  branch: string,
  directory: RunDirectory,
  force: boolean,
): Promise<'deleted' | 'kept' | 'in-use'> {
  const used = (await listWorktrees(project)).some(
    (worktree) => worktree.branch === branch && !isInside(directory.root, worktree.path),
  );
  if (used) return 'in-use';
  return force || (await isContained(project, branch)) ? 'deleted' : 'kept';
}

/** The branch that a design made, if no commit on it is the user's own and it is checked out nowhere. */
export async function spareBranch(
  project: string,
  record: Pick<RunRecord, 'branch'> | undefined,
): Promise<string | undefined> {
  const { name = '', created = false, merge } = record?.branch ?? {};
  if (!created || (await runGit(project, ['check-ref-format', '--branch', name])).code !== 0)
    return undefined;
  if ((await listWorktrees(project)).some((worktree) => worktree.branch === name)) return undefined;
  const others = [`--exclude=refs/heads/${name}`, '--exclude=refs/remotes/*/HEAD', '--all'];
  const own = await runGit(project, ['rev-list', '--max-count=2', `refs/heads/${name}`, '--not', ...others]);
  if (own.code !== 0) return undefined;
  const commits = own.stdout.split('\n').filter((line) => line !== '');
  return commits.every((commit) => commit === merge) ? name : undefined;
}

/** Deletes branches; gives back those that git deleted. */
export async function deleteBranches(project: string, names: readonly string[]): Promise<string[]> {
  const deleted: string[] = [];
  for (const name of names)
    if ((await runGit(project, ['branch', '--quiet', '-D', '--', name])).code === 0) deleted.push(name);
  return deleted;
}
