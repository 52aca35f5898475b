import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  costsBy,
  describeTokens,
  Ledger,
  type LedgerEntry,
  readLedger,
  spentOf,
  uncounted,
} from './ledger.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'charrette-ledger-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entry: LedgerEntry = {
  v: 1,
  id: 'sketch-a-1',
  time: '2026-01-01T00:00:00.000Z',
  phase: '2a',
  task: 'sketch',
  seat: 'a',
  agent: 'codex',
  family: 'codex',
  model: 'gpt-5',
  usage: { basis: 'measured', inputTokens: 8_000_000, cachedInputTokens: 0, outputTokens: 1_000_000 },
  durationMs: 1,
};
const unknown = { ...entry.usage, basis: 'unknown' as const };

test('L-884: what agents do not report in money is counted at the price of their model', () => {
  const spent = spentOf([entry, { ...entry, usage: { ...entry.usage, usd: 0.5 } }]);
  expect(spent).toEqual({ tokens: 18_000_000, usd: 20.5, callsWithoutPrice: 0 });
  expect(uncounted(spent)).toBeUndefined();
  const own = { 'gpt-5': { input: 1, cachedInput: 0, output: 1 } };
  expect(spentOf([entry], own).usd).toBe(9);
});

test('L-884: calls that no limit on money can count are named', () => {
  const { model: _, ...nameless } = entry;
  const spent = spentOf([entry, nameless, { ...entry, usage: unknown }]);
  expect(spent).toMatchObject({ usd: 20, callsWithoutPrice: 2 });
  expect(uncounted(spent)).toContain('cannot count 2 calls');
  expect(spentOf([])).toEqual({ tokens: 0, usd: 0, callsWithoutPrice: 0 });
});

test('unknown tokens are never shown as zero', () => {
  const nothing = { ...unknown, inputTokens: 0, outputTokens: 0 };
  const shown = (...usages: LedgerEntry['usage'][]) =>
    costsBy(
      usages.map((usage) => ({ ...entry, usage })),
      () => 'all',
    ).map((row) => describeTokens(row.inputTokens + row.outputTokens, row));
  expect(shown(nothing, nothing)).toEqual(['?']);
  expect(shown(nothing, entry.usage)).toEqual(['9000000+?']);
  expect(shown(entry.usage)).toEqual(['9000000']);
});

test('counts a stopped call and its replacement, each once', () => {
  const file = path.join(folder, 'ledger.jsonl');
  const ledger = new Ledger(file);
  ledger.addStopped(entry);
  ledger.addStopped(entry);
  ledger.addStopped({ ...entry, usage: unknown, time: '2026-01-01T00:00:01.000Z' });
  ledger.addStopped({ ...entry, time: '2026-01-01T00:00:02.000Z' });
  ledger.add(entry);
  ledger.add(entry);
  ledger.close();
  expect(readLedger(file).map(({ id }) => id)).toEqual([
    'sketch-a-1-stopped-2026-01-01T00:00:00.000Z',
    'sketch-a-1-stopped-2026-01-01T00:00:02.000Z',
    'sketch-a-1',
  ]);
});
