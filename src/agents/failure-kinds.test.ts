import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classifyFailure, failurePolicies, retryAfterIn, retryDelayMs, statusIn } from './failure-kinds.ts';
import { laneKinds } from './port.ts';

test('L-363: every kind of failure has a policy, and no others exist', () => {
  expect(Object.keys(failurePolicies).sort()).toEqual(laneKinds.filter((kind) => kind !== 'ok').sort());
});

test.each([
  ['Failed to authenticate. API Error: 401 invalid api key', 'auth'],
  ['Please run /login', 'auth'],
  ['Run /auth to switch to another provider', 'auth'],
  ["error: unknown option '--restricted'", 'unhealthy'],
  ["error: unexpected argument '--skip-trust' found", 'unhealthy'],
  ['You have hit your usage limit', 'rate_limit'],
  ['Request rejected (429)', 'rate_limit'],
  ['API Error: 529 overloaded', 'server'],
  ['connect ECONNREFUSED 127.0.0.1:9', 'network'],
  ['getaddrinfo ENOTFOUND api.example.com', 'network'],
  ['stream disconnected before completion', 'stream'],
  ['prompt is too long: 215000 tokens > 200000 maximum', 'context_too_long'],
  ['{"error":{"code":400,"message":"The input token count (9) exceeds the maximum"}}', 'context_too_long'],
  // What subscriptions say when they are used up or have run out, by words alone.
  ["You've hit your limit · resets 7pm (UTC)", 'rate_limit'],
  ["You've hit your session limit · resets 4am", 'rate_limit'],
  ['5-hour limit reached ∙ resets 3pm', 'rate_limit'],
  ["Sorry, you've exceeded your premium request allowance", 'rate_limit'],
  ['Credit balance is too low', 'limit'],
  ["You've hit your monthly spend limit.", 'limit'],
  ["You're out of usage credits", 'limit'],
  [
    "API Error: Claude's response exceeded the 32000 output token maximum. To configure this behavior, set it.",
    'limit',
  ],
  ['Your access token could not be refreshed. Please log out and sign in again.', 'auth'],
  ['Incorrect API key provided: none.', 'auth'],
  ['Selected model is at capacity. Please try a different model.', 'server'],
  ['The server had an error processing your request.', 'server'],
  ['Request too large (max 32MB).', 'context_too_long'],
  ['recursion limit reached', 'crash'],
  ['Segmentation fault', 'crash'],
])('L-314 %s is %s', (message, kind) => {
  expect(classifyFailure(message)).toBe(kind);
});

test('the status wins over the text, except for a full context', () => {
  expect(classifyFailure('stream error', 401)).toBe('auth');
  expect(classifyFailure('maximum context length is 5', 400)).toBe('context_too_long');
});

test('reads a status only at the usual places', () => {
  expect(statusIn('line 429 of the file')).toBeUndefined();
  expect(statusIn('HTTP 503')).toBe(503);
});

test('pauses are read in seconds, milliseconds and minutes, and bounded', () => {
  expect(retryAfterIn('please retry in 1s')).toBe(1000);
  expect(retryAfterIn('retry-after: 30')).toBe(30_000);
  expect(retryAfterIn('retry in 250 ms')).toBe(250);
  expect(retryAfterIn('retry in 99999 m')).toBe(3_600_000);
  expect(retryAfterIn('Limit 30000, Used 29000. Please try again in 1.5s.')).toBe(1500);
  expect(retryAfterIn('"retryDelay": "34s"')).toBe(34_000);
  expect(retryAfterIn('try again')).toBeUndefined();
  expect(retryAfterIn('try again in 13 days 4 hours')).toBeUndefined();
});

test('L-367: back-off doubles, respects the pause that was asked for, and ends', () => {
  expect([1, 2, 3, 4].map((retry) => retryDelayMs('rate_limit', retry))).toEqual([
    5000,
    10_000,
    20_000,
    undefined,
  ]);
  expect(retryDelayMs('rate_limit', 1, 30_000)).toBe(30_000);
  expect(retryDelayMs('auth', 1)).toBeUndefined();
  expect(retryDelayMs('ok', 1)).toBeUndefined();
});

test('classifying never throws and always answers with a kind', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(laneKinds).toContain(classifyFailure(text));
    }),
  );
});
