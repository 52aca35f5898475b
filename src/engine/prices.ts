import type { Usage } from '../base/schema/calls.ts';

/** US dollars per million tokens. */
export type Price = { input: number; cachedInput: number; output: number };

/**
 * List prices that the vendors published, as of the date. They change and contracts differ: a project sets its own under
 * `prices` in the configuration, and every figure made from them is an estimate.
 */
export const listPrices: { asOf: string; models: Readonly<Record<string, Price>> } = {
  asOf: '2025-11',
  models: {
    'claude-opus-4': { input: 15, cachedInput: 1.5, output: 75 },
    'claude-sonnet-4': { input: 3, cachedInput: 0.3, output: 15 },
    'claude-haiku-4-5': { input: 1, cachedInput: 0.1, output: 5 },
    'gpt-5': { input: 1.25, cachedInput: 0.125, output: 10 },
    'gpt-5-mini': { input: 0.25, cachedInput: 0.025, output: 2 },
    'gemini-2.5-pro': { input: 1.25, cachedInput: 0.31, output: 10 },
    'gemini-2.5-flash': { input: 0.3, cachedInput: 0.075, output: 2.5 },
  },
};

/** The price of the longest name that the model's name begins with; `undefined` when none does. */
export function priceOf(
  model: string | undefined,
  own: Readonly<Record<string, Price>> = {},
): Price | undefined {
  if (model === undefined) return undefined;
  const table = { ...listPrices.models, ...own };
  const [name] = Object.keys(table)
    .filter((candidate) => model === candidate || model.startsWith(`${candidate}-`))
    .sort((a, b) => b.length - a.length);
  return name === undefined ? undefined : table[name];
}

export type Cost = { usd: number; basis: 'measured' | 'estimated' } | { basis: 'unknown' };

/** What a call cost: as the agent said, as the price list makes it, or nobody knows. */
export function costOf(usage: Usage, model: string | undefined, own?: Readonly<Record<string, Price>>): Cost {
  if (usage.usd !== undefined) return { usd: usage.usd, basis: 'measured' };
  const price = priceOf(model, own);
  if (price === undefined || usage.basis === 'unknown') return { basis: 'unknown' };
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  const fresh = Math.max(0, inputTokens - cachedInputTokens);
  const usd =
    (fresh * price.input + cachedInputTokens * price.cachedInput + outputTokens * price.output) / 1_000_000;
  return { usd, basis: 'estimated' };
}
