import { expect, test } from 'vitest';
import { depthOf } from './depth.ts';
import { addEstimates, describeEstimate, estimateOf } from './estimate.ts';

const regular = depthOf({}, {}, undefined);
const claude = { id: 'claude', protocol: 'claude', model: 'claude-sonnet-4-5' } as const;
const codex = { id: 'codex', protocol: 'codex' } as const;
const own = { mine: { input: 1, cachedInput: 0.1, output: 1 } };

test('a deeper panel is never estimated cheaper', () => {
  const calls = (['solo', 'quick', 'regular', 'wide'] as const).map(
    (name) => estimateOf(depthOf({}, {}, name), 100).calls,
  );
  expect(calls).toEqual([...calls].sort((a, b) => a - b));
});

test('F-36: the size that is announced is that of the panel', () => {
  const calls = (...depth: Parameters<typeof depthOf>) => estimateOf(depthOf(...depth), 0).calls;
  expect(calls({ panel: 'solo' }, {}, undefined)).toBe(2);
  // Four sketches, three debates, three judges in both orders, four reviews, three votes, five tasks of the author.
  expect(calls({}, {}, undefined)).toBe(4 + 6 + 6 + 4 + 3 + 5);
  expect(calls({ panel: 'pair', dialectic: 'advisory' }, {}, undefined)).toBe(2 + 6 + 3 + 2 + 3 + 5);
  expect(calls({ sketches: '0' }, {}, undefined)).toBe(4 + 3 + 4);
});

test('F-36: an estimate says calls, tokens and money, and whose price nobody knows', () => {
  const both = estimateOf(regular, 400, [claude, codex]);
  expect(both.usd).toBeGreaterThan(0);
  expect(describeEstimate(both)).toMatch(
    /^About \d+ calls, \d+k tokens, \$\d+\.\d\d at list prices of \d{4}-\d\d or your own \(estimated; no price is known for codex\)\.$/,
  );
  expect(describeEstimate(estimateOf(regular, 400, [codex]))).toContain('money unknown');
});

test('F-36: the static agent takes its share of the calls, but neither tokens nor money', () => {
  const rules = { id: 'static', protocol: 'static' } as const;
  expect(describeEstimate(estimateOf(regular, 400, [rules]))).toContain('calls, no tokens, no money');
  expect(estimateOf(regular, 0, [claude, rules]).tokens).toBe(estimateOf(regular, 0, [claude]).tokens / 2);
});

test("F-36: a project's own price counts: a million tokens at one dollar are one dollar", () => {
  const priced = estimateOf(regular, 0, [{ id: 'a', protocol: 'model', model: 'mine' }], own);
  expect(priced.usd).toBeCloseTo(priced.tokens / 1_000_000, 9);
  expect(priced.unpriced).toBeUndefined();
});

test('estimates add up, and what is unknown in one stays unknown in the sum', () => {
  const sum = addEstimates([estimateOf(regular, 0, [claude]), estimateOf(regular, 0, [codex])]);
  expect(sum.calls).toBe(2 * estimateOf(regular, 0).calls);
  expect(sum.usd).toBe(estimateOf(regular, 0, [claude]).usd);
  expect(sum.unpriced).toEqual(['codex']);
});
