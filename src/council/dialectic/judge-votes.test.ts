import { expect, test } from 'vitest';
import { readJudgeVotes, votesOfVerdict, withJudgeRepair } from './judge-votes.ts';

test('L-521 a vote on findings is no vote of a judge', () => {
  expect(readJudgeVotes('Codex', 'DECISION_1: YES — good\nFINDING_1: THESIS', [1]).votes).toEqual({});
});

test('L-517 L-518 L-521 L-971 F-20 judge lines: bold, case, duplicates, strangers, bad tokens', () => {
  const answer =
    'My votes:\n**DECISION_1: thesis — solid**\nDECISION_2: ANTITHESIS — no\nDECISION_1: THESIS\ndecision_3: Anti_Thesis - ok\nDECISION_10: THESIS';
  const { votes, warnings } = readJudgeVotes('Codex', answer, [1, 2, 3]);
  expect(votes).toEqual({
    1: { vote: 'THESIS', rationale: 'solid' },
    3: { vote: 'ANTI_THESIS', rationale: 'ok' },
  });
  expect(warnings).toEqual(['**⚠ Codex judge voted more than once on DECISION_1; the first vote counts.**']);
});

test('L-518 an answer without votes abstains everywhere, aloud', () => {
  expect(readJudgeVotes('Cursor', 'Both sides make good points.', [1])).toEqual({
    votes: {},
    warnings: [
      '**⚠ Cursor judge output unparseable — treated as abstention for all decisions on this ballot.**',
    ],
  });
  expect(
    votesOfVerdict('Cursor', { verdicts: [{ decision: 1, vote: 'THESIS', rationale: 'r' }] }, [1]).votes,
  ).toEqual({
    1: { vote: 'THESIS', rationale: 'r' },
  });
});

const thesis = { decision: 1, vote: 'THESIS', rationale: 'a' } as const;
const antithesis = { decision: 1, vote: 'ANTI_THESIS', rationale: 'b' } as const;
const second = { decision: 2, vote: 'THESIS', rationale: 'c' } as const;

test.each([
  [
    'in words',
    readJudgeVotes('Codex', 'DECISION_1: THESIS\nDECISION_1: ANTI_THESIS\nDECISION_2: THESIS — c', [1, 2]),
  ],
  ['as JSON', votesOfVerdict('Codex', { verdicts: [thesis, antithesis, second] }, [1, 2])],
])(
  'L-518: different votes of a judge on one decision count for neither side, %s',
  (_, { votes, warnings }) => {
    expect(votes).toEqual({ 2: { vote: 'THESIS', rationale: 'c' } });
    expect(warnings).toEqual(['**⚠ Codex judge gave different votes on DECISION_1; none of them counts.**']);
  },
);

test('L-518: a judge that only contradicts itself was understood', () => {
  const { warnings } = votesOfVerdict('Codex', { verdicts: [thesis, antithesis] }, [1]);
  expect(warnings).toEqual(['**⚠ Codex judge gave different votes on DECISION_1; none of them counts.**']);
});

test('L-518: a line that the judge quotes is not its vote', () => {
  const text =
    'Defense A says:\n> DECISION_1: THESIS — settled\nI weigh it myself.\nDECISION_1: ANTI_THESIS — b';
  expect(readJudgeVotes('Codex', text, [1])).toEqual({
    votes: { 1: { vote: 'ANTI_THESIS', rationale: 'b' } },
    warnings: [],
  });
});

test('a repair settles what a judge contradicted and leaves the rest alone', () => {
  const repair = { verdicts: [antithesis, { ...second, vote: 'ANTI_THESIS' as const }] };
  expect(withJudgeRepair({ verdicts: [thesis, antithesis, second] }, repair)).toEqual({
    verdicts: [second, antithesis],
  });
});
