import { describe, expect, test } from 'vitest';
import { claude } from './drivers/claude.ts';
import { parseClaude } from './drivers/claude-dialect.ts';
import { rateLimitsIn } from './drivers/codex.ts';
import { epochMs, refineLimit, resetIn } from './quota.ts';

// A Thursday, 12:00 UTC.
const now = Date.parse('2026-11-19T12:00:00Z');
const iso = (time: number | undefined) =>
  time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);

describe('resets in texts', () => {
  test.each([
    ["You've hit your 5-hour limit · resets 9:53am (UTC)", '2026-11-20T09:53'],
    ['You’ve hit your session limit · resets 3:50pm (Asia/Tokyo)', '2026-11-20T06:50'],
    ['5-hour limit reached ∙ resets 3pm (UTC)', '2026-11-19T15:00'],
    ['Claude AI usage limit reached|1763560800', '2025-11-19T14:00'],
    ['hit your usage limit … or try again at Nov 22nd, 2026 6:53 AM (UTC).', '2026-11-22T06:53'],
    ['Your quota will reset after 7h12m5s.', '2026-11-19T19:12'],
    ['Weekly usage limit reached. It will reset in 2 days 3 hours', '2026-11-21T15:00'],
    ['Individual quota reached. Resets in 156h13m', '2026-11-26T00:13'],
    ['reset when your monthly cycle ends on 12/2/2026 (UTC)', '2026-12-02T00:00'],
    ['resets 12am (UTC)', '2026-11-20T00:00'],
    ['resets 12pm (America/New_York)', '2026-11-19T17:00'],
    ['resets Nov 19, 9am (UTC)', '2026-11-19T09:00'],
    ['resets Jan 2, 9am (UTC)', '2027-01-02T09:00'],
  ])('Q-004: %s', (text, expected) => {
    expect(iso(resetIn(text, now))).toBe(expected);
  });

  test.each([
    'Try again later.',
    'limit reached',
    'resets soon',
    'error 429',
    'resets 99:99',
    'ends on 31/31/2026',
    'Rate limit reached. Please try again in 248ms.',
  ])('Q-004: a time that cannot be read is unknown, never a guess: %s', (text) => {
    expect(resetIn(text, now)).toBeUndefined();
  });

  test('Q-004: a clock time across a change to daylight saving is that of its own day', () => {
    const before = Date.parse('2026-03-08T04:00:00Z');
    expect(iso(resetIn('resets 9am (America/New_York)', before))).toBe('2026-03-08T13:00');
  });

  test.each([
    ['resets 12:05am (UTC)', '2026-11-19T23:59', '2026-11-20T00:05'],
    ['resets 11:59pm (UTC)', '2026-11-19T23:59', '2026-11-20T23:59'],
    ['resets 12:30am (Asia/Tokyo)', '2026-11-19T14:50', '2026-11-19T15:30'],
    // The clocks go back an hour: 1:30 comes twice, and a night has 25 hours.
    ['resets 9am (America/New_York)', '2026-11-01T03:00', '2026-11-01T14:00'],
    // They go forward: there is no 2:30, and the limit resets within the hour after it.
    ['resets 2:30am (America/New_York)', '2026-03-08T06:00', '2026-03-08T07:30'],
    ['resets 2:30am (Europe/Berlin)', '2026-03-28T23:30', '2026-03-29T01:30'],
    ['resets 3am (Europe/Berlin)', '2026-03-28T23:30', '2026-03-29T01:00'],
  ])('Q-004 Q-061: %s, said at %s', (text, said, expected) => {
    expect(iso(resetIn(text, Date.parse(`${said}:00Z`)))).toBe(expected);
  });

  test('Q-061: a reset in smaller units than milliseconds is unknown', () => {
    expect(epochMs(1_794_995_596_000_000)).toBeUndefined();
    expect(epochMs(Number.NaN)).toBeUndefined();
    expect(epochMs(-1)).toBeUndefined();
  });

  test('Q-002: epochs become milliseconds in one place', () => {
    expect(epochMs(1_794_995_596)).toBe(1_794_995_596_000);
    expect(epochMs(1_794_995_596_000)).toBe(1_794_995_596_000);
    expect(epochMs(undefined)).toBeUndefined();
  });
});

