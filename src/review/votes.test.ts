import { expect, test } from 'vitest';
import { ids } from '../../test/review-fixtures.ts';
import { readVotes, votesOf } from './votes.ts';

test('L-638 panel/C-21 valid votes count and missing ones are named', () => {
  const first = readVotes('FINDING_1: YES — a\nFINDING_2: perhaps\nFINDING_9: NO', ids);
  expect(first.votes).toEqual({ FINDING_1: { vote: 'YES', reason: 'a' } });
  expect(first.missing).toEqual(['FINDING_2', 'OOS_1', 'OOS_2']);
});

test('without the third vote a stray EXONERATE is a NO', () => {
  const reading = votesOf({ votes: [{ id: 'FINDING_1', vote: 'EXONERATE', reason: 'r' }] }, ids, {
    exonerate: false,
  });
  expect(reading.votes['FINDING_1']?.vote).toBe('NO');
});
