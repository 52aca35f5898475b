import type { Anchor, FindingId, Profile } from './profiles.ts';

/** One check: its score, the anchor it lies at, and what shows it. */
export type Check = { what: string; score: number; anchor: Anchor; evidence: string };

/** A criterion of the contract with the checks that were made for it. */
export type JudgedCriterion = { id: string; dimension: string; checks: readonly Check[] };

export type DimensionScore = {
  dimension: string;
  /** What the checks say. */
  judged: number;
  /** What counts, after caps. */
  score: number;
  cappedBy: FindingId[];
};

export type Score = {
  total: number;
  dimensions: DimensionScore[];
  /** Why nothing passes, whatever the total. */
  mustPassFailures: string[];
};

/** What was measured, apart from what was judged; `slopPatterns` counts patterns of generated design. */
export type Findings = { found: readonly FindingId[]; slopPatterns: number };

/**
 * Weighted mean over the dimensions of a profile. A dimension is the lowest of its criteria, a criterion the lowest of
 * its checks, unless the profile takes means. A dimension without any judgement scores 0.
 */
export function scoreCard(
  profile: Profile,
  criteria: readonly JudgedCriterion[],
  findings: Findings,
  threshold: number,
): Score {
  const combine = combiners[profile.combine];
  const dimensions = profile.dimensions.map(({ id }): DimensionScore => {
    const own = criteria.filter((criterion) => criterion.dimension === id);
    const judged = combine(own.map(({ checks }) => combine(checks.map((check) => bounded(check.score)))));
    const caps = capsOf(profile, id, findings);
    const score = Math.min(judged, ...caps.map(({ at }) => at));
    return {
      dimension: id,
      judged,
      score,
      cappedBy: caps.filter(({ at }) => at < judged).map(({ finding }) => finding),
    };
  });
  const total = profile.dimensions.reduce(
    (sum, { weight }, index) => sum + weight * (dimensions[index]?.score ?? 0),
    0,
  );
  return {
    total: rounded(total),
    dimensions: dimensions.map((each) => ({
      ...each,
      judged: rounded(each.judged),
      score: rounded(each.score),
    })),
    mustPassFailures: [
      ...profile.mustPass.filter((finding) => findings.found.includes(finding)),
      ...dimensions
        .filter(({ dimension, score }) => profile.mustPassDimensions.includes(dimension) && score < threshold)
        .map(({ dimension }) => dimension),
      ...(failsBySlop(profile, findings) ? ['slop' as const] : []),
    ],
  };
}

/** Whether an iteration passes. Strict: every dimension must pass, and never at the first attempt. */
export function passes(
  score: Score,
  { threshold, strict, iteration }: { threshold: number; strict: boolean; iteration: number },
): boolean {
  if (score.mustPassFailures.length > 0 || score.total < threshold) return false;
  return !strict || (iteration >= 2 && score.dimensions.every((dimension) => dimension.score >= threshold));
}

/** What a criterion's score makes of it in the contract. */
export function stateOf(score: number): 'passed' | 'failed' | 'refined' {
  if (score >= 0.75) return 'passed';
  return score < 0.5 ? 'failed' : 'refined';
}

export function criterionScore(profile: Profile, checks: readonly Check[]): number {
  return rounded(combiners[profile.combine](checks.map((check) => bounded(check.score))));
}

const combiners: Readonly<Record<Profile['combine'], (scores: readonly number[]) => number>> = {
  min: (scores) => (scores.length === 0 ? 0 : Math.min(...scores)),
  mean: (scores) => (scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length),
};

function capsOf(
  profile: Profile,
  dimension: string,
  { found, slopPatterns }: Findings,
): { finding: FindingId; at: number }[] {
  const caps = profile.caps.filter((cap) => cap.dimension === dimension && found.includes(cap.finding));
  const slop = profile.slop;
  if (slop === undefined || slop.dimension !== dimension || slopPatterns < slop.capFrom) return [...caps];
  return [...caps, { finding: 'slop', at: 0.5 }];
}

function failsBySlop({ slop, mustPass }: Profile, { slopPatterns }: Findings): boolean {
  return slop !== undefined && slopPatterns >= slop.failFrom && !mustPass.includes('slop');
}

function bounded(score: number): number {
  return Number.isFinite(score) ? Math.min(1, Math.max(0, score)) : 0;
}

/** Ten-thousandths: sums of weights must not miss a threshold by a rounding error. */
function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
