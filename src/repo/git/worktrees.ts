import { realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { gitOutput, runGit, untilDone } from './run-git.ts';

export type Worktree = {
  path: string;
  head: string | undefined;
  branch: string | undefined;
  locked: boolean;
};

/** Creates a detached checkout at a path that does not exist yet; a stale entry of git for it is reused. */
export async function addWorktree(root: string, target: string, commit: string): Promise<void> {
  const words = ['worktree', 'add', '--force', '--force', '--detach', '--quiet'];
  await gitOutput(root, [...words, '--', path.resolve(target), commit], untilDone);
}

/**
 * Removes a checkout with everything in it, or only git's entry. Never by `git worktree prune`: that forgets every
 * worktree of the user whose disk is not mounted.
 */
export async function removeWorktree(root: string, target: string): Promise<void> {
  const words = ['worktree', 'remove', '--force', '--force', '--', path.resolve(target)];
  if ((await runGit(root, words, untilDone)).code === 0) return;
  const folder = path.dirname(path.resolve(target));
  const place = path.join(await realpath(folder).catch(() => folder), path.basename(target));
  const known = (await listWorktrees(root)).some((worktree) => worktree.path === place);
  if (!known) return;
  await rm(target, { recursive: true, force: true });
  await runGit(root, words);
}

export async function listWorktrees(root: string): Promise<Worktree[]> {
  const text = await gitOutput(root, ['worktree', 'list', '--porcelain', '-z']);
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
