import type { Desk } from './desk.ts';
import { discuss } from './discuss.ts';
import type { Design } from './state.ts';

/** Step 1d: scope, hard constraints, non-goals; never how to build it (L-174…L-181). */
export async function firstDiscussion(desk: Desk, design: Design): Promise<Partial<Design>> {
  desk.begin('1d', 'discussion r1');
  if (desk.inputs.auto) {
    desk.skip('discussion r1 — skipped (auto mode)');
    return {};
  }
  const { count, text, deferred } = await discuss(desk, design, 1, undefined, 2);
  if (count === 0) {
    desk.skip('discussion r1 — no scope decisions require discussion');
    return {};
  }
  if (deferred) desk.note('⏩ Remaining scope questions deferred to implementation.');
  await desk.context.artifact('discussion-round1.md', text);
  desk.end(`discussion r1 — ${count} decisions resolved`);
  return { commission: { ...design.commission, discussion: text } };
}
