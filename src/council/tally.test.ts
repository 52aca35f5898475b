import { expect, test } from 'vitest';
import { entries, items, voter } from '../../test/review-fixtures.ts';
import type { VoteToken } from '../base/schema/judgements/review.ts';
import { acceptedFindings, rejectedFindings } from './outcome-files.ts';
import type { ReviewItem } from './review.ts';
import {
  nextRound,
  noneAccepted,
  type Outcome,
  reviewersForNextRound,
  scoreboard,
  type TallyEntry,
  tally,
} from './tally.ts';
import { quorumOf } from './vote.ts';

test('F-19 without votes nothing is accepted: the author must adjudicate', () => {
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

const said = (tier: 'panel' | 'none', ...outcomes: Outcome[]) =>
  noneAccepted(
    outcomes.map((outcome) => ({ outcome }) as TallyEntry),
    { tier },
  );

test('L-650, L-691: findings count as rejected only when every one was; exonerated ones were once called so', () => {
  expect(said('panel', 'rejected', 'rejected')).toBe(
    '**ℹ Voting panel rejected all in-scope findings. Plan unchanged.**',
  );
  expect(said('panel', 'exonerated')).toBe(
    '**ℹ Voting panel accepted none of the in-scope findings (1 exonerated). Plan unchanged.**',
  );
  expect(said('panel', 'exonerated', 'rejected', 'neutral', 'exonerated')).toBe(
    '**ℹ Voting panel accepted none of the in-scope findings (1 neutral, 2 exonerated, 1 rejected). Plan unchanged.**',
  );
  expect(said('none', 'neutral')).toBe('**ℹ Nobody voted: no finding was accepted. Plan unchanged.**');
});

test('L-651 L-652 the scoreboard has a row for everybody, merged credit and signs', () => {
  const rows = scoreboard(entries, ['Cursor-Arch', 'Cursor-Edge', 'Codex-Pragmatic', 'Code']);
  expect(rows.map(({ reviewer, score }) => [reviewer, score])).toEqual([
    ['Cursor-Arch', 2],
    ['Cursor-Edge', 0],
    ['Codex-Pragmatic', -1],
    ['Code', 1],
  ]);
  const loser = tally(items.slice(2, 3), quorumOf([voter('a', { OOS_1: 'NO' })]));
  expect(scoreboard(loser, [])[0]?.score).toBe(0);
  expect(scoreboard(loser, [], 'symmetric')[0]?.score).toBe(-1);
});

test('a second round happens only when the first one changed the plan, and stops when it brings nothing new', () => {
  const round = (of: typeof entries, earlier: ReviewItem[] = [], number = 1, rounds = 2) =>
    nextRound({ round: number, rounds, entries: of, earlier }).again;
  expect(round(entries)).toBe(true);
  expect(round(entries, [], 1, 1)).toBe(false);
  expect(round(entries, [], 2, 9)).toBe(false);
  expect(round(entries, items)).toBe(false);
  expect(round(entries.filter(({ outcome }) => outcome !== 'accepted'))).toBe(false);
});

test('L-591: a seat with an accepted finding reviews again, whichever agent filled it; all do when only the program’s check found something', () => {
  const by = (reviewer: string, seat: string) =>
    entries.map((entry) => ({ ...entry, item: { ...entry.item, proposers: [reviewer], seats: [seat] } }));
  const seats = ['cursor-plan-arch', 'cursor-plan-edge'];
  const stoodIn = by('codex-fallback-cursor-plan-edge', 'cursor-plan-edge');
  expect(reviewersForNextRound(stoodIn, seats)).toEqual(['cursor-plan-edge']);
  expect(reviewersForNextRound(by('Grounding', 'grounding'), seats)).toEqual(seats);
  expect(reviewersForNextRound([], seats)).toEqual(seats);
});
