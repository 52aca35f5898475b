import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { RunDirectory } from '../engine/run-directory.ts';
import { isContained, runBranches } from '../git/run-branch.ts';
import { runGit } from '../git/run-git.ts';
import { removeWorktree } from '../git/worktrees.ts';

/** The checkouts that a run has left: work that was not joined, or that is going on. */
export async function worktreesOf(directory: RunDirectory): Promise<string[]> {
  const folder = path.join(directory.root, 'worktrees');
  if (!existsSync(folder)) return [];
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
  };
}
