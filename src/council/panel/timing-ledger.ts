import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../../base/files/bounded.ts';
import { isInside } from '../../base/files/contained.ts';
import { withDirectoryLock } from '../../base/files/directory-lock.ts';
import { type Step, timingLabels } from './steps.ts';

/** L-871: the thirteen columns of a row. */
export type TimingRow = {
  type: 'mark' | 'vendor' | 'workflow';
  epochSeconds: number;
  skill: string;
  step: string;
  vendor?: string;
  taskKind?: string;
  startSeconds?: number;
  endSeconds?: number;
  output?: string;
  exitCode?: number;
  extra?: string;
};

/** L-874: vendor and stance names that are expected; others are written with a warning. */
const knownKinds =
  /^(?:cursor|codex|claude)-(?:sketch-(?:arch|edge|innovation|pragmatic|generic)|plan-(?:arch|edge|innovation|pragmatic)|debate-(?:thesis|antithesis)|judge|plan-voter)$/;

export type TaskKindVerdict = 'known' | 'unknown' | 'malformed';

/** L-874 */
export function checkTaskKind(kind: string): TaskKindVerdict {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(kind)) return 'malformed';
  return knownKinds.test(kind) ? 'known' : 'unknown';
}

export function markRow(step: Step, now: Date): TimingRow {
  return {
    type: 'mark',
    epochSeconds: Math.floor(now.getTime() / 1000),
    skill: 'design',
    step: timingLabels[step],
    extra: '-',
  };
}

/** L-871: a row as one TSV line. Empty cells are `-`; nothing in a cell can make a second cell or line. */
export function renderTimingRow(row: TimingRow): string {
  const duration =
    row.startSeconds === undefined || row.endSeconds === undefined
      ? undefined
      : row.endSeconds - row.startSeconds;
  const cells = [
    'v1',
    row.type,
    row.epochSeconds,
    row.skill,
    row.step,
    row.vendor,
    row.taskKind,
    row.startSeconds,
    row.endSeconds,
    duration,
    row.output === undefined ? undefined : path.basename(row.output),
    row.exitCode,
    row.extra,
  ];
  return `${cells.map(cell).join('\t')}\n`;
}

/** L-872: where marks go; nested ones land in the caller's ledger. A given path counts only inside a known root. `undefined`: nowhere. */
export function timingLedgerPath(places: {
  override?: string;
  environment?: string;
  implementDirectory?: string;
  runDirectory?: string;
  /** Canonical directories in which a given path may lie. */
  roots: readonly string[];
}): string | undefined {
  const given = [places.override, places.environment].find(
    (file) =>
      file &&
      path.isAbsolute(file) &&
      places.roots.some((root) => file !== root && isInside(root, path.resolve(file))),
  );
  if (given) return given;
  const directory = places.implementDirectory ?? places.runDirectory;
  return directory === undefined ? undefined : path.join(directory, 'timing-ledger.tsv');
}

/**
 * L-873: adds the rows of a run to a ledger that others write too: under its lock, private mode, and not a second time when
 * a crash made the run add them again.
 */
export async function appendLedger(file: string, rows: string): Promise<void> {
  await withDirectoryLock(file, async () => {
    if (rows === '' || (await readTextFile(file))?.includes(rows)) return;
    await appendFile(file, rows, { mode: 0o600 });
  });
}

function cell(value: string | number | undefined): string {
  const text = value === undefined ? '' : String(value);
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim() || '-';
}
