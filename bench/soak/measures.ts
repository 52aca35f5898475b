import { fitLine } from '../fit.ts';

/** What stays of every finished run, at the most, for a measure still to be called steady. */
export type Measure<Sample> = {
  title: string;
  of: (sample: Sample) => number | undefined;
  unit: string;
  /** Undefined: shown, not judged. */
  perRun?: number;
  /** What a young process makes once, such as compiled functions, connections and pages. Divided by the runs it has made. */
  warmUp: number;
};

export type Judged = {
  from: number;
  to: number;
  perRun: number;
  error: number;
  limit: number | undefined;
  grows: boolean;
};

/** Rounds that a fit needs for its error to mean something. */
export const leastPoints = 5;

/** The first rounds are a process that is still being made. */
export function settled<Sample>(samples: readonly Sample[]): readonly Sample[] {
  return samples.slice(Math.floor(samples.length / 3));
}

/**
 * What a measure gains with each run: grows when even the flattest line that fits the points passes the limit. Nothing: it was
 * measured too seldom.
 */
export function judge<Sample extends { runs: number }>(
  { of, perRun, warmUp }: Measure<Sample>,
  samples: readonly Sample[],
): Judged | undefined {
  const points = samples.flatMap((sample) => {
    const value = of(sample);
    return value === undefined ? [] : [[sample.runs, value] as const];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < leastPoints) return undefined;
  const { slope, intercept, slopeError } = fitLine(points);
  const limit = perRun === undefined ? undefined : perRun + warmUp / ((first[0] + last[0]) / 2);
  return {
    from: intercept + slope * first[0],
    to: intercept + slope * last[0],
    perRun: slope,
    error: slopeError,
    limit,
    grows: limit !== undefined && !(slope - 2 * slopeError <= limit),
  };
}
