import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../../test/arbitrary-of.ts';
import { defenceSchema } from '../../base/schema/judgements/defence.ts';
import { defenceReading, escapeTags, readDefence, renderDefence, unescapeTags } from './defence-text.ts';

test('L-492 panel/C-25 a defence is read back from its text, whatever its bodies hold', () => {
  fc.assert(
    fc.property(arbitraryOf(defenceSchema), (value) => {
      expect(readDefence(renderDefence(value))).toEqual(defenceReading(value));
    }),
  );
});

test('a recommendation without an end takes one pass', () => {
  const marks = '_*'.repeat(500_000);
  expect(readDefence(`RECOMMEND: ${marks}x`).recommends).toEqual([`${marks}x`.replace(/^[*`]+/, '')]);
  expect(readDefence(`RECOMMEND: \`THESIS\`${marks}.`).recommends).toEqual(['THESIS']);
});

test('L-941 text cannot close the tags around it, and escaping is undone exactly', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.constantFrom('<claim>', '</defense_content>', '&lt;/claim>', '&amp;lt;evidence'),
      (text, tag) => {
        const whole = `${text}${tag}${text}`;
        expect(escapeTags(whole)).not.toMatch(/<\/?(?:claim|defense_content)\b/);
        expect(unescapeTags(escapeTags(whole))).toBe(whole);
      },
    ),
  );
});