describe('kinds', () => {
  test('Q-001: a long or nameless window is a quota, a short pause a rate limit, money a limit', () => {
    expect(
      refineLimit('rate_limit', "You've hit your 5-hour limit · resets 9:53am (UTC)", undefined, now),
    ).toMatchObject({ kind: 'quota' });
    expect(
      refineLimit('rate_limit', 'You’ve hit your usage limit. Try again later.', undefined, now),
    ).toEqual({ kind: 'quota' });
    expect(
      refineLimit('rate_limit', 'You have exhausted your daily quota on this model.', undefined, now),
    ).toEqual({ kind: 'quota' });
    expect(refineLimit('limit', '402 You have no quota', undefined, now)).toEqual({ kind: 'quota' });
    expect(
      refineLimit('rate_limit', 'exceeded retry limit, last status: 429 Too Many Requests', undefined, now),
    ).toEqual({ kind: 'rate_limit' });
    expect(refineLimit('rate_limit', 'Rate limit reached. Please retry after 20s', undefined, now).kind).toBe(
      'rate_limit',
    );
    expect(refineLimit('limit', 'Your workspace is out of credits.', undefined, now)).toEqual({
      kind: 'limit',
    });
    expect(refineLimit('crash', 'You hit your spend cap set by your admin', undefined, now)).toEqual({
      kind: 'limit',
    });
    expect(refineLimit('ok', 'an answer about usage limits', undefined, now)).toEqual({ kind: 'ok' });
    expect(refineLimit('bad_output', 'weekly limit reached', undefined, now)).toEqual({ kind: 'bad_output' });
  });

  test('Q-002: fields win over words', () => {
    const resetsAt = now + 3_600_000;
    expect(refineLimit('rate_limit', 'resets 9:53am (UTC)', { resetsAt }, now)).toEqual({
      kind: 'quota',
      resetsAt,
    });
  });
});

test('Q-003: a limit event is no failure, whatever it says', () => {
  const served = {
    status: 'allowed_warning',
    utilization: 0.81,
    unifiedWindows: { five_hour: { utilization: 0.4 } },
  };
  const event = (info: object) =>
    parseClaude(JSON.stringify({ type: 'rate_limit_event', rate_limit_info: info }), {
      inputHoldsCache: false,
      usageScope: 'total',
    });
  expect(event(served)).toEqual([{ type: 'limit', note: { usedShare: 0.81 } }]);
  expect(
    event({ status: 'rejected', resetsAt: 1_794_995_596, rateLimitType: 'five_hour', isUsingOverage: true }),
  ).toEqual([{ type: 'limit', note: { resetsAt: 1_794_995_596_000, window: 'five_hour', billed: true } }]);
});

test('Q-007: a limit event inside another line is found, and the rest of the line is read', () => {
  const event = {
    type: 'rate_limit_event',
    rate_limit_info: { status: 'rejected', resetsAt: 1794995596, rateLimitType: 'five_hour' },
  };
  const whole = JSON.stringify({
    type: 'assistant',
    message: { content: [{ type: 'text', text: 'Hello.' }] },
  });
  const broken = `${whole.slice(0, 30)}${JSON.stringify(event)}${whole.slice(30)}`;
  expect(claude.parse(broken)).toEqual([
    { type: 'limit', note: { resetsAt: 1794995596000, window: 'five_hour' } },
    { type: 'text', text: 'Hello.' },
  ]);
  expect(claude.parse(`half a line ${JSON.stringify(event).slice(0, 60)}`)).toEqual([]);
});

test('Q-042: the last figures of a Codex session file are read; the window is known by its minutes', () => {
  const line = (primary: object, secondary: object) =>
    JSON.stringify({
      type: 'event_msg',
      payload: { type: 'token_count', rate_limits: { limit_id: 'codex', primary, secondary } },
    });
  const week = { used_percent: 61.5, window_minutes: 10080, resets_at: 1795330398 };
  const hours = { used_percent: 100, window_minutes: 300, resets_at: 1794995598 };
  expect(rateLimitsIn(`${line({ ...hours, used_percent: 20 }, week)}\n{"type":"other"}\n`)).toEqual({
    usedShare: 0.615,
    window: 'seven_day',
  });
  // Of two that are used up, the one that resets later keeps the account closed.
  expect(rateLimitsIn(line(hours, { ...week, used_percent: 100 }))).toEqual({
    ...{ usedShare: 1, window: 'seven_day', resetsAt: 1795330398000 },
  });
  // The order of the places says nothing.
  expect(rateLimitsIn(line(week, hours))).toEqual({
    ...{ usedShare: 1, window: 'five_hour', resetsAt: 1794995598000 },
  });
  expect(rateLimitsIn('{"type":"session_meta"}\n{"payload":{"rate_limits":null}}')).toBeUndefined();
});
