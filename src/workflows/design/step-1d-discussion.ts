import { overflowLines, payloads } from '../../council/breadcrumbs.ts';
import { discussionLimits } from '../../council/discussion.ts';
import type { Desk } from './desk.ts';
import { discuss } from './discuss.ts';
import type { Design } from './state.ts';

/** Step 1d: scope, hard constraints, non-goals; never how to build it (L-174…L-181). */
export async function firstDiscussion(desk: Desk, design: Design): Promise<Partial<Design>> {
  desk.begin('1d');
  if (desk.inputs.auto) {
    desk.skip(payloads.auto);
    return {};
  }
  const { count, text, decided, answeredByCode, deferred, failed } = await discuss(
    desk,
    design,
    1,
    undefined,
    discussionLimits.fewestScopeBranches,
  );
  if (count === 0) {
    desk.skip(failed ? payloads.noUsableAnswer : payloads.noScopeDecisions);
    return {};
  }
  if (deferred) desk.note(overflowLines.round1);
  await desk.context.artifact('discussion-round1.md', text);
  // L-175, L-047: what the code answered is reported, with what a person decided.
  desk.show('Scope Decisions', text);
  desk.end(payloads.resolved(count));
  return { commission: { ...design.commission, discussion: decided, answeredByCode } };
}
