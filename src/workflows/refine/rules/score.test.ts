import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anchors, type FindingId, findingIds, profiles } from './profiles.ts';
import {
  type Check,
  criterionScore,
  decide,
  isStagnant,
  type JudgedCriterion,
  passes,
  scoreCard,
  stateOf,
} from './score.ts';
import { defaultLoopSettings } from './settings.ts';

const design = profiles['design'] as NonNullable<(typeof profiles)[string]>;
const check = (score: number): Check => ({ what: 'x', score, anchor: '0.75', evidence: 'y' });
const card = (scores: Record<string, number>): JudgedCriterion[] =>
  Object.entries(scores).map(([dimension, score], index) => ({
    id: `C-${index}`,
    dimension,
    checks: [check(score)],
  }));
const none = { found: [], slopPatterns: 0 };
const all = { 'design-quality': 0.8, originality: 0.8, completeness: 0.8, functionality: 0.8 };

const profileArbitrary = fc.constantFrom(...Object.values(profiles));
const findingsArbitrary = fc.record({
  found: fc.uniqueArray(fc.constantFrom(...findingIds)),
  slopPatterns: fc.nat(4),
});
const cardArbitrary = (dimensions: readonly string[]) =>
  fc.array(
    fc.record({
      id: fc.string(),
      dimension: fc.constantFrom(...dimensions),
      checks: fc.array(fc.double({ min: -1, max: 2 }).map(check), { maxLength: 4 }),
    }),
    { maxLength: 12 },
  );
const cases = profileArbitrary.chain((profile) =>
  fc.record({
    profile: fc.constant(profile),
    criteria: cardArbitrary(profile.dimensions.map(({ id }) => id)),
    findings: findingsArbitrary,
    threshold: fc.double({ min: 0.6, max: 1, noNaN: true }),
  }),
);

