import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Account, refusalOf, withinCallSlots } from './accounts.ts';
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

test('Q-013: a call that finds another one checking waits for it, and goes ahead when the limit has reset', async () => {
  const { signal } = new AbortController();
  account().note(result('quota', { resetsAt: Date.now() - minute }), Date.now() - 20 * minute);
  const checking = account();
  expect(await refusalOf(checking, signal)).toBeUndefined();
  const waiting = refusalOf(account(), signal);
  checking.note(result('ok'), Date.now());
  expect(await waiting).toBeUndefined();
});

test('Q-013: where the reset is unknown the waits are 15, 30, 60 minutes, then an hour', () => {
  let time = now;
  const calling = account();
  for (const minutes of [15, 30, 60, 60]) {
    calling.note(result('quota'), time);
    expect(account().refusal(time + minutes * minute - 1)).toBeDefined();
    time += minutes * minute;
    expect(calling.refusal(time)).toBeUndefined();
  }
});

test('a call that was to find out and failed in another way lets the next one try', () => {
  account().note(result('quota', { resetsAt: now + 1 }), now);
  const later = now + minute;
  const probing = account();
  expect(probing.refusal(later)).toBeUndefined();
  probing.note(result('network'), later);
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

test('Q-011 Q-061: processes share what is known, and past the reset one of those that ask together goes ahead', async () => {
  account().note(result('quota', { resetsAt: now + minute }), now);
  const script = (time: number) => `
    const { Account } = await import(${JSON.stringify(path.join(import.meta.dirname, 'accounts.ts'))});
    const { claude } = await import(${JSON.stringify(path.join(import.meta.dirname, 'drivers/claude.ts'))});
    const world = ${JSON.stringify(world())};
    const account = new Account(claude, { id: 'claude', protocol: 'claude' }, world);
    process.stdout.write(account.refusal(${time}) === undefined ? 'calls' : 'waits');`;
  const ask = async (time: number) =>
    (await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script(time)])).stdout;
  const together = (time: number) => Promise.all(Array.from({ length: 3 }, () => ask(time)));
  expect(await together(now + minute)).toEqual(['waits', 'waits', 'waits']);
  expect((await together(now + 3 * minute)).toSorted()).toEqual(['calls', 'waits', 'waits']);
}, 60_000);

test('Q-061: a reset that has passed already is unknown, and asking when to call claims nothing', () => {
  account().note(result('quota', { resetsAt: now - 60 * minute }), now);
  expect(account().openUntil(now)).toBe(now + 15 * minute);
  expect(account().openUntil(now + 15 * minute)).toBeUndefined();
  expect(account().refusal(now + 15 * minute)).toBeUndefined();
});

test('Q-061: when the clock jumps, a named reset holds and an unknown one is asked about again', () => {
  const day = 24 * 60 * minute;
  account().note(result('quota', { resetsAt: now + 60 * minute }), now);
  expect(account().openUntil(now - day)).toBe(now + 60 * minute + 30_000);
  expect(account().openUntil(now + day)).toBeUndefined();
  account().clear();
  account().note(result('quota'), now);
  expect(account().refusal(now - 1000)).toBeDefined();
  const probing = account();
  expect(probing.refusal(now - day)).toBeUndefined();
  probing.note(result('quota'), now - day);
  expect(account().openUntil(now - day)).toBe(now - day + 30 * minute);
});

test('Q-061: calls on a used-up account are those that find out, one at a time, whatever else ends meanwhile', () => {
  const step = fc.oneof(
    fc.record({ passes: fc.constantFrom(minute, 20 * minute, 100 * minute) }),
    fc.record({
      ends: fc.nat(5),
      kind: fc.constantFrom('ok', 'quota', 'network', 'cancelled'),
      in: fc.nat(90),
    }),
    fc.constant('begins' as const),
    fc.constant('begins' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 80 }), (steps) => {
      account().clear();
      let time = now;
      /** `open`: until then no call may begin; `tries`: refusals in a row. */
      let model: { open: number; tries: number } | undefined;
      const running: { account: Account; probes: boolean }[] = [];
      for (const each of steps) {
        if (each === 'begins') {
          const next = account();
          const goes = next.refusal(time) === undefined;
          const mayGo = model === undefined || (time >= model.open && !running.some(({ probes }) => probes));
          expect(goes).toBe(mayGo);
          if (goes) running.push({ account: next, probes: model !== undefined });
        } else if ('passes' in each) time += each.passes;
        else {
          const [ended] = running.splice(each.ends % Math.max(1, running.length), 1);
          if (ended === undefined) continue;
          const resetsAt = each.in === 0 ? undefined : time + each.in * minute;
          const limit = resetsAt === undefined ? undefined : { resetsAt };
          ended.account.note(result(each.kind, each.kind === 'quota' ? limit : undefined), time);
          if (each.kind === 'ok') {
            model = undefined;
            for (const other of running) other.probes = false;
          } else if (each.kind === 'quota' && (model === undefined || time >= model.open)) {
            const tries = (model?.tries ?? 0) + 1;
            const unknown = time + (tries === 1 ? 15 : tries === 2 ? 30 : 60) * minute;
            model = { open: resetsAt === undefined ? unknown : resetsAt + 30_000, tries };
          }
        }
      }
    }),
    { numRuns: 200 },
  );
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
