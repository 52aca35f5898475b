import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Account, withinCallSlots } from './accounts.ts';
import { claude } from './drivers/claude.ts';
import { gemini } from './drivers/gemini.ts';
import { type LaneResult, unknownUsage } from './port.ts';
import type { AgentSettings } from './settings.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'charrette-account-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const minute = 60_000;
const now = Date.parse('2026-11-19T12:00:00Z');
const world = (environment: Record<string, string> = {}) =>
  ({
    ...{ environment, home, platform: 'linux', architecture: 'x64' },
    jail: 'off' as const,
  }) as ConstructorParameters<typeof Account>[2];
const account = (settings: Partial<AgentSettings> = {}, environment = {}, driver = claude) =>
  new Account(driver, { id: 'claude', protocol: 'claude', ...settings }, world(environment));
const result = (kind: LaneResult['kind'], limit?: LaneResult['limit']): LaneResult => ({
  ...{ kind, text: '', message: 'You have hit your limit', usage: unknownUsage, toolCalls: 0, durationMs: 1 },
  ...(limit === undefined ? {} : { limit }),
});

test('Q-010 Q-011 Q-012: after one refusal no process calls the account again before its reset', () => {
  expect(account().refusal(now)).toBeUndefined();
  account().note(result('quota', { resetsAt: now + 60 * minute, window: 'five_hour' }), now);
  // Another process reads the same file.
  expect(account().refusal(now + 59 * minute)).toMatchObject({
    resetsAt: now + 60 * minute,
    message: expect.stringContaining('five_hour'),
  });
  const folder = path.join(home, '.local', 'state', 'charrette', 'accounts');
  const [file = ''] = readdirSync(folder);
  expect(statSync(path.join(folder, file)).mode & 0o077).toBe(0);
});

test('Q-013: past the reset one call goes ahead, and the others wait for what it finds', () => {
  account().note(result('quota', { resetsAt: now + minute }), now);
  const later = now + 3 * minute;
  expect(account().refusal(later)).toBeUndefined();
  expect(account().refusal(later)?.message).toContain('another call checks');
  account().note(result('ok'), later);
  expect(account().refusal(later)).toBeUndefined();
  expect(account().read()).toBeUndefined();
});

test('Q-013: where the reset is unknown the waits are 15, 30, 60 minutes, then an hour', () => {
  let time = now;
  for (const minutes of [15, 30, 60, 60]) {
    account().note(result('quota'), time);
    expect(account().refusal(time + minutes * minute - 1)).toBeDefined();
    time += minutes * minute;
    expect(account().refusal(time)).toBeUndefined();
  }
});

test('a call that was to find out and failed in another way lets the next one try', () => {
  account().note(result('quota', { resetsAt: now }), now);
  const later = now + minute;
  expect(account().refusal(later)).toBeUndefined();
  account().note(result('network'), later);
  expect(account().refusal(later)).toBeUndefined();
});

test('Q-010: agents share an account by login or by name, and another login is another account', () => {
  account().note(result('quota', { resetsAt: now + minute }), now);
  expect(account({ id: 'second', model: 'haiku' }).refusal(now)).toBeDefined();
  expect(account({}, { ANTHROPIC_API_KEY: 'other' }).refusal(now)).toBeUndefined();
  account({ account: 'team' }, { ANTHROPIC_API_KEY: 'a' }).note(result('quota'), now);
  expect(account({ account: 'team' }, { ANTHROPIC_API_KEY: 'b' }).refusal(now)).toBeDefined();
});

test('Q-010: where the provider counts models apart, each has its own limit', () => {
  account({ protocol: 'gemini', model: 'pro' }, {}, gemini as typeof claude).note(result('quota'), now);
  expect(
    account({ protocol: 'gemini', model: 'flash' }, {}, gemini as typeof claude).refusal(now),
  ).toBeUndefined();
});

test('Q-012: a damaged file counts as none', () => {
  account().note(result('quota'), now);
  const folder = path.join(home, '.local', 'state', 'charrette', 'accounts');
  for (const file of readdirSync(folder)) writeFileSync(path.join(folder, file), '{"opened": "x"');
  expect(account().refusal(now)).toBeUndefined();
});

test('Q-050: figures of served calls and the mark of a used-up account are shown without a call', () => {
  expect(account().state(now)).toEqual({});
  account().note(result('ok', { usedShare: 0.81, window: 'seven_day' }), now);
  const reading = { time: new Date(now).toISOString(), usedShare: 0.81, window: 'seven_day' };
  expect(account().state(now)).toEqual({ reading });
  account().note(result('quota', { resetsAt: now + 60 * minute, window: 'five_hour' }), now);
  expect(account().state(now)).toMatchObject({
    usedUp: { isKnown: true, isOver: false, window: 'five_hour', until: '2026-11-19T13:00:30.000Z' },
    reading,
  });
  expect(account().state(now + 61 * minute).usedUp?.isOver).toBe(true);
  account().clear();
  expect(account().state(now)).toEqual({ reading });
});

test('Q-043: calls of an agent hold at most its places on the machine, and a stop leaves the line', async () => {
  const settings = { id: 'claude', protocol: 'claude', parallel: 2 } as const;
  const { signal } = new AbortController();
  let [running, most] = [0, 0];
  const body = async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(50);
    running -= 1;
  };
  const within = (each: AgentSettings) => withinCallSlots(each, world(), signal, body);
  const variant = { ...settings, id: 'claude-opus', variantOf: 'claude' };
  await Promise.all([settings, variant, settings, variant, settings].map(within));
  expect(most).toBe(2);
  const stopped = AbortSignal.timeout(30);
  const waiting = withinCallSlots({ ...settings, parallel: 1 }, world(), signal, () =>
    withinCallSlots({ ...settings, parallel: 1 }, world(), stopped, body),
  );
  await expect(waiting).rejects.toThrow();
});
