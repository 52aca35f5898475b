import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judge } from '../../../test/dialectic-fixtures.ts';
import { decide } from './verdicts.ts';

test.each([
  ['three of three', [judge('a', 'T'), judge('b', 'T'), judge('c', 'T')], 'THESIS'],
  ['two of three', [judge('a', 'A'), judge('b', 'T'), judge('c', 'A')], 'ANTI_THESIS'],
  ['both of two', [judge('a', 'T'), judge('b', 'T'), judge('c')], 'THESIS'],
  ['a split of two', [judge('a', 'T'), judge('b', 'A'), judge('c')], '1-1 tie with 2 voters'],
  ['one', [judge('a', 'T'), judge('b'), judge('c')], '1 judges eligible'],
  ['none', [judge('a'), judge('b'), judge('c')], '0 judges eligible'],
])('L-520 %s', (_, judges, expected) => {
  const verdict = decide(1, judges);
  expect(verdict.outcome === 'voted' ? verdict.winner : verdict.reason).toBe(expected);
});

test('L-519 a failed judge lane is ineligible', () => {
  const verdict = decide(1, [{ judge: 'a', rotated: undefined }, judge('b', 'T'), judge('c', 'T')]);
  expect(verdict).toMatchObject({ outcome: 'voted', thesis: 2 });
});

test('in binding mode a judge that follows the order instead of the argument is a tie', () => {
  const rules = { bothOrders: true };
  expect(decide(1, [judge('a', 'T', 'A'), judge('b', 'T', 'T'), judge('c', 'T', 'T')], rules)).toMatchObject({
    outcome: 'voted',
    thesis: 2,
    antithesis: 0,
  });
  expect(decide(1, [judge('a', 'T', 'A'), judge('b', 'T', 'T'), judge('c', 'A', 'A')], rules)).toMatchObject({
    outcome: 'fallback',
    reason: '1-1 tie with 2 voters (1 inconsistent)',
  });
  expect(decide(1, [judge('a', 'T'), judge('b', 'T', 'T')], rules)).toMatchObject({
    reason: '1 judges eligible',
  });
});

test('L-512, L-520: three eligible judges are three votes, and two against one decide', () => {
  const judges = [judge('x', 'T', 'T'), judge('y', 'A', 'A'), judge('z', 'T', 'T')];
  for (const bothOrders of [false, true]) {
    expect(decide(1, judges, { bothOrders })).toMatchObject({
      outcome: 'voted',
      winner: 'THESIS',
      thesis: 2,
      antithesis: 1,
    });
  }
});

test('L-520: a judge that changed sides has not voted', () => {
  const rules = { bothOrders: true };
  const changed = judge('x', 'T', 'A');
  const judges = [changed, judge('y', 'T', 'T'), judge('w', 'T', 'T')];
  expect(decide(1, judges, rules)).toMatchObject({ outcome: 'voted', winner: 'THESIS', thesis: 2 });
  expect(decide(1, judges.slice(0, 2), rules)).toMatchObject({
    outcome: 'fallback',
    reason: '1-0, two needed (1 inconsistent)',
  });
  expect(decide(1, [changed], rules)).toMatchObject({ reason: '0-0, two needed (1 inconsistent)' });
});

test('swapping every vote swaps every outcome', () => {
  const cast = fc.constantFrom<'T' | 'A' | undefined>('T', 'A', undefined);
  fc.assert(
    fc.property(fc.array(cast, { maxLength: 7 }), (votes) => {
      const flip = { T: 'A', A: 'T' } as const;
      const straight = decide(
        1,
        votes.map((vote, index) => judge(`${index}`, vote)),
      );
      const flipped = decide(
        1,
        votes.map((vote, index) => judge(`${index}`, vote && flip[vote])),
      );
      expect(straight.outcome).toBe(flipped.outcome);
      if (straight.outcome === 'voted' && flipped.outcome === 'voted')
        expect(straight.winner).not.toBe(flipped.winner);
    }),
  );
});
