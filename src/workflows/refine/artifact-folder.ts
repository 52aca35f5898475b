import { rm } from 'node:fs/promises';
import path from 'node:path';
import { trustCheckout } from '../../repo/git/checkout.ts';
import { gitOutput } from '../../repo/git/run-git.ts';
import { addWorktree, removeWorktree } from '../../repo/git/worktrees.ts';

/** The files of a commit in a folder of their own, without any history: whoever judges them sees what is, not what was. */
export async function exportArtifact(root: string, target: string, commit: string): Promise<void> {
  await removeWorktree(root, target);
  await rm(target, { recursive: true, force: true });
  await addWorktree(root, target, commit);
  const { record } = await trustCheckout(root, target);
  await rm(path.join(target, '.git'), { force: true });
  await rm(record, { recursive: true, force: true });
  await gitOutput(target, ['init', '--quiet', '--template=']);
}
