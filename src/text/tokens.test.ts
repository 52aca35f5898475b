import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countTokens,
  estimatePadded,
  estimateTenths,
  estimateTokens,
  exceedsBudget,
  loadExactCounter,
  quarterTokens,
} from './tokens.ts';

test('M-031: a quarter of the characters, rounded up, times 1.10', () => {
  expect(estimatePadded('x'.repeat(200))).toEqual({ rule: 'characters/4*1.1', characters: 200, tokens: 55 });
  expect(estimateTokens('abcde')).toEqual({ rule: 'characters/4', characters: 5, tokens: 2 });
  expect(estimateTokens('')).toMatchObject({ tokens: 0 });
});

test.each([50, 100, 110, 170])('A-01, A-03: %d quarters fit exactly into their own estimate', (quarters) => {
  expect(exceedsBudget(quarters, (11 * quarters) / 10)).toBe(false);
  expect(exceedsBudget(quarters + 1, (11 * quarters) / 10)).toBe(true);
});

test('A-01: 18181 quarters are the most that a budget of 20000 holds', () => {
  expect(exceedsBudget(18_181, 20_000)).toBe(false);
  expect(exceedsBudget(18_182, 20_000)).toBe(true);
  expect(estimateTenths(72_724)).toBe(11 * 18_181);
});

test('estimates grow with the text and never undercount by a quarter', () => {
  fc.assert(
    fc.property(fc.nat(1e9), (characters) => {
      expect(quarterTokens(characters) * 4).toBeGreaterThanOrEqual(characters);
      expect((quarterTokens(characters) - 1) * 4).toBeLessThan(Math.max(1, characters));
    }),
  );
});

test('the exact rule counts with o200k and says so', async () => {
  expect(await countTokens('hello world')).toEqual({ rule: 'o200k', characters: 11, tokens: 2 });
});

test('text that looks like a control token is counted as text', async () => {
  expect((await countTokens('<|endoftext|>')).tokens).toBeGreaterThan(1);
});

test('long runs are counted in parts and stay close', async () => {
  const count = await loadExactCounter();
  expect(count('😀'.repeat(3_000))).toBeGreaterThan(1_000);
  expect(Math.abs(count('a'.repeat(8_000)) - 1_000)).toBeLessThanOrEqual(10);
});
