import { expect, test } from 'vitest';
import { items, voter } from '../../../test/review-fixtures.ts';
import type { VoteToken } from '../../base/schema/judgements/vote.ts';
import { acceptedFindings, rejectedFindings } from './outcome-files.ts';
import { quorumOf } from './quorum.ts';
import { tally } from './tally.ts';

test('F-19 nobody voting accepts nothing: somebody must adjudicate', () => {
  const quorum = quorumOf([voter('Claude'), voter('Codex'), voter('Cursor')]);
  expect(quorum.rule).toContain('main-agent-vote-required');
  const undecided = tally(items, quorum);
  expect(undecided.map(({ outcome }) => outcome)).toEqual(items.map(() => 'neutral'));
  expect(acceptedFindings(undecided, {})).toEqual([]);
  expect(rejectedFindings(undecided, quorum)[0]?.reason).toContain('no voter answered');
});

const outcomeFor = (...votes: (VoteToken | undefined)[]) => {
  const quorum = quorumOf(
    votes.map((vote, index) => voter(`v${index}`, { FINDING_1: vote, FINDING_2: 'NO' })),
  );
  return tally(items.slice(0, 1), quorum)[0]?.outcome;
};

test.each([
  [['YES', 'YES', 'NO'], 'accepted'],
  [['YES', 'NO', 'EXONERATE'], 'neutral'],
  [['NO', 'NO', 'EXONERATE'], 'exonerated'],
  [['NO', 'NO', 'NO'], 'rejected'],
  [['YES', 'YES'], 'accepted'],
  [['YES', 'NO'], 'neutral'],
  [['YES'], 'accepted'],
  [['EXONERATE'], 'exonerated'],
] as const)('L-650 %j is %s', (votes, outcome) => {
  expect(outcomeFor(...votes)).toBe(outcome);
});

test('panel/C-21 L-641 a missing line never lowers the bar, and silence rejects nothing', () => {
  expect(outcomeFor('YES', undefined, undefined)).toBe('neutral');
  expect(outcomeFor('YES', 'YES', undefined)).toBe('accepted');
  expect(outcomeFor(undefined, undefined, undefined)).toBe('neutral');
  expect(outcomeFor('NO', undefined, undefined)).toBe('rejected');
});
