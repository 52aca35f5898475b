import type { ReviewItem } from './items.ts';
import type { TallyEntry } from './tally.ts';

export const reviewRounds = { default: 1, maximum: 2 } as const;

export type RoundDecision = { again: boolean; reason: string };

/** Whether another round of review is worth it: only while rounds are left and the last one changed the plan. */
export function nextRound({
  round,
  rounds,
  entries,
  earlier,
}: {
  /** The round just finished, from 1. */
  round: number;
  rounds: number;
  entries: readonly TallyEntry[];
  /** Items of the rounds before this one. */
  earlier: readonly ReviewItem[];
}): RoundDecision {
  const accepted = entries.filter(({ item, outcome }) => item.scope === 'in-scope' && outcome === 'accepted');
  if (accepted.length === 0) return { again: false, reason: 'the round brought no accepted finding' };
  const known = new Set(earlier.map(fingerprint));
  const fresh = accepted.filter(({ item }) => !known.has(fingerprint(item)));
  if (fresh.length === 0) return { again: false, reason: 'the round brought nothing new' };
  if (round >= Math.min(rounds, reviewRounds.maximum))
    return { again: false, reason: `round ${round} was the last one` };
  return { again: true, reason: `${fresh.length} accepted findings changed the plan` };
}

/**
 * Which seats review again: those an accepted finding came from, whoever served them, or all when none is left (the
 * program's own check has no seat).
 */
export function reviewersForNextRound(entries: readonly TallyEntry[], seats: readonly string[]): string[] {
  const accepted = entries.filter(({ item, outcome }) => item.scope === 'in-scope' && outcome === 'accepted');
  const productive = seats.filter((seat) => accepted.some(({ item }) => item.seats.includes(seat)));
  return productive.length > 0 ? productive : [...seats];
}

/** The same finding in other words of the same order still counts as the same; meaning is the merge's business. */
export function fingerprint(item: Pick<ReviewItem, 'title' | 'focusArea' | 'citations'>): string {
  const words = item.title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const places = item.citations.map(({ file, line }) => `${file}:${line}`).sort();
  return JSON.stringify([item.focusArea, [...new Set(words)].sort(), places]);
}
