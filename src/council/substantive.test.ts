import { expect, test } from 'vitest';
import { checkSketchText, checkSubstantive, countWords } from './call/judgement.ts';

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');

test('L-370 F-05 rejects banners and short or groundless texts', () => {
  expect(checkSubstantive('Authentication required. Please run login.', 'validation').ok).toBe(false);
  expect(checkSubstantive(words(199).concat(' src/a.ts'), 'research')).toEqual({ ok: true });
  expect(checkSubstantive(words(198), 'research')).toEqual({
    ok: false,
    reason: '198 words, at least 200 are needed',
  });
  expect(checkSubstantive(words(300), 'research')).toEqual({
    ok: false,
    reason: 'no file, code or address is named',
  });
  expect(checkSubstantive(`${words(30)} see src/lock.ts:4`, 'validation')).toEqual({ ok: true });
  expect(checkSubstantive(`${words(30)}\n\`\`\`\nlet x = 1\n\`\`\``, 'validation')).toEqual({ ok: true });
  expect(checkSubstantive(`${words(30)} https://example.com/a`, 'validation')).toEqual({ ok: true });
});

test('L-370 words inside code do not count', () => {
  expect(checkSubstantive(`src/a.ts:1\n\`\`\`\n${words(500)}\n\`\`\``, 'validation').ok).toBe(false);
});

test('L-370 NO_ISSUES_FOUND is an answer of a review, nowhere else', () => {
  expect(checkSubstantive('\n**NO_ISSUES_FOUND**\n', 'validation').ok).toBe(true);
  expect(checkSubstantive('NO_ISSUES_FOUND', 'research').ok).toBe(false);
  expect(checkSubstantive('Well, NO_ISSUES_FOUND', 'validation').ok).toBe(false);
});

test('F-06 a banner with a stray dot is not provenance', () => {
  expect(checkSubstantive(`${words(40)} the spin.lock and file.mdjunk:42`, 'validation').ok).toBe(false);
});

test('L-373 a sketch is a paragraph', () => {
  expect(checkSketchText(`${words(80)}.`)).toEqual({ ok: true });
  expect(checkSketchText(words(90))).toEqual({ ok: false, reason: 'no sentence ends' });
  expect(checkSketchText(`${words(79)}.`).ok).toBe(false);
});

test('answers in scripts without spaces count their words', () => {
  expect(countWords('我们应该把锁放在存储层。')).toBeGreaterThan(4);
});
