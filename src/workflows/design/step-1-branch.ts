import { branchName, createBranch, decideBranch } from '../../git/branch-create.ts';
import { currentBranch } from '../../git/repository-facts.ts';
import { payloads } from '../../panel/breadcrumbs.ts';
import type { Desk } from './desk.ts';
import type { Design } from './state.ts';

/** L-155: how many names are tried when the first is taken. */
const mostNames = 20;

/** Step 1: a branch for the feature, unless the run stays where it is (L-150…L-157). */
export async function branch(desk: Desk, _design: Design): Promise<Partial<Design>> {
  const { entry, feature, project } = desk.inputs;
  if (!desk.inputs.branch || entry === undefined) return {};
  const decision = decideBranch(entry.facts, { interactive: !desk.inputs.auto });
  desk.begin('1', decision.action === 'keep' ? payloads.usingBranch(decision.branch) : undefined);
  if (decision.warning !== undefined) desk.warn(decision.warning);
  if (decision.action === 'keep') return {};
  const made = await desk.context.step('make branch', async () => {
    const current = await currentBranch(project);
    for (let number = 1; number <= mostNames; number += 1) {
      const name = branchName(entry.facts.userPrefix, feature, number);
      // Made just before a crash: the run was not on it when it started.
      if (name === current) return { ok: true as const, branch: name, base: entry.mainBranch };
      const result = await createBranch(project, name, {
        userPrefix: entry.facts.userPrefix,
        mainBranch: entry.mainBranch,
      });
      if (result.ok || result.exit !== 1) return result;
    }
    return { ok: false as const, exit: 1 as const, error: `${mostNames} names are taken` };
  });
  if (made.ok) desk.end(`created ${made.branch}`);
  else desk.warn(`No branch was made (${made.error}); the run stays where it is.`);
  return {};
}
