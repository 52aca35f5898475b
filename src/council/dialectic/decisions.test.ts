import { expect, test } from 'vitest';
import { contested } from '../../../test/dialectic-fixtures.ts';
import { rankDecisions } from './decisions.ts';

test('L-454 impact first, then the evenest split, then order of appearance', () => {
  const ranked = rankDecisions([
    contested('low', { impact: 'Low', chosenSeats: ['a', 'b'], alternativeSeats: ['c', 'd'] }),
    contested('three-one', { chosenSeats: ['a', 'b', 'c'], alternativeSeats: ['d'] }),
    contested('two-two', { chosenSeats: ['a', 'b'], alternativeSeats: ['c', 'd'] }),
    contested('high', { impact: 'High' }),
    contested('one-one'),
    contested('one-one again'),
  ]);
  expect(ranked.map(({ title }) => title)).toEqual([
    'high',
    'two-two',
    'three-one',
    'one-one',
    'one-one again',
    'low',
  ]);
  expect(ranked.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
});
