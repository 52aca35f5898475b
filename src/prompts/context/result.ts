import type { UnreadableReason } from './read-document.ts';

/** One line for the log: what others test to the letter is `info`, what the author should look at is a `warning`. */
export type LogLine = { level: 'info' | 'warning'; text: string };

export const info = (text: string): LogLine => ({ level: 'info', text });
export const warning = (text: string): LogLine => ({ level: 'warning', text });

/** A value found in somebody's file, short enough and safe to print on one line. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** `auto`: called by a workflow, honours the gate. `standalone`: asked for by a person. */
export type Mode = 'auto' | 'standalone';

/** Why the block looks as it does; A-59: the machine-readable reason of an empty one. */
export type Outcome =
  | 'loaded'
  | 'gate-closed'
  | 'folder-missing'
  | 'no-candidates'
  | 'all-placeholders'
  | 'nothing-readable';

/** the authority on what is in the block; its text may imitate our own lines. */
export type FileReport = {
  token: string;
  /** As cited: `<dir>/<token>.md`. */
  path: string;
  state: 'whole' | 'cut' | 'dropped' | 'skipped' | 'absent' | 'unreadable';
  reason?: UnreadableReason;
  /** Code points of the whole file. */
  characters?: number;
  /** the estimate of the whole file in tenths of a token. */
  estimateTenths?: number;
  /** Code points in the block; for a cut file the offset of the first one missing. */
  offset?: number;
  /** Where a cut file was cut. */
  cutAt?: 'section' | 'line' | 'character';
};

export type DesignContext = {
  outcome: Outcome;
  mode: Mode;
  dir: string;
  budget: {
    tokens: number;
    rule: string;
    overflow: 'cut' | 'drop';
    /** Sum of the estimates of what is in the block, in tenths of a token. */
    usedTenths: number;
    /** Sum over everything that had content. */
    wantedTenths: number;
  };
  files: FileReport[];
  log: LogLine[];
  /** The block; zero bytes when the gate is closed. */
  text: string;
};