describe('RF-01 the score', () => {
  test('is the weighted mean: 0.30, 0.25, 0.25, 0.20', () => {
    const scores = { 'design-quality': 1, originality: 0.5, completeness: 0.75, functionality: 0.25 };
    expect(scoreCard(design, card(scores), none, 0.75).total).toBe(0.6625);
    expect(design.dimensions.map(({ weight }) => weight)).toEqual([0.3, 0.25, 0.25, 0.2]);
  });

  test('stays between 0 and 1, whatever was answered', () => {
    fc.assert(
      fc.property(cases, ({ profile, criteria, findings, threshold }) => {
        const score = scoreCard(profile, criteria, findings, threshold);
        for (const value of [score.total, ...score.dimensions.map((dimension) => dimension.score)]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('never falls when one check is judged better', () => {
    fc.assert(
      fc.property(
        cases,
        fc.nat(),
        fc.nat(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (given, which, where, more) => {
          const { profile, criteria, findings, threshold } = given;
          const better = criteria.map((criterion, index) =>
            index !== which % Math.max(1, criteria.length)
              ? criterion
              : {
                  ...criterion,
                  checks: criterion.checks.map((each, at) =>
                    at === where % Math.max(1, criterion.checks.length)
                      ? { ...each, score: each.score + more }
                      : each,
                  ),
                },
          );
          const before = scoreCard(profile, criteria, findings, threshold);
          const after = scoreCard(profile, better, findings, threshold);
          expect(after.total).toBeGreaterThanOrEqual(before.total);
          for (const [index, dimension] of after.dimensions.entries())
            expect(dimension.score).toBeGreaterThanOrEqual(before.dimensions[index]?.score ?? 0);
        },
      ),
    );
  });

  test('RF-02 a must-pass finding dominates: nothing passes with it', () => {
    fc.assert(
      fc.property(
        cases,
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        ({ profile, threshold }, iteration, strict) => {
          const perfect = profile.dimensions.map(({ id }) => ({ id, dimension: id, checks: [check(1)] }));
          const settings = { threshold, strict, iteration };
          for (const finding of profile.mustPass)
            expect(
              passes(scoreCard(profile, perfect, { found: [finding], slopPatterns: 0 }, threshold), settings),
            ).toBe(false);
          expect(passes(scoreCard(profile, perfect, none, threshold), { ...settings, iteration: 2 })).toBe(
            true,
          );
        },
      ),
    );
  });

  test('RF-02 the must-pass findings are the six of the requirement', () => {
    expect(design.mustPass).toEqual([
      'copy-mismatch',
      'slop',
      'broken-mobile',
      'dead-element',
      'accessibility',
      'brand',
    ]);
  });

  test.each([
    ['stock-icons', 'originality'],
    ['off-scale-spacing', 'design-quality'],
    ['missing-alt', 'functionality'],
    ['copy-mismatch', 'completeness'],
  ] satisfies [FindingId, string][])('RF-03 %s caps %s at 0.50', (finding, dimension) => {
    const { dimensions } = scoreCard(design, card(all), { found: [finding], slopPatterns: 0 }, 0.75);
    expect(dimensions.map(({ dimension: id, score }) => [id, score])).toEqual(
      Object.entries(all).map(([id, score]) => [id, id === dimension ? 0.5 : score]),
    );
    expect(dimensions.find(({ cappedBy }) => cappedBy.length > 0)?.cappedBy).toEqual([finding]);
    const low = { ...all, [dimension]: 0.4 };
    const kept = scoreCard(design, card(low), { found: [finding], slopPatterns: 0 }, 0.75).dimensions;
    expect(kept.find(({ dimension: id }) => id === dimension)).toMatchObject({ score: 0.4, cappedBy: [] });
  });

  test('RF-08 a criterion is its lowest check, a dimension its lowest criterion; means only where a profile says so', () => {
    const criteria = [
      { id: 'a', dimension: 'functionality', checks: [check(1), check(0.5)] },
      { id: 'b', dimension: 'functionality', checks: [check(0.9)] },
    ];
    const of = (name: string) =>
      scoreCard(profiles[name] as typeof design, criteria, none, 0.75).dimensions.find(
        ({ dimension }) => dimension === 'functionality',
      )?.score;
    expect([of('default'), of('lenient')]).toEqual([0.5, 0.825]);
  });

  test('RF-08 functionality and security must pass by themselves, and a dimension without any check scores nothing', () => {
    const general = profiles['default'] as typeof design;
    const score = scoreCard(
      general,
      card({ functionality: 1, security: 0.7, craft: 1, consistency: 1 }),
      none,
      0.75,
    );
    expect(score.mustPassFailures).toEqual(['security']);
    expect(
      scoreCard(general, card({ functionality: 1, craft: 1, consistency: 1 }), none, 0.75).mustPassFailures,
    ).toEqual(['security']);
    for (const profile of Object.values(profiles).filter(({ dimensions }) =>
      dimensions.some(({ id }) => id === 'security'),
    ))
      expect(profile.mustPassDimensions).toContain('security');
  });

  test('RF-10 the frontend profile: 40, 30, 30; one or two patterns cap originality, three fail', () => {
    const frontend = profiles['frontend'] as typeof design;
    expect(frontend.dimensions.map(({ weight }) => weight)).toEqual([0.4, 0.3, 0.3]);
    const perfect = frontend.dimensions.map(({ id }) => ({ id, dimension: id, checks: [check(1)] }));
    const by = (slopPatterns: number) => scoreCard(frontend, perfect, { found: [], slopPatterns }, 0.75);
    expect([0, 1, 2].map((count) => by(count).dimensions[0]?.score)).toEqual([1, 0.5, 0.5]);
    expect([2, 3].map((count) => by(count).mustPassFailures)).toEqual([[], ['slop']]);
  });

  test('RF-10 the weights of every profile sum to 1, and its caps name its own dimensions', () => {
    for (const { dimensions, caps, mustPassDimensions } of Object.values(profiles)) {
      expect(dimensions.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 10);
      const ids = dimensions.map(({ id }) => id);
      for (const id of [...caps.map(({ dimension }) => dimension), ...mustPassDimensions])
        expect(ids).toContain(id);
      for (const dimension of dimensions) expect(Object.keys(dimension.anchors)).toEqual([...anchors]);
    }
  });

  test('RF-08 what a criterion is in the contract: from 0.75 passed, below 0.50 failed, between refined', () => {
    expect([1, 0.75, 0.7499, 0.5, 0.4999, 0].map(stateOf)).toEqual([
      'passed',
      'passed',
      'refined',
      'refined',
      'failed',
      'failed',
    ]);
    expect(criterionScore(design, [])).toBe(0);
  });
});

describe('RF-04 strict mode', () => {
  const settings = { threshold: 0.75, strict: true, iteration: 2 };
  test('requires every dimension and at least two iterations', () => {
    const good = scoreCard(design, card(all), none, 0.75);
    const uneven = scoreCard(design, card({ ...all, originality: 0.7 }), none, 0.75);
    expect(passes(good, settings)).toBe(true);
    expect(passes(good, { ...settings, iteration: 1 })).toBe(false);
    expect(passes(uneven, settings)).toBe(false);
    expect(passes(uneven, { ...settings, strict: false })).toBe(true);
  });
});

describe('RF-05 what comes after an iteration', () => {
  const settings = defaultLoopSettings;

  test('stagnation: 0.60, 0.61, 0.62 triggers after the third', () => {
    expect(decide([0.6], false, settings)).toEqual({ kind: 'iterate', ask: false });
    expect(decide([0.6, 0.61], false, settings)).toEqual({ kind: 'iterate', ask: false });
    expect(decide([0.6, 0.61, 0.62], false, settings)).toEqual({ kind: 'escalate', reason: 'stagnation' });
  });

  test('a step of exactly 0.05 is an improvement, also in binary', () => {
    expect(isStagnant([0.6, 0.65, 0.66], 0.05)).toBe(false);
    expect(isStagnant([0.6, 0.61, 0.66], 0.05)).toBe(false);
    expect(isStagnant([0.6, 0.64, 0.68], 0.05)).toBe(true);
    expect(isStagnant([0.6, 0.5, 0.4], 0.05)).toBe(true);
  });

  test('pass comes first, then the last iteration, then stagnation', () => {
    expect(decide([0.6, 0.61, 0.62, 0.62, 0.62], true, settings)).toEqual({ kind: 'accept' });
    expect(decide([0.6, 0.61, 0.62, 0.62, 0.62], false, settings)).toEqual({
      kind: 'escalate',
      reason: 'iterations',
    });
    expect(decide([0.2, 0.3, 0.4, 0.5, 0.6], false, settings)).toEqual({
      kind: 'escalate',
      reason: 'iterations',
    });
    expect(decide([0.2, 0.3, 0.4, 0.5], false, settings)).toEqual({ kind: 'iterate', ask: false });
  });

  test('asks you after three failed iterations although the loop could continue', () => {
    expect(decide([0.2, 0.3, 0.4], false, settings)).toEqual({ kind: 'iterate', ask: true });
  });

  test('the loop ends: whatever the totals, you decide after so many iterations', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 5, maxLength: 9 }),
        (totals) => {
          expect(decide(totals, false, settings).kind).toBe('escalate');
        },
      ),
    );
  });
});
