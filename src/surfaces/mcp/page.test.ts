import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageOf } from './pages.ts';

test('pages put together are the text again, and no page tears a character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.integer({ min: 1, max: 7 }),
      (whole, limit) => {
        let read = '';
        for (let offset: number | undefined = 0; offset !== undefined; ) {
          const page = pageOf(whole, { offset, limit });
          expect(page.total).toBe(whole.length);
          expect(page.text.isWellFormed()).toBe(true);
          read += page.text;
          offset = page.next;
        }
        expect(read).toBe(whole);
      },
    ),
  );
});

test('a page behind the end is empty and the last one', () => {
  expect(pageOf('abc', { offset: 99, limit: 10 })).toEqual({ text: '', offset: 3, total: 3 });
});
