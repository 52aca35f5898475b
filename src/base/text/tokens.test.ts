import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTokens, estimateTenths, loadExactCounter, quarterTokens } from './tokens.ts';

test('M-031: a quarter of the characters, rounded up, times 1.10', () => {
  expect([0, 5, 200].map(quarterTokens)).toEqual([0, 2, 50]);
  expect([0, 5, 200].map(estimateTenths)).toEqual([0, 22, 550]);
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
