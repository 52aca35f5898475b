import { CharretteError } from '../../base/errors.ts';
import { shellWord } from '../../base/text/strings.ts';
import type { FeatureFiles } from '../../prompts/feature-files.ts';
import { holdsWork } from '../../repo/git/feature-branch.ts';
import { branchTip } from '../../repo/git/run-branch.ts';
import type { OptionSpec } from '../../service/command.ts';

export const unmergedOption: OptionSpec = {
  flags: '--unmerged',
  description: 'finish although the code of the feature is not in what is checked out',
};

/** A feature is not finished while its code lies on the branch of a run alone. */
export async function refuseUnmerged({ meta }: FeatureFiles, project: string): Promise<void> {
  const { implementation } = meta.meta;
  if (implementation === undefined || (await holdsWork(project, implementation.tip))) return;
  const { branch, tip } = implementation;
  const source = (await existingBranch(project, branch)) ?? tip;
  throw new CharretteError({
    code: 'checks-failed',
    message: `The code of the feature is not in what is checked out: ${branch}, up to ${tip.slice(0, 12)}, was never merged. The feature is not finished.`,
    fix: `git merge ${shellWord(source)}, then finish again; --unmerged finishes without it.`,
  });
}

export async function existingBranch(project: string, branch: string | undefined): Promise<string | null> {
  if (branch === undefined) return null;
  return (await branchTip(project, branch).catch(() => undefined)) === undefined ? null : branch;
}
