import { expect, test } from 'vitest';
import { voter } from '../../../test/review-fixtures.ts';
import { degradedWarning, quorumOf, voterWarning } from './quorum.ts';

test.each([
  [3, 'panel', 2],
  [2, 'pair', 2],
  [1, 'single', 1],
  [0, 'none', undefined],
  [5, 'panel', 3],
] as const)('L-640 panel/C-20 %i voters: %s', (count, tier, needed) => {
  const ballots = Array.from({ length: count }, (_, index) => voter(`v${index}`, { FINDING_1: 'NO' }));
  const quorum = quorumOf([...ballots, voter('gone'), voter('blank', {})]);
  expect([quorum.tier, quorum.needed]).toEqual([tier, needed]);
});

test('L-639 L-642 failed voters are named, with the rule that applies', () => {
  const quorum = quorumOf([
    voter('Claude', { FINDING_1: 'YES' }),
    voter('Codex', { FINDING_1: 'YES' }),
    voter('Cursor'),
  ]);
  expect(degradedWarning(quorum)).toBe(
    '**⚠ Degraded voting panel: missing Cursor (timed out after 20m). Rule: two voters answered: both must say YES.**',
  );
  expect(voterWarning(voter('Cursor'), quorum.eligible)).toBe(
    '**⚠ Cursor voter failed — timed out after 20m. Proceeding with 2 voters (Claude, Codex).**',
  );
  const sentence = voterWarning({ ...voter('Cursor'), failure: 'It gave up.' }, []);
  expect(sentence).toBe('**⚠ Cursor voter failed — It gave up. Proceeding with 0 voters (none).**');
  expect(degradedWarning(quorumOf([voter('Claude', { FINDING_1: 'YES' })]))).toBeUndefined();
});
