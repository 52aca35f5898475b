import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { RunDirectory } from '../engine/run-directory.ts';
import { branchTip, isContained } from '../git/run-branch.ts';
import { runGit } from '../git/run-git.ts';
import { removeWorktree } from '../git/worktrees.ts';

/** The checkouts that a run has left: work that was not joined, or that is going on. */
export async function worktreesOf(directory: RunDirectory): Promise<string[]> {
  const folder = path.join(directory.root, 'worktrees');
  const names = await readdir(folder).catch(() => []);
  return names
    .map((name) => path.join(folder, name))
    .filter((place) => existsSync(path.join(place, '.git')))
    .sort();
}

/** One line about them for people; nothing when there are none. */
export function worktreeLine(places: readonly string[]): string {
  return places.length === 0 ? '' : `Work that was not joined is in ${places.join(', ')}.\n`;
}

export type RemovedWork = { worktrees: number; branch: 'none' | 'deleted' | 'kept' };

/** Removes the checkouts of a run, and its branch unless that has work that is nowhere else. */
export async function removeWork(
  project: string,
  directory: RunDirectory,
  { force, dryRun }: { force: boolean; dryRun: boolean },
): Promise<RemovedWork> {
  const places = await worktreesOf(directory);
  const branch = `charrette/${directory.id}`;
  if ((await runGit(project, ['rev-parse', '--git-dir'])).code !== 0) return { worktrees: 0, branch: 'none' };
  const tip = await branchTip(project, branch);
  const deletable = tip === undefined || force || (await isContained(project, branch));
  if (!dryRun) {
    for (const place of places) await removeWorktree(project, place);
    if (tip !== undefined && deletable)
      await runGit(project, ['update-ref', '-d', `refs/heads/${branch}`, tip]);
  }
  return {
    worktrees: places.length,
    branch: tip === undefined ? 'none' : deletable ? 'deleted' : 'kept',
  };
}
