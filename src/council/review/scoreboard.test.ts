import { expect, test } from 'vitest';
import { entries, items, voter } from '../../../test/review-fixtures.ts';
import { quorumOf } from './quorum.ts';
import { scoreboard } from './scoreboard.ts';
import { tally } from './tally.ts';

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
