import { readRunRecordSync, updateRunRecord } from '../../engine/run-record.ts';
import { commitsMissing, createFeatureBranch, decideBranch } from '../../git/branch-create.ts';
import { commitOf } from '../../git/repository-facts.ts';
import { payloads } from '../../panel/breadcrumbs.ts';
import { isRecord } from '../../safe-json.ts';
import { counted } from '../../text/counted.ts';
import type { Desk } from './desk.ts';
import type { Design } from './state.ts';

/** Step 1: a branch for the feature, unless the run stays where it is (L-150…L-157). */
export async function branch(desk: Desk, _design: Design): Promise<Partial<Design>> {
  const { entry, feature, project } = desk.inputs;
  if (!desk.inputs.branch || entry === undefined) return {};
  const decision = decideBranch(entry.facts, {
    fits: entry.fits !== false || desk.inputs.unrelatedBranch === 'keep',
    interactive: !desk.inputs.auto,
    leaveUnrelated: desk.inputs.unrelatedBranch === 'leave',
    mainBranch: entry.mainBranch,
  });
  desk.begin('1', decision.action === 'keep' ? payloads.usingBranch(decision.branch) : undefined);
  if (decision.warning !== undefined) desk.warn(decision.warning);
  if (decision.action === 'keep') return {};
  if (decision.action === 'ask' && (await isKept(desk, decision.branch, entry.mainBranch))) {
    desk.end(payloads.usingBranch(decision.branch));
    return {};
  }
  const made = await desk.context.step('make branch', async () => {
    const creation = await createFeatureBranch(project, feature, {
      userPrefix: entry.facts.userPrefix,
      mainBranch: entry.mainBranch,
      ...(entry.remote === undefined ? {} : { remote: entry.remote }),
    });
    if (!creation.ok) return creation;
    const commit = await commitOf(project, 'HEAD');
    if (commit !== undefined) await stampRecord(desk, commit);
    return { ...creation, commit, missing: await commitsMissing(project, entry.mainBranch) };
  });
  if (!made.ok) {
    desk.warn(`No branch was made (${made.error}); the run stays where it is.`);
    return {};
  }
  // From here on the run is about the commit that it stands on.
  if (made.commit !== undefined) desk.inputs.baseCommit = made.commit;
  if (made.missing > 0) {
    desk.warn(
      `${entry.mainBranch} has ${counted(made.missing, 'commit')} that ${made.branch} lacks: the branch starts from ${made.base}. Push them first, or plan on the tree as it is with --no-branch.`,
    );
  }
  desk.end(`created ${made.branch}`);
  return {};
}

/** The record names the commit that the plan is checked against, for all who read the run later. */
async function stampRecord(desk: Desk, baseCommit: string): Promise<void> {
  const { directory } = desk.context.live;
  const { inputs } = readRunRecordSync(directory);
  await updateRunRecord(directory, {
    baseCommit,
    ...(isRecord(inputs) ? { inputs: { ...inputs, baseCommit } } : {}),
  });
}

/** C-28: leaving a branch moves the person who is on it, so they decide. */
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
