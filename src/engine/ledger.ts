import { type Usage, unknownUsage } from '../base/schema/calls.ts';
import { AppendLog, readLog } from './append-log.ts';
import { isAmount, isText, isTime, isUsage, orMissing } from './shapes.ts';

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
