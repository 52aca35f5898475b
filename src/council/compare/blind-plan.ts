import type { Plan } from '../../base/schema/judgements/plan.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import { attributionWords, stripAttribution } from '../dialectic/ballot.ts';

/**
 * A plan as judges see it: without names of agents and seats, and without what only a panel leaves behind (decided points,
 * dissent, ids of findings), so that nothing tells which one a panel wrote.
 */
export function blindPlan(
  plan: Plan,
  { feature, seats }: { feature: string; seats: readonly string[] },
): string {
  const text = renderPlan({ ...plan, decisions: [] });
  const words = [...attributionWords, ...seats.filter((label) => label.includes('-'))];
  return stripAttribution(text, { words, neutral: feature, loose: true })
    .replace(/\b(?:DECISION|FINDING|OOS)_\d+\b/g, 'the decision')
    .replace(/\b(?:the|our) (?:panel|jury|reviewers|voters)\b/gi, 'we');
}
