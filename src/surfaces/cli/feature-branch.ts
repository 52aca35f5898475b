import { CharretteError } from '../../base/errors.ts';
import { type FeatureFiles, readFeature } from '../../prompts/feature-files.ts';
import { checkBranch, switchTo } from '../../repo/git/feature-branch.ts';
import type { Invocation, OptionSpec } from '../../service/command.ts';
import { printNotice } from '../../service/command.ts';

/** For every command that goes on with a feature. */
export const branchOption: OptionSpec = {
  flags: '--branch <what>',
  description: 'where the feature has a branch that is not checked out: go there, or work here',
  choices: ['switch', 'stay'],
};

/**
 * §2C: a feature with a branch of its own is worked on there. Offers to switch; --yes takes the offer. Gives the feature as it is on the
 * branch that is checked out then.
 */
export async function settleBranch(
  feature: FeatureFiles,
  project: string,
  { options, global, terminal }: Invocation,
): Promise<FeatureFiles> {
  const check = await checkBranch(project, feature.meta.meta.branch);
  if (check.kind !== 'differs') return feature;
  const { branch, current } = check;
  const choice = options['branch'] ?? (global.yes ? 'switch' : undefined);
  if (choice === 'stay') return feature;
  if (choice !== 'switch') {
    throw new CharretteError({
      code: 'usage',
      message: `The feature belongs to the branch ${branch}; ${current} is checked out.`,
      fix: 'Say --branch switch to go there, or --branch stay to work here.',
    });
  }
  if (global.dryRun) return feature;
  await switchTo(project, branch);
  if (!global.quiet) printNotice(terminal, `switched from ${current} to ${branch}`);
  try {
    return await readFeature(feature.directory);
  } catch (error) {
    if (current !== 'no branch') await switchTo(project, current);
    throw error;
  }
}
