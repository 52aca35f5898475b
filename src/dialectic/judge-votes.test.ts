import { expect, test } from 'vitest';
import { readJudgeVotes, votesOfVerdict } from './judge-votes.ts';

test('L-521 a vote on findings is no vote of a judge', () => {
  expect(readJudgeVotes('Codex', 'DECISION_1: YES — good\nFINDING_1: THESIS', [1]).votes).toEqual({});
});

test('L-517 L-518 L-521 L-971 F-20 judge lines: bold, case, duplicates, strangers, bad tokens', () => {
  const answer =
    'My votes:\n**DECISION_1: thesis — solid**\nDECISION_2: ANTITHESIS — no\nDECISION_1: ANTI_THESIS\ndecision_3: Anti_Thesis - ok\nDECISION_10: THESIS';
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
