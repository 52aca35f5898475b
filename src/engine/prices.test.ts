import { expect, test } from 'vitest';
import { costOf, priceOf } from './ledger.ts';

const usage = {
  basis: 'measured' as const,
  inputTokens: 1_000_000,
  cachedInputTokens: 400_000,
  outputTokens: 100_000,
};

test('a model is priced by the longest name it begins with, and only at a boundary', () => {
  expect(priceOf('gpt-5-mini-2025-08-07')).toEqual(priceOf('gpt-5-mini'));
  expect(priceOf('gpt-5')).not.toEqual(priceOf('gpt-5-mini'));
  expect(priceOf('gpt-55')).toBeUndefined();
});

test('what the agent says wins, then the price list as an estimate, then unknown', () => {
  expect(costOf({ ...usage, usd: 2 }, 'gpt-5')).toEqual({ usd: 2, basis: 'measured' });
  expect(costOf(usage, 'mine', { mine: { input: 1, cachedInput: 0.5, output: 10 } })).toEqual({
    usd: 0.6 + 0.2 + 1,
    basis: 'estimated',
  });
  expect(costOf(usage, 'unknown-model')).toEqual({ basis: 'unknown' });
  expect(costOf({ ...usage, basis: 'unknown' }, 'gpt-5')).toEqual({ basis: 'unknown' });
});
