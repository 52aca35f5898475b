import { expect, test } from 'vitest';
import { addEstimates, depthOf, depths, describeEstimate, estimateOf, namedDepth } from './depth.ts';

test('--solo and --quick are depths; two different ones contradict each other', () => {
  expect(namedDepth({ solo: true })).toBe('solo');
  expect(namedDepth({ depth: 'quick', quick: true })).toBe('quick');
  expect(namedDepth({})).toBeUndefined();
  expect(() => namedDepth({ solo: true, quick: true })).toThrow(/Two depths/);
});

test('L-005, L-202, L-203: regular has four sketches, quick two, and nothing else changes', () => {
  const regular = depthOf({}, {}, undefined);
  const quick = depthOf({}, {}, 'quick');
  expect(regular).toEqual({ panel: 'diagonal', quick: false, sketches: 4, dialectic: 'binding' });
  expect(quick).toEqual({ ...regular, quick: true, sketches: 2 });
});

test('L-005: a number of sketches that is asked for wins; without one every panel has its own', () => {
  const count = (flags: Parameters<typeof depthOf>[0], name?: Parameters<typeof depthOf>[2]) =>
    depthOf(flags, {}, name).sketches;
  expect([count({ panel: 'wide' }), count({ panel: 'pair' }), count({ panel: 'solo' })]).toEqual([10, 2, 0]);
  expect([count({}, 'wide'), count({ sketches: '4' }, 'wide'), count({ panel: 'wide' }, 'quick')]).toEqual([
    10, 4, 2,
  ]);
  expect(depthOf({ sketches: '4' }, {}, 'quick')).toMatchObject({ quick: false, sketches: 4 });
  expect(depthOf({}, { sketches: 2 }, undefined).sketches).toBe(2);
});

test('an explicit flag wins over the depth, the configuration only where no depth was asked for', () => {
  expect(depthOf({ sketches: '0', dialectic: 'off' }, {}, 'wide')).toMatchObject({
    panel: 'wide',
    sketches: 0,
    dialectic: 'off',
  });
  expect(depthOf({}, { panel: 'pair', dialectic: 'advisory' }, undefined)).toMatchObject({
    panel: 'pair',
    dialectic: 'advisory',
  });
  expect(depthOf({}, { panel: 'pair', dialectic: 'advisory' }, 'quick')).toMatchObject({
    panel: 'diagonal',
    dialectic: 'binding',
  });
});

test.each([
  [{ panel: 'solo', sketches: '4' }, undefined, '--sketches 4'],
  [{ panel: 'solo', dialectic: 'binding' }, undefined, '--dialectic binding'],
  [{ sketches: '2' }, 'solo', '--sketches 2'],
] as const)('a flag that the panel cannot follow is refused: %j', (flags, name, flag) => {
  expect(() => depthOf(flags, {}, name)).toThrow(`${flag} does not go with the panel solo`);
});

test('what the configuration says of sketches and debates does not apply to one who works alone', () => {
  const alone = { panel: 'solo', sketches: 0, dialectic: 'off' };
  expect(depthOf({ panel: 'solo' }, { sketches: 4, dialectic: 'binding' }, undefined)).toMatchObject(alone);
  expect(depthOf({ panel: 'solo', sketches: '0', dialectic: 'off' }, {}, undefined)).toMatchObject(alone);
});

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

test('F-36: an estimate names calls, tokens, money and agents without a known price', () => {
  const both = estimateOf(regular, 400, [claude, codex]);
  expect(both.usd).toBeGreaterThan(0);
  expect(describeEstimate(both)).toMatch(
    /^About \d+ calls, \d+k tokens, 15m, \$\d+\.\d\d at list prices of \d{4}-\d\d or your own \(estimated; time from 10 calls in a row at 90 s each \(no earlier runs here\); no price is known for codex\)\.$/,
  );
  expect(describeEstimate(estimateOf(regular, 400, [codex]))).toContain('money unknown');
});

test('an estimate of time follows the critical path and earlier calls of the project', () => {
  const pace = { calls: 42, mean: 20, byTask: new Map([['plan', 100]]) };
  const { time } = estimateOf(regular, 400, [claude], { pace });
  expect(time).toEqual({ seconds: 9 * 20 + 100, inARow: 10, measured: 42 });
  expect(describeEstimate(estimateOf(regular, 400, [claude], { pace }))).toContain(' tokens, 5m, $');
  expect(describeEstimate(estimateOf(depths.solo, 400, [codex], { pace }))).toContain(
    '2m, money unknown (estimated; time from 2 calls in a row and 42 calls of earlier runs here',
  );
});

test('F-36: the static agent takes its share of the calls, but neither tokens nor money', () => {
  const rules = { id: 'static', protocol: 'static' } as const;
  expect(describeEstimate(estimateOf(regular, 400, [rules]))).toContain('calls, no tokens, no money');
  expect(estimateOf(regular, 0, [claude, rules]).tokens).toBe(estimateOf(regular, 0, [claude]).tokens / 2);
});

test("F-36: a project's own price counts: a million tokens at one dollar are one dollar", () => {
  const priced = estimateOf(regular, 0, [{ id: 'a', protocol: 'model', model: 'mine' }], { prices: own });
  expect(priced.usd).toBeCloseTo(priced.tokens / 1_000_000, 9);
  expect(priced.unpriced).toBeUndefined();
});

test('estimates add up, and what is unknown in one stays unknown in the sum', () => {
  const sum = addEstimates([estimateOf(regular, 0, [claude]), estimateOf(regular, 0, [codex])]);
  expect(sum.calls).toBe(2 * estimateOf(regular, 0).calls);
  expect(sum.usd).toBe(estimateOf(regular, 0, [claude]).usd);
  expect(sum.unpriced).toEqual(['codex']);
});
