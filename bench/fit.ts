/** A straight line through points by least squares. `slopeError` is the standard error of the slope. */
export type Line = { slope: number; intercept: number; slopeError: number };

export function fitLine(points: readonly (readonly [number, number])[]): Line {
  const count = points.length;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / count;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / count;
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const intercept = meanY - slope * meanX;
  const rest = points.reduce((sum, [x, y]) => sum + (y - intercept - slope * x) ** 2, 0);
  return { slope, intercept, slopeError: count > 2 ? Math.sqrt(rest / (count - 2) / spread) : Number.NaN };
}

/** The power with which a cost grows with a size: the slope on a log-log scale. */
export function fitExponent(points: readonly (readonly [number, number])[]): Line {
  return fitLine(points.map(([size, cost]) => [Math.log(size), Math.log(cost)]));
}
