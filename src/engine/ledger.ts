import { isAmount, isText, isTime, orMissing } from '../base/safe-json.ts';
import { type Usage, unknownUsage } from '../base/schema/calls.ts';
import { counted } from '../base/text/strings.ts';
import { AppendLog, readLog } from './event-log.ts';
import { isUsage } from './event-reading.ts';

/** ledger.jsonl: what one agent call used, and how far the number can be trusted. */
export type LedgerEntry = {
  v: 1;
  id: string;
  time: string;
  phase: string;
  task: string;
  seat: string;
  agent: string;
  family: string;
  model?: string;
  usage: Usage;
  durationMs: number;
};

export type LedgerTotals = {
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** Money of the calls that have a figure. */
  usd: number;
  /** Number of calls per basis. */
  basis: Record<Usage['basis'], number>;
  callsWithoutPrice: number;
};

export class Ledger {
  readonly #log: AppendLog<LedgerEntry>;

  constructor(file: string) {
    this.#log = new AppendLog(file);
  }

  add(entry: LedgerEntry): void {
    this.#log.append(entry);
  }

  /** Adds what a stopped call had used. The call that replaces it is counted, too, so each has a separate id. */
  addStopped(entry: LedgerEntry): void {
    if (entry.usage.basis === 'unknown') return;
    this.#log.append({ ...entry, id: `${entry.id}-stopped-${entry.time}` });
  }

  get entries(): Iterable<LedgerEntry> {
    return Array.from(this.#log.entries, entryOf);
  }

  close(): void {
    this.#log.close();
  }
}

export function readLedger(file: string): LedgerEntry[] {
  return readLog<LedgerEntry>(file).map(entryOf);
}

const isModel = orMissing(isText);

/** An invalid entry, as an untrusted file may have one, still counts as a call with unknown usage. */
function entryOf(entry: LedgerEntry): LedgerEntry {
  const { v, id, time, phase, task, seat, agent, family, model, usage, durationMs } = entry;
  const names = { phase, task, seat, agent, family };
  const isEntry =
    Object.values(names).every(isText) &&
    isTime(time) &&
    isModel(model) &&
    isUsage(usage) &&
    isAmount(durationMs);
  if (isEntry) return entry;
  const known = Object.fromEntries(Object.entries(names).filter(([, name]) => isText(name)));
  return { ...nameless, v, id, ...known, ...(isTime(time) && { time }) };
}

const nameless: LedgerEntry = {
  v: 1,
  id: '',
  time: new Date(0).toISOString(),
  phase: '?',
  task: '?',
  seat: '?',
  agent: '?',
  family: '?',
  usage: unknownUsage,
  durationMs: 0,
};

export function totalsOf(entries: Iterable<LedgerEntry>): LedgerTotals {
  const totals: LedgerTotals = {
    calls: 0,
    inputTokens: 0,
    outputTokens: 0,
    usd: 0,
    basis: { measured: 0, estimated: 0, unknown: 0 },
    callsWithoutPrice: 0,
  };
  for (const { usage } of entries) {
    totals.calls += 1;
    totals.inputTokens += usage.inputTokens;
    totals.outputTokens += usage.outputTokens;
    totals.usd += usage.usd ?? 0;
    totals.basis[usage.basis] += 1;
    if (usage.usd === undefined) totals.callsWithoutPrice += 1;
  }
  return totals;
}

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
