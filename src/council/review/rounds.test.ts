import { expect, test } from 'vitest';
import { entries, items } from '../../../test/review-fixtures.ts';
import type { ReviewItem } from './items.ts';
import { nextRound, reviewersForNextRound } from './rounds.ts';

test('a second round happens only when the first one changed the plan, and stops when it brings nothing new', () => {
  const round = (of: typeof entries, earlier: ReviewItem[] = [], number = 1, rounds = 2) =>
    nextRound({ round: number, rounds, entries: of, earlier }).again;
  expect(round(entries)).toBe(true);
  expect(round(entries, [], 1, 1)).toBe(false);
  expect(round(entries, [], 2, 9)).toBe(false);
  expect(round(entries, items)).toBe(false);
  expect(round(entries.filter(({ outcome }) => outcome !== 'accepted'))).toBe(false);
});

test('L-591: a seat with an accepted finding reviews again, whoever served it; the program’s own finding leaves nobody out', () => {
  const by = (reviewer: string, seat: string) =>
    entries.map((entry) => ({ ...entry, item: { ...entry.item, proposers: [reviewer], seats: [seat] } }));
  const seats = ['cursor-plan-arch', 'cursor-plan-edge'];
  const stoodIn = by('codex-fallback-cursor-plan-edge', 'cursor-plan-edge');
  expect(reviewersForNextRound(stoodIn, seats)).toEqual(['cursor-plan-edge']);
  expect(reviewersForNextRound(by('Grounding', 'grounding'), seats)).toEqual(seats);
  expect(reviewersForNextRound([], seats)).toEqual(seats);
});
