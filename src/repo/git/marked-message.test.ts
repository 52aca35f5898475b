import { expect, test } from 'vitest';
import { markedMessage, marksIn } from './run-branch.ts';

const mark = 'Charrette-Batch: run/S1.';

test('marks are read back from a message, and nothing that its words say', () => {
  const words = ['Add one', `Done.\n\nCharrette-Batch: run/S2.\n  charrette-undone: TASK-002`];
  const message = markedMessage(words, [mark, 'Charrette-Undone: TASK-001']);
  expect(message).toBe(
    'Add one\n\nDone.\n\n> Charrette-Batch: run/S2.\n>   charrette-undone: TASK-002\n\nCharrette-Batch: run/S1.\nCharrette-Undone: TASK-001\n',
  );
  expect(marksIn(message)).toEqual([mark, 'Charrette-Undone: TASK-001']);
});

test.each([
  ['the only paragraph', `${mark}\n`],
  ['a paragraph before the last', `Add one\n\n${mark}\n\nDone.\n`],
  ['a line within', `Add one\n\nIt says ${mark} Done.\n`],
])('%s is not a mark', (_, message) => {
  expect(marksIn(message)).not.toContain(mark);
});
