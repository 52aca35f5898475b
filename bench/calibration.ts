import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What this machine can do right now. Numbers of different machines are compared as ratios to these. */
export type Calibration = { nodeStartMs: number; fsyncMs: number; sha256MBps: number };

export function calibrate(): Calibration {
  const nodeStartMs = median(
    sample(9, () => {
      spawnSync(process.execPath, ['-e', '0']);
    }),
  );
  return { nodeStartMs, fsyncMs: measureFsync(), sha256MBps: measureSha256() };
}

/** The line every measurement prints. */
export function calibrationLine({ nodeStartMs, fsyncMs, sha256MBps }: Calibration): string {
  return `calibration: node -e 0 ${nodeStartMs.toFixed(1)} ms · fsync ${fsyncMs.toFixed(2)} ms · sha256 ${sha256MBps.toFixed(0)} MB/s · node ${process.version}`;
}

function measureFsync(): number {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-bench-'));
  const file = openSync(path.join(folder, 'probe'), 'w');
  try {
    return median(
      sample(9, () => {
        writeSync(file, 'x');
        fsyncSync(file);
      }),
    );
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

function measureSha256(): number {
  const bytes = Buffer.alloc(16 * 1024 * 1024, 1);
  const milliseconds = median(
    sample(5, () => {
      createHash('sha256').update(bytes).digest();
    }),
  );
  return bytes.length / 1e6 / (milliseconds / 1000);
}

/** Times of `count` calls in milliseconds. */
export function sample(count: number, act: () => void): number[] {
  return Array.from({ length: count }, () => {
    const started = performance.now();
    act();
    return performance.now() - started;
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, two) => one - two);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * part) / 100))] ?? Number.NaN;
}

/** Rows as a plain table with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  return lines.join('\n');
}
