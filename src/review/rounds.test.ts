import { expect, test } from 'vitest';
import { entries, items } from '../../test/review-fixtures.ts';
import type { ReviewItem } from './items.ts';
import { nextRound, reviewersForNextRound } from './rounds.ts';
import { scoreboard } from './scoreboard.ts';

test('a second round happens only when the first one changed the plan, and stops when it brings nothing new', () => {
  const round = (of: typeof entries, earlier: ReviewItem[] = [], number = 1, rounds = 2) =>
    nextRound({ round: number, rounds, entries: of, earlier }).again;
  expect(round(entries)).toBe(true);
  expect(round(entries, [], 1, 1)).toBe(false);
  expect(round(entries, [], 2, 9)).toBe(false);
  expect(round(entries, items)).toBe(false);
  expect(round(entries.filter(({ outcome }) => outcome !== 'accepted'))).toBe(false);
  expect(reviewersForNextRound(scoreboard(entries, ['Cursor-Edge']))).toEqual(['Cursor-Arch']);
  expect(reviewersForNextRound(scoreboard([], ['a', 'b']))).toEqual(['a', 'b']);
});
