import { payloads } from '../../council/breadcrumbs.ts';
import { type Seat, tryAuthor } from '../../council/council.ts';
import { renderDecisions } from '../../council/decisions.ts';
import { type Sketched, sketch } from '../../council/sketch.ts';
import { type Approach, renderSynthesis } from '../../council/synthesis.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import type { Commission } from '../../prompts/panel/common.ts';
import { planPrompt } from '../../prompts/panel/plan.ts';
import type { Desk } from './desk.ts';
import type { SeatedTable } from './inputs.ts';
import { afterFailures } from './table.ts';

/** Step 2a, which ends with its synthesis. */
export async function sketchAll(
  desk: Desk,
  table: SeatedTable,
  commission: Commission,
): Promise<{ sketches: Sketched[]; table: SeatedTable }> {
  desk.begin('2a');
  if (table.sketchers.length === 0) {
    desk.skip('none asked for');
    return { sketches: [], table };
  }
  const mode = desk.inputs.quick ? 'quick' : 'regular';
  const { sketches, replies } = await sketch(desk, table.sketchers, commission, mode);
  return { sketches, table: await afterFailures(desk, table, 'sketches', replies) };
}

/** What the scout finds, as evidence for those who sketch and plan. Nothing when it is not in the run, or is alone in it. */
export async function scout(desk: Desk): Promise<Pick<Commission, 'evidence'>> {
  const { agents } = desk.services;
  const own = [...agents.values()].find(({ family }) => family === 'static');
  if (own === undefined || desk.isRuleBased) return {};
  const seat: Seat = { id: 'scout', label: 'Scout', stance: 'generic', agents: [own.id], owner: own.id };
  const reply = await tryAuthor(desk, seat, {
    key: 'scout',
    kind: 'evidence',
    judgement: 'plan',
    draft: (schema) => planPrompt({ commission: { description: desk.inputs.feature }, schema }),
    facts: {},
  });
  if (!reply.ok) return {};
  const evidence = renderPlan(reply.value);
  await desk.artifact('scout-brief.txt', evidence);
  return { evidence };
}

/** Step 2a.4, its files: the one approach, and what stays contested. */
export async function keepApproach(desk: Desk, { synthesis, decisions }: Approach): Promise<void> {
  const text = synthesis === undefined ? undefined : renderSynthesis(synthesis);
  await desk.artifact('approach-synthesis.txt', text ?? 'NO_SKETCHES\n');
  await desk.artifact('contested-decisions.md', renderDecisions(decisions));
  if (text === undefined) return;
  desk.show('Approach Synthesis', text);
  // L-046: a caller reads the body in its file and gets one line here.
  desk.end(desk.inputs.caller === undefined ? undefined : payloads.synthesisSaved);
}
