import fc from 'fast-check';
import { expect, test } from 'vitest';
import { candidates, raised } from '../../test/review-fixtures.ts';
import { mergeCandidates, numberCandidates, partitionProblem } from './review.ts';

test('panel/C-32 F-22 an answer that is not a partition merges nothing and loses nothing', () => {
  const three = numberCandidates([
    raised('a'),
    raised('b', { title: 'Other' }),
    raised('c', { outOfScope: true }),
  ]);
  for (const clusters of [
    [{ ids: ['ITEM_1', 'ITEM_2'], title: null }],
    [{ ids: ['ITEM_1', 'ITEM_2', 'ITEM_3', 'ITEM_3'], title: null }],
    [{ ids: ['ITEM_1', 'ITEM_2', 'ITEM_3', 'ITEM_9'], title: null }],
    [],
  ]) {
    const result = mergeCandidates(three, { clusters });
    expect(result.items.map(({ id }) => id)).toEqual(['FINDING_1', 'FINDING_2', 'OOS_1']);
    expect(result.refused).toBeTruthy();
  }
});

test('panel/C-32 every finding is in exactly one item, whatever the merge answer', () => {
  const merge = fc.record({
    clusters: fc.array(
      fc.record({
        ids: fc.array(
          fc.integer({ min: 1, max: 9 }).map((n) => `ITEM_${n}`),
          { minLength: 1, maxLength: 4 },
        ),
        title: fc.constant(null),
      }),
      { maxLength: 5 },
    ),
  });
  fc.assert(
    fc.property(candidates, fc.option(merge, { nil: undefined }), (list, answer) => {
      const { items } = mergeCandidates(list, answer);
      for (const candidate of list) {
        const holding = items.filter(
          ({ concern, proposers }) =>
            concern.includes(candidate.concern) && proposers.includes(candidate.reviewer),
        );
        expect(holding.length).toBeGreaterThan(0);
      }
      expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
      if (!answer || partitionProblem(list, answer)) expect(items).toHaveLength(list.length);
    }),
  );
});

test('L-592 L-593 a cluster keeps all proposers, concerns and places; in-scope wins over out-of-scope', () => {
  const list = numberCandidates([
    raised('a', { outOfScope: true, concern: 'seen from a', evidence: 'missing' }),
    raised('b', {
      concern: 'seen from b',
      severity: 'Important',
      citations: [{ file: 'x.ts', line: 1, endLine: null, quote: null }],
    }),
    raised('b', { title: 'Alone' }),
  ]);
  const { items, refused } = mergeCandidates(list, {
    clusters: [
      { ids: ['ITEM_3'], title: 'ignored for a single finding' },
      { ids: ['ITEM_2', 'ITEM_1'], title: 'Lock stays' },
    ],
  });
  expect(refused).toBeUndefined();
  expect(items.map(({ id, title }) => [id, title])).toEqual([
    ['FINDING_1', 'Lock stays'],
    ['FINDING_2', 'Alone'],
  ]);
  expect(items[0]).toMatchObject({
    scope: 'in-scope',
    severity: 'Important',
    concern: 'seen from b\n\nseen from a',
    proposers: ['b', 'a'],
    evidence: 'found',
  });
  expect(items[0]?.citations).toHaveLength(2);
});

test('ids of a second round continue after those of the first', () => {
  const first = mergeCandidates(
    numberCandidates([raised('a'), raised('b', { outOfScope: true })]),
    undefined,
  ).items;
  const second = mergeCandidates(
    numberCandidates([raised('a'), raised('b', { outOfScope: true })]),
    undefined,
    first,
  ).items;
  expect([...first, ...second].map(({ id }) => id)).toEqual(['FINDING_1', 'OOS_1', 'FINDING_2', 'OOS_2']);
});
