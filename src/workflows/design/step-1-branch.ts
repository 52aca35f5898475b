import { createFeatureBranch, decideBranch } from '../../git/branch-create.ts';
import { payloads } from '../../panel/breadcrumbs.ts';
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
  const made = await desk.context.step('make branch', () =>
    createFeatureBranch(project, feature, {
      userPrefix: entry.facts.userPrefix,
      mainBranch: entry.mainBranch,
      ...(entry.remote === undefined ? {} : { remote: entry.remote }),
    }),
  );
  if (made.ok) desk.end(`created ${made.branch}`);
  else desk.warn(`No branch was made (${made.error}); the run stays where it is.`);
  return {};
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
