import type { Usage } from '../base/schema/calls.ts';
import { counted } from '../base/text/format.ts';
import type { LedgerEntry } from './ledger.ts';

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

type Cost = { usd: number; basis: 'measured' | 'estimated' } | { basis: 'unknown' };

/** The cost of a call: as the agent reported it, as the price list estimates it, or unknown. */
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

/** One row of a cost table; the three parts of `usd` are kept apart, and calls without a price are counted. */
export type CostRow = {
  name: string;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** Calls that did not report tokens. */
  callsWithoutTokens: number;
  usdMeasured: number;
  usdEstimated: number;
  callsWithoutPrice: number;
};

/** Costs by any property of a call: its phase, its seat, its agent. */
export function costsBy(
  entries: readonly LedgerEntry[],
  key: (entry: LedgerEntry) => string,
  prices?: Readonly<Record<string, Price>>,
): CostRow[] {
  const rows = new Map<string, CostRow>();
  for (const entry of entries) {
    const name = key(entry);
    const row = rows.get(name) ?? emptyRow(name);
    const cost = costOf(entry.usage, entry.model, prices);
    row.calls += 1;
    row.inputTokens += entry.usage.inputTokens;
    row.outputTokens += entry.usage.outputTokens;
    if (entry.usage.basis === 'unknown') row.callsWithoutTokens += 1;
    if (cost.basis === 'measured') row.usdMeasured += cost.usd;
    else if (cost.basis === 'estimated') row.usdEstimated += cost.usd;
    else row.callsWithoutPrice += 1;
    rows.set(name, row);
  }
  return [...rows.values()];
}

/** What a limit on a run is held against. */
export type Spent = {
  tokens: number;
  /** As agents report it, else at the price of their model. */
  usd: number;
  /** Calls that `usd` knows nothing of. */
  callsWithoutPrice: number;
};

export function spentOf(entries: Iterable<LedgerEntry>, prices?: Readonly<Record<string, Price>>): Spent {
  const [all = emptyRow('all')] = costsBy([...entries], () => 'all', prices);
  return {
    tokens: all.inputTokens + all.outputTokens,
    usd: all.usdMeasured + all.usdEstimated,
    callsWithoutPrice: all.callsWithoutPrice,
  };
}

/** Why a limit on money does not hold for all that was spent; absent when it does. */
export function uncounted({ callsWithoutPrice }: Spent): string | undefined {
  if (callsWithoutPrice === 0) return undefined;
  const calls = counted(callsWithoutPrice, 'call');
  return `The limit on money cannot count ${calls} so far: no agent and no price says what they cost. Set \`prices\` for their models, or limit tokens.`;
}

export function emptyRow(name: string): CostRow {
  return {
    name,
    calls: 0,
    inputTokens: 0,
    outputTokens: 0,
    callsWithoutTokens: 0,
    usdMeasured: 0,
    usdEstimated: 0,
    callsWithoutPrice: 0,
  };
}

/** What each of so many accepted findings cost: the whole run divided by them. */
export function perAcceptedFinding(total: CostRow, accepted: number): CostRow {
  const share = (value: number) => Math.round(value / accepted);
  return {
    name: 'accepted finding',
    calls: share(total.calls),
    inputTokens: share(total.inputTokens),
    outputTokens: share(total.outputTokens),
    callsWithoutTokens: share(total.callsWithoutTokens),
    usdMeasured: total.usdMeasured / accepted,
    usdEstimated: total.usdEstimated / accepted,
    callsWithoutPrice: share(total.callsWithoutPrice),
  };
}

/** Tokens of a row as text: `?` when all are unknown, `1200+?` when some are. */
export function describeTokens(tokens: number, { calls, callsWithoutTokens }: CostRow): string {
  if (callsWithoutTokens > 0) return callsWithoutTokens === calls ? '?' : `${tokens}+?`;
  return String(tokens);
}

/** Money as text: measured, estimated, unknown. */
export function describeMoney({ usdMeasured, usdEstimated, callsWithoutPrice }: CostRow): string {
  const parts = [
    ...(usdMeasured > 0 ? [`$${usdMeasured.toFixed(4)} measured`] : []),
    ...(usdEstimated > 0 ? [`$${usdEstimated.toFixed(4)} estimated`] : []),
    ...(callsWithoutPrice > 0 ? [`${callsWithoutPrice} unknown`] : []),
  ];
  return parts.join(', ') || '$0';
}
