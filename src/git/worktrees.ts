import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type GitOptions, gitOutput, runGit } from './run-git.ts';

export type Worktree = {
  path: string;
  head: string | undefined;
  branch: string | undefined;
  locked: boolean;
};

/** A detached checkout of a commit at a path that does not exist yet. */
export async function addWorktree(
  root: string,
  target: string,
  commit: string,
  git: GitOptions = {},
): Promise<void> {
  await gitOutput(root, ['worktree', 'add', '--detach', '--quiet', '--', path.resolve(target), commit], git);
}

/** Removes a checkout with everything in it; one that is gone already is forgotten. */
export async function removeWorktree(root: string, target: string, git: GitOptions = {}): Promise<void> {
  const removed = await runGit(root, ['worktree', 'remove', '--force', '--', path.resolve(target)], git);
  if (removed.code === 0) return;
  const known = (await listWorktrees(root, git)).some((worktree) => worktree.path === path.resolve(target));
  if (known) await rm(target, { recursive: true, force: true });
  await runGit(root, ['worktree', 'prune'], git);
}

export async function listWorktrees(root: string, git: GitOptions = {}): Promise<Worktree[]> {
  const text = await gitOutput(root, ['worktree', 'list', '--porcelain', '-z'], git);
  return text
    .split('\0\0')
    .filter((block) => block !== '')
    .map((block) => {
      const field = (name: string) =>
        block
          .split('\0')
          .find((line) => line === name || line.startsWith(`${name} `))
          ?.slice(name.length + 1);
      return {
        path: field('worktree') ?? '',
        head: field('HEAD'),
        branch: field('branch')?.replace(/^refs\/heads\//, ''),
        locked: field('locked') !== undefined,
      };
    });
}
