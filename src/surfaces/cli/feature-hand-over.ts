import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError, toCharretteError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { isInside } from '../../base/files/bounded.ts';
import { shellWord } from '../../base/text/strings.ts';
import { archiveDirectory } from '../../prompts/feature/archive.ts';
import type { FeatureFiles } from '../../prompts/feature-files.ts';
import { detectMainBranch } from '../../repo/git/branches.ts';
import { conflictsOf, holdsWork, mergeInto } from '../../repo/git/feature-branch.ts';
import { repositoryFacts } from '../../repo/git/repository-facts.ts';
import { branchTip } from '../../repo/git/run-branch.ts';
import { gitOutput, splitNul } from '../../repo/git/run-git.ts';
import { listWorktrees } from '../../repo/git/worktrees.ts';
import type { Invocation, OptionSpec } from '../../service/command.ts';
import {
  type PullRequestFacts,
  renderPullRequest,
  titleOf,
} from '../../workflows/feature/rules/finish-texts.ts';

export const handOverOptions: readonly OptionSpec[] = [
  { flags: '--merge', description: 'commit the records and merge this branch where --onto says' },
  { flags: '--pull-request', description: 'commit the records and write the text of a pull request' },
  { flags: '--onto <branch>', description: 'where the feature goes (the main branch)' },
];

export type HandOver = { how: 'merge' | 'pull-request'; branch: string; onto: string; root: string };

/** §2B: checks before any change that the feature can be handed over; undefined when that was not requested. */
export async function planHandOver(
  feature: FeatureFiles,
  project: string,
  { options }: Invocation,
): Promise<HandOver | undefined> {
  const [merge, request] = [options['merge'] === true, options['pullRequest'] === true];
  if (!merge && !request) return undefined;
  if (merge && request)
    throw new CharretteError({ code: 'usage', message: '--merge and --pull-request exclude each other.' });
  const { root, branch } = await repositoryFacts(project);
  const onto = typeof options['onto'] === 'string' ? options['onto'] : await detectMainBranch(project);
  if ((await branchTip(project, onto)) === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `The branch ${onto} does not exist.`,
      fix: 'Name one with --onto.',
    });
  }
  if (branch === undefined || branch === onto) {
    throw new CharretteError({
      code: 'usage',
      message: `${branch ?? 'No branch'} is checked out; a feature is handed over from its own branch.`,
      fix: `Finish without ${merge ? '--merge' : '--pull-request'}, or check out the branch with the work.`,
    });
  }
  if (merge) await refuseElsewhere(root, branch, onto);
  await refuseDirty(root, feature.directory);
  const conflicts = await conflictsOf(project, onto, branch);
  if (conflicts.length > 0) {
    throw new CharretteError({
      code: 'checks-failed',
      message: `${branch} and ${onto} conflict in ${conflicts.slice(0, 10).join(', ')}; the feature is not finished.`,
      fix: `Bring ${onto} into ${branch} and finish again; nothing was changed.`,
    });
  }
  return { how: merge ? 'merge' : 'pull-request', branch, onto, root };
}

/** git checks a branch out in one place only, and merging needs it here. */
async function refuseElsewhere(root: string, branch: string, onto: string): Promise<void> {
  const place = (await listWorktrees(root)).find((worktree) => worktree.branch === onto)?.path;
  if (place === undefined) return;
  throw new CharretteError({
    code: 'checks-failed',
    message: `${onto} is checked out in ${place}, so ${branch} cannot be merged into it here; the feature is not finished.`,
    fix: `Check out something else there and finish again, or finish without --merge and then: git -C ${shellWord(place)} merge ${shellWord(branch)}`,
  });
}

async function refuseDirty(root: string, directory: string): Promise<void> {
  const entries = splitNul(
    await gitOutput(root, ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal']),
  );
  const names = entries
    .map((entry) => entry.slice(3))
    .filter((name) => name !== '' && !isOurs(root, name, directory));
  if (names.length === 0) return;
  throw new CharretteError({
    code: 'dirty-tree',
    message: `Not committed: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}.`,
    fix: 'Commit or stash these first; the records of the feature are committed by finishing.',
  });
}

function isOurs(root: string, name: string, directory: string): boolean {
  const file = path.join(root, name);
  return name.startsWith('.charrette') || isInside(directory, file) || isInside(file, directory);
}

/** Does what was planned; the records are committed by now. */
export async function carryOut(
  { how, branch, onto, root }: HandOver,
  directory: string,
  project: string,
  facts: PullRequestFacts,
): Promise<{ text: string; json: Record<string, unknown> }> {
  const title = titleOf(facts.feature, facts.spec);
  if (how === 'merge') {
    const message = `Merge feature ${facts.feature}: ${title}`;
    const commit = await mergeInto(root, { branch, onto, message }).catch((error: unknown) => {
      throw notMerged(facts.feature, { branch, onto, root }, error);
    });
    const json = { merged: { onto, commit } };
    return { text: `merged: ${branch} into ${onto}, ${commit.slice(0, 12)}`, json };
  }
  const folder = archiveDirectory(project, directory);
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, 'pull-request.md');
  await writeFileAtomic(file, renderPullRequest(facts));
  const commands = [
    `git push --set-upstream origin ${shellWord(branch)}`,
    `gh pr create --base ${shellWord(onto)} --head ${shellWord(branch)} --title ${shellWord(title)} --body-file ${shellWord(file)}`,
  ];
  return {
    text: [`pull request: ${file}`, 'when you are ready:', ...commands.map((line) => `  ${line}`)].join('\n'),
    json: { pullRequest: { file, title, base: onto, head: branch, commands } },
  };
}

/** The feature is finished by now: what is left is for a person to do. */
function notMerged(
  feature: string,
  { branch, onto, root }: Omit<HandOver, 'how'>,
  error: unknown,
): CharretteError {
  const { code, message } = toCharretteError(error);
  return new CharretteError({
    code,
    message: `${feature} is finished and committed on ${branch}, but not merged into ${onto}: ${message}`,
    fix: `Fix the git error and merge by hand: cd ${shellWord(root)} && git switch ${shellWord(onto)} && git merge --no-ff ${shellWord(branch)}`,
  });
}

export const unmergedOption: OptionSpec = {
  flags: '--unmerged',
  description: 'finish although the code of the feature is not merged into the checked-out branch',
};

/** A feature is not finished while its code lies on the branch of a run alone. */
export async function refuseUnmerged({ meta }: FeatureFiles, project: string): Promise<void> {
  const { implementation } = meta.meta;
  if (implementation === undefined || (await holdsWork(project, implementation.tip))) return;
  const { branch, tip } = implementation;
  const source = (await existingBranch(project, branch)) ?? tip;
  throw new CharretteError({
    code: 'checks-failed',
    message: `The code of the feature is not in the checked-out branch: ${branch}, up to ${tip.slice(0, 12)}, was never merged. The feature is not finished.`,
    fix: `git merge ${shellWord(source)}, then finish again; --unmerged finishes without it.`,
  });
}

export async function existingBranch(project: string, branch: string | undefined): Promise<string | null> {
  if (branch === undefined) return null;
  return (await branchTip(project, branch).catch(() => undefined)) === undefined ? null : branch;
}
