import type { SkipReason } from './skip-rules.ts';

/** One text file as it is at the commit. */
export type SnapshotFile = { path: string; oid: string; size: number; text: string };

export type SkippedFile = { path: string; reason: SkipReason };

/** One commit of the history, with the files it touched. */
export type HistoryCommit = { id: string; time: number; message: string; files: readonly string[] };

/** A repository at one commit: everything evidence is drawn from. Nothing below reads the disk. */
export type Snapshot = {
  /** Full id of the commit; for a folder without git a digest of its contents. */
  commit: string;
  files: readonly SnapshotFile[];
  skipped: readonly SkippedFile[];
  /** Newest first, merges left out, up to and including `commit`. */
  history: readonly HistoryCommit[];
};

/** The first line of a text that is not blank, from 1; 1 when all are. */
export function firstFilledLine(text: string): number {
  return (
    Math.max(
      0,
      linesOf(text).findIndex((line) => line.trim() !== ''),
    ) + 1
  );
}

/** The lines of a text, without their ends; a final line end makes no further line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
