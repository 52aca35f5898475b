import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { unknownUsage } from '../agents/port.ts';
import type { LedgerEntry } from '../engine/ledger.ts';
import { describeSpent, totalUsage } from './permission.ts';

const entry: LedgerEntry = {
  v: 1,
  id: 'plan-1',
  time: '2026-01-01T00:00:00.000Z',
  phase: '2b',
  task: 'plan',
  seat: 'author',
  agent: 'mine',
  family: 'mine',
  usage: unknownUsage,
  durationMs: 1,
};

test('L-884: a call whose agent reports no usage counts with what was sent and answered', () => {
  const lanes = mkdtempSync(path.join(tmpdir(), 'charrette-spent-'));
  mkdirSync(path.join(lanes, 'plan-1'));
  writeFileSync(path.join(lanes, 'plan-1', 'prompt.md'), 'x'.repeat(4000));
  writeFileSync(path.join(lanes, 'plan-1', 'answer.txt'), 'x'.repeat(400));
  const measured = { ...entry, usage: { ...unknownUsage, basis: 'measured' as const, inputTokens: 10 } };
  const roster = [{ id: 'mine', protocol: 'exec' as const, model: 'house-model' }];
  const prices = { 'house-model': { input: 10, cachedInput: 10, output: 100 } };
  const spent = totalUsage([{ lanes, entries: [entry, measured] }], { prices, roster: [] });
  expect(spent).toEqual({ tokens: 1110, usd: 0, callsWithoutPrice: 2, estimated: true });
  expect(describeSpent(spent)).toBe('about 1110 tokens, $?');
  expect(describeSpent({ ...spent, usd: 0.04 })).toBe('about 1110 tokens, $0.04+?');
  expect(describeSpent({ ...spent, callsWithoutPrice: 0, estimated: false })).toBe('1110 tokens, $0.00');
  // The price of the model that the configuration names counts as well.
  expect(totalUsage([{ lanes, entries: [entry] }], { prices, roster })).toMatchObject({
    usd: 0.02,
    callsWithoutPrice: 0,
  });
  expect(totalUsage([{ lanes, entries: [measured] }], { prices, roster })).toMatchObject({
    tokens: 10,
    estimated: false,
  });
});
