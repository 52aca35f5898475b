import { isRecord } from '../../../base/safe-json.ts';
import type { Anchor, FindingId, Profile } from './profiles.ts';
import type { LoopSettings } from './settings.ts';

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

export type Decision =
  | { kind: 'accept' }
  | { kind: 'escalate'; reason: 'iterations' | 'stagnation' }
  /** `ask`: you are asked although the loop would continue. */
  | { kind: 'iterate'; ask: boolean };

/** What comes after an iteration, in this order: pass, the last iteration, no improvement, continue. */
export function decide(totals: readonly number[], passed: boolean, settings: LoopSettings): Decision {
  if (passed) return { kind: 'accept' };
  if (totals.length >= settings.maxIterations) return { kind: 'escalate', reason: 'iterations' };
  if (isStagnant(totals, settings.improvementThreshold)) return { kind: 'escalate', reason: 'stagnation' };
  return { kind: 'iterate', ask: totals.length === settings.escalationAfter };
}

/** The last two steps were both too small: 0.60, 0.61, 0.62. */
export function isStagnant(totals: readonly number[], threshold: number): boolean {
  const [first, second, third] = totals.slice(-3);
  if (first === undefined || second === undefined || third === undefined) return false;
  // Compared in ten-thousandths: 0.65 − 0.60 is less than 0.05 in binary.
  const gained = (from: number, to: number) => Math.round((to - from) * 10_000) / 10_000;
  return gained(first, second) < threshold && gained(second, third) < threshold;
}

export type CalibrationEntry = { run: string; total: number; second?: number };

export const calibration = {
  /** Every fifth project is scored twice. */
  every: 5,
  /** Two evaluators further apart than this are not looking at the same thing. */
  apart: 0.1,
  /** So far above what earlier projects reached is worth a look. */
  above: 0.15,
} as const;

export function readCalibration(value: unknown): CalibrationEntry[] {
  const list = isRecord(value) && Array.isArray(value['entries']) ? value['entries'] : [];
  return list.flatMap((entry) =>
    isRecord(entry) && typeof entry['run'] === 'string' && typeof entry['total'] === 'number'
      ? [
          {
            run: entry['run'],
            total: entry['total'],
            ...(typeof entry['second'] === 'number' ? { second: entry['second'] } : {}),
          },
        ]
      : [],
  );
}

export function isScoredTwice(earlier: readonly CalibrationEntry[]): boolean {
  return (earlier.length + 1) % calibration.every === 0;
}

/** What you should check: evaluators that disagree, and a result out of line with earlier projects. */
export function calibrationWarnings(entry: CalibrationEntry, earlier: readonly CalibrationEntry[]): string[] {
  const warnings: string[] = [];
  if (entry.second !== undefined && Math.abs(entry.total - entry.second) > calibration.apart + 1e-9)
    warnings.push(
      `two evaluators are ${Math.abs(entry.total - entry.second).toFixed(2)} apart (${entry.total} and ${entry.second})`,
    );
  if (earlier.length > 0) {
    const mean = earlier.reduce((sum, { total }) => sum + total, 0) / earlier.length;
    if (entry.total - mean > calibration.above + 1e-9)
      warnings.push(
        `the total ${entry.total} is ${(entry.total - mean).toFixed(2)} above the mean of ${earlier.length} earlier projects; review it`,
      );
  }
  return warnings;
}
