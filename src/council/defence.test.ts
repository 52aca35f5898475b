import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../test/arbitrary-of.ts';
import { antithesis, defence, reading } from '../../test/dialectic-fixtures.ts';
import { defenceSchema } from '../base/schema/judgements/debate.ts';
import {
  checkEligibility,
  checkSide,
  debateLaneWarning,
  defenceReading,
  escapeTags,
  quorumWarning,
  readDefence,
  renderDefence,
  unescapeTags,
} from './defence.ts';

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

test('L-501 two complete defences are eligible', () => {
  expect(checkEligibility({ thesis: reading(), antithesis })).toMatchObject({ eligible: true, warnings: [] });
});

test('F-15 L-500 a one-sided debate never goes to the judges', () => {
  expect(checkEligibility({ thesis: reading(), antithesis: undefined })).toMatchObject({
    eligible: false,
    reason: 'no_output',
    side: 'ANTI_THESIS',
  });
});

const text = renderDefence(defence);
test.each([
  ['substantive_empty', ''],
  [
    'substantive_empty',
    text.replace('The store must own the lock. It is the only writer. A third sentence.', 'Yes.'),
  ],
  ['missing_tag', text.replace(/<\/?risk_if_wrong>/g, '')],
  ['missing_tag', 'I think the store is better, really.'],
  ['missing_tag', text.replace(/<claim>[\s\S]*/, '')],
  ['bad_recommend', text.replace(/RECOMMEND.*/, '')],
  ['bad_recommend', `${text}RECOMMEND: ANTI_THESIS`],
  ['bad_recommend', text.replace('RECOMMEND: THESIS', 'RECOMMEND: ANTITHESIS')],
  ['role_mismatch', text.replace('RECOMMEND: THESIS', 'RECOMMEND: ANTI_THESIS')],
  ['missing_citation', text.replace('src/store.ts:12', 'the store')],
])('L-501 F-17 %s', (reason, answer) => {
  expect(checkSide(readDefence(answer), 'THESIS')?.reason).toBe(reason);
});

test('L-495 L-503 failed sides and debates are named', () => {
  expect(debateLaneWarning('Codex', 2, 'antithesis', 'timed out after 30m')).toBe(
    '**⚠ Codex dialectic debate (decision 2, antithesis) failed: timed out after 30m. Bucket truncated; synthesis decision stands.**',
  );
  expect(debateLaneWarning('Codex', 2, 'thesis', 'It failed.')).toContain('failed: It failed. Bucket');
  expect(quorumWarning(3, 'missing_tag')).toBe(
    '**⚠ Debate for DECISION_3 failed quorum (reason: missing_tag). Fallback to synthesis.**',
  );
});

test('L-502 a bold RECOMMEND line in any case, narration and no trailing newline are fine', () => {
  const answer = `Sure, here it is:\n${text.replace('RECOMMEND: THESIS\n', '**recommend: thesis**')}`;
  expect(checkSide(readDefence(answer), 'THESIS')).toBeUndefined();
});

test('panel/C-25 five tags are accepted only when asked for, with a warning', () => {
  const five = readDefence(text.replace(/<steelman>[\s\S]*<\/steelman>/, ''));
  expect(checkSide(five, 'THESIS')?.reason).toBe('missing_tag');
  const lenient = checkEligibility({ thesis: five, antithesis }, { acceptFiveTags: true });
  expect(lenient).toMatchObject({ eligible: true, warnings: [expect.stringContaining('five tags')] });
});
