import type { IneligibleReason } from './eligibility.ts';

/** One try at a defence: who spoke, and why it did not pass; `ok` when it did. */
export type DebateAttempt = { agent: string; result: IneligibleReason | 'ok' };

/**
 * `corrective`: the same agent is told what was missing, once. `waterfall`: the other outside agent, then the replacement as a
 * last resort. Only the first keeps both sides with one agent and the replacement out of debates (L-024, L-479).
 */
export type RetryPolicy = 'none' | 'corrective' | 'waterfall';

const retries: Record<RetryPolicy, number> = { none: 0, corrective: 1, waterfall: 2 };

export type Bench = {
  /** Outside debaters that are up, in order. */
  debaters: readonly string[];
  replacement?: string;
};

/** F-17: who tries next for a side; `undefined` when it passed or nobody is left. */
export function nextDebater(
  attempts: readonly DebateAttempt[],
  policy: RetryPolicy,
  bench: Bench,
): string | undefined {
  const [first] = attempts;
  if (!first || attempts.at(-1)?.result === 'ok' || attempts.length > retries[policy]) return undefined;
  if (policy === 'corrective') return first.agent;
  const tried = new Set(attempts.map(({ agent }) => agent));
  const other = bench.debaters.find((agent) => !tried.has(agent));
  if (attempts.length === 1 && other !== undefined) return other;
  return bench.replacement !== undefined && !tried.has(bench.replacement) ? bench.replacement : undefined;
}

/** What stands in the reason of a decision whose retries are used up; empty when there were none. */
export function exhaustedNote(attempts: readonly DebateAttempt[]): string {
  const later = attempts.slice(1).map(({ agent, result }, index) => `retry${index + 1}=${agent}/${result}`);
  return later.length === 0 ? '' : `[waterfall exhausted: ${later.join(', ')}]`;
}

/** The whole way of a side, for the record. */
export function attemptTrace(attempts: readonly DebateAttempt[]): string {
  return attempts.map(({ agent, result }) => `${agent}=${result}`).join(' → ');
}
