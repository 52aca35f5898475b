import { thisWorld } from '../../agents/settings.ts';
import { isRecord } from '../../base/safe-json.ts';
import { payloads } from '../../council/breadcrumbs.ts';
import { readRunRecordSync, updateRunRecord } from '../../engine/run-record.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import {
  branchName,
  type CreationSettings,
  createFeatureBranch,
  decideBranch,
  takenName,
} from '../../repo/git/branches.ts';
import { switchTo } from '../../repo/git/feature-branch.ts';
import { commitOf, currentBranch } from '../../repo/git/repository-facts.ts';
import type { Desk } from './desk.ts';
import { readBriefs } from './prepare.ts';

/** Step 1: a branch for the feature, unless the run stays where it is (L-150…L-157). */
export async function chooseBranch(desk: Desk, commission: Commission): Promise<Commission> {
  const { entry, feature, project } = desk.inputs;
  if (!desk.inputs.branch || entry === undefined) return commission;
  const decision = decideBranch(entry.facts, {
    fits: entry.fits !== false || desk.inputs.unrelatedBranch === 'keep',
    interactive: !desk.inputs.auto,
    leaveUnrelated: desk.inputs.unrelatedBranch === 'leave',
    mainBranch: entry.mainBranch,
  });
  desk.begin('1', decision.action === 'keep' ? payloads.usingBranch(decision.branch) : undefined);
  if (decision.warning !== undefined) desk.warn(decision.warning);
  if (decision.action === 'keep') return commission;
  if (decision.action === 'ask' && (await isKept(desk, decision.branch, entry.mainBranch))) {
    desk.end(payloads.usingBranch(decision.branch));
    return commission;
  }
  const settings: CreationSettings = {
    userPrefix: entry.facts.userPrefix,
    mainBranch: entry.mainBranch,
    ...(entry.remote === undefined ? {} : { remote: entry.remote }),
  };
  const choice = await chooseName(desk, settings);
  if (choice.use === 'none') {
    desk.end('no branch');
    return commission;
  }
  const made = await desk.context.step('make branch', async () => {
    const previous = await previousBranch(desk);
    const creation =
      choice.use === 'existing'
        ? await useBranch(project, choice.branch)
        : { created: true, ...(await createFeatureBranch(project, feature, settings)) };
    if (!creation.ok) return creation;
    const commit = await commitOf(project, 'HEAD');
    const { branch: name, created, merge } = creation;
    await stampRecord(desk, commit, { name, created, previous, ...(merge === undefined ? {} : { merge }) });
    const about = { root: project, task: feature, home: thisWorld().environment['HOME'] };
    const { warnings: _, ...texts } = await readBriefs(about);
    return { ...creation, commit, texts };
  });
  if (!made.ok) {
    desk.warn(`No branch was made (${made.error}); the run stays where it is.`);
    return commission;
  }
  // From here on the run is about this commit and its documents.
  if (made.commit !== undefined) desk.inputs.baseCommit = made.commit;
  Object.assign(desk.inputs, { brief: undefined, ...made.texts });
  if (made.warning !== undefined) desk.warn(made.warning);
  desk.end(made.created ? `created ${made.branch}` : payloads.usingBranch(made.branch));
  return { ...commission, brief: made.texts.brief };
}

type BranchChoice = { use: 'new' | 'none' } | { use: 'existing'; branch: string };

/** L-155: another branch may have the name; on a terminal the user decides, otherwise the new branch gets a number. */
async function chooseName(desk: Desk, settings: CreationSettings): Promise<BranchChoice> {
  const { auto, feature, project } = desk.inputs;
  if (auto) return { use: 'new' };
  const taken = await desk.context.step('find taken branch name', async () => ({
    name: await takenName(project, feature, settings),
  }));
  if (taken.name === undefined) return { use: 'new' };
  const id = 'branch-name';
  const answers = await desk.context.ask([
    {
      id,
      text: `The branch ${taken.name} exists already. Which branch should this design use?`,
      options: [
        { value: 'new', label: `A new one, such as ${branchName(settings.userPrefix, feature, 2)}` },
        { value: 'existing', label: `Use ${taken.name}` },
        { value: 'none', label: 'No branch: stay where you are' },
      ],
      recommended: 'new',
    },
  ]);
  const value = answers.get(id)?.value;
  if (value === 'existing') return { use: 'existing', branch: taken.name };
  return { use: value === 'none' ? 'none' : 'new' };
}

/** Checks an existing branch out unchanged; one that a crash left checked out counts as done. */
async function useBranch(
  project: string,
  name: string,
): Promise<
  | { ok: true; branch: string; created: false; merge?: undefined; warning?: undefined }
  | { ok: false; error: string }
> {
  try {
    if ((await currentBranch(project)) !== name) await switchTo(project, name);
    return { ok: true, branch: name, created: false };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Where the user was when the run started: a branch, or the commit of a detached HEAD. */
async function previousBranch({ inputs: { entry, project, baseCommit } }: Desk): Promise<string> {
  const started = entry?.facts.currentBranch ?? '';
  return started || ((await currentBranch(project)) ?? baseCommit ?? 'HEAD');
}

/** The record names the commit that the plan is checked against, and the branch that the run left the user on. */
async function stampRecord(
  desk: Desk,
  baseCommit: string | undefined,
  made: { name: string; created: boolean; previous: string; merge?: string },
): Promise<void> {
  const { directory } = desk.context.live;
  const { inputs } = readRunRecordSync(directory);
  await updateRunRecord(directory, {
    branch: made,
    ...(baseCommit === undefined ? {} : { baseCommit }),
    ...(isRecord(inputs) && baseCommit !== undefined ? { inputs: { ...inputs, baseCommit } } : {}),
  });
}

/** C-28: leaving a branch moves you, so you decide. */
async function isKept(desk: Desk, branch: string, mainBranch: string): Promise<boolean> {
  const id = 'unrelated-branch';
  const answers = await desk.context.ask([
    {
      id,
      text: `The branch ${branch} seems to be about something else. Stay on it?`,
      options: [
        { value: 'keep', label: 'Stay on it' },
        { value: 'leave', label: `Make a new branch from ${mainBranch}` },
      ],
      recommended: 'keep',
    },
  ]);
  return answers.get(id)?.value !== 'leave';
}
