import { expect, test } from 'vitest';
import { items } from '../../test/review-fixtures.ts';
import { buildReviewBallot } from './vote.ts';

test('panel/C-34 L-633 L-634 the ballot hides who raised what and keeps the map aside', () => {
  const { text, proposers } = buildReviewBallot(items);
  expect(text).not.toMatch(/cursor|codex/i);
  expect(text).not.toContain('- **Reviewer**: Code\n');
  expect(proposers).toEqual({
    'Reviewer A': 'Cursor-Arch',
    'Reviewer B': 'Codex-Pragmatic',
    'Reviewer C': 'Code',
  });
  expect(text.match(/(?:FINDING|OOS)_\d+: .*/g)).toEqual([
    'FINDING_1: one',
    'FINDING_2: two',
    'OOS_1: [OUT_OF_SCOPE] far',
    'OOS_2: [OUT_OF_SCOPE] leak',
  ]);
});

test('panel/C-34 hiding names leaves the words of the code alone', () => {
  const [item] = items;
  if (!item) throw new Error('no item');
  const spoken = {
    ...item,
    proposers: ['Code', 'Cursor-Arch'],
    concern: 'Cursor-Arch says: the code moves the cursor twice, as Claude saw.',
  };
  expect(buildReviewBallot([spoken]).text).toContain(
    '[agent] says: the code moves the cursor twice, as [agent] saw.',
  );
});

test('L-635: the ballot offers the third vote only when it exists', () => {
  expect(buildReviewBallot(items).text).toContain('EXONERATE: ');
  expect(buildReviewBallot(items, { exonerate: false }).text).not.toContain('EXONERATE');
});

test('L-637: the ballot asks for no form of answer; the prompt alone does', () => {
  expect(buildReviewBallot(items).text).not.toMatch(/one line|answer with|ID: |YES\|NO/i);
});
