import type { LiteTask } from '../../base/schema/lite/plan.ts';
import { priceOf } from '../../engine/costs.ts';
import type { Round } from '../../plan/tasks/schedule.ts';
import { renderTask } from '../../plan/tasks/task-text.ts';
import { describeEstimate } from '../design/depth.ts';
import type { LiteInputs } from './inputs.ts';

/** What a call that changes files takes beside its tasks, and how many turns see them; rough, and called so. */
const perCall = 30_000;
const turns = 8;
const answerShare = 0.1;

/** One line: calls, tokens and money of carrying a plan out, with what nobody knows. */
export function executionEstimate(
  rounds: readonly Round<LiteTask>[],
  { roster, prices }: Pick<LiteInputs, 'roster' | 'prices'>,
): string {
  const batches = rounds.flatMap((round) => round.batches);
  const costs = batches.map(({ executor, tasks }) => {
    const tokens = perCall + (turns * tasks.map(renderTask).join('\n\n').length) / 4;
    const model = roster.find(({ id }) => id === executor)?.model;
    const price = priceOf(model, prices);
    const usd =
      price && (tokens / 1_000_000) * (price.input * (1 - answerShare) + price.output * answerShare);
    return { executor, tokens, usd };
  });
  const known = costs.flatMap(({ usd }) => usd ?? []);
  const unpriced = [...new Set(costs.filter(({ usd }) => usd === undefined).map(({ executor }) => executor))];
  return describeEstimate({
    calls: batches.length,
    tokens: Math.round(costs.reduce((sum, { tokens }) => sum + tokens, 0) / 1000) * 1000,
    ...(known.length === 0 ? {} : { usd: known.reduce((sum, usd) => sum + usd, 0) }),
    ...(unpriced.length === 0 ? {} : { unpriced }),
  });
}
