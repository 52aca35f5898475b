import { expect, test } from 'vitest';
import { ids } from '../../test/review-fixtures.ts';
import { readVotes, votesOf, withRepair } from './votes.ts';

test('L-638 panel/C-21 F-21 valid votes count, missing ones are named and can be repaired once', () => {
  const first = readVotes('FINDING_1: YES — a\nFINDING_2: perhaps\nFINDING_9: NO', ids);
  expect(first.votes).toEqual({ FINDING_1: { vote: 'YES', reason: 'a' } });
  expect(first.missing).toEqual(['FINDING_2', 'OOS_1', 'OOS_2']);
  const repaired = withRepair(
    first,
    readVotes('FINDING_1: NO\nFINDING_2: NO — b\nOOS_1: YES\nOOS_2: NO', ids),
  );
  expect(repaired.missing).toEqual([]);
  expect(repaired.votes['FINDING_1']?.vote).toBe('YES');
});

test('without the third vote a stray EXONERATE is a NO', () => {
  const reading = votesOf({ votes: [{ id: 'FINDING_1', vote: 'EXONERATE', reason: 'r' }] }, ids, {
    exonerate: false,
  });
  expect(reading.votes['FINDING_1']?.vote).toBe('NO');
});
