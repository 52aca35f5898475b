import type { LoopSettings } from './settings.ts';

export type Decision =
  | { kind: 'accept' }
  | { kind: 'escalate'; reason: 'iterations' | 'stagnation' }
  | { kind: 'iterate' /** A person is asked although the loop would go on. */; ask: boolean };

/** What comes after an iteration, in this order: pass, the last iteration, no improvement, continue. */
export function decide(totals: readonly number[], passed: boolean, settings: LoopSettings): Decision {
  if (passed) return { kind: 'accept' };
  if (totals.length >= settings.maxIterations) return { kind: 'escalate', reason: 'iterations' };
  if (isStagnant(totals, settings.improvementThreshold)) return { kind: 'escalate', reason: 'stagnation' };
  return { kind: 'iterate', ask: totals.length === settings.escalationAfter };
}

/** The last two steps were both too small: 0.60, 0.61, 0.62. */
export function isStagnant(totals: readonly number[], threshold: number): boolean {
  const [first, second, third] = totals.slice(-3);
  if (first === undefined || second === undefined || third === undefined) return false;
  // Compared in ten-thousandths: 0.65 − 0.60 is less than 0.05 in binary.
  const gained = (from: number, to: number) => Math.round((to - from) * 10_000) / 10_000;
  return gained(first, second) < threshold && gained(second, third) < threshold;
}
