import { isRecord } from '../../../base/safe-json.ts';

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
