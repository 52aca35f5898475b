import type { RunEvent } from '../../src/engine/event.ts';
import type { RunSummary } from '../../src/service/runs.ts';
import type { Form } from '../../src/surfaces/web/forms.ts';
import type { ListedRuns, Snapshot } from '../../src/surfaces/web/snapshot.ts';
import type { SourceLines } from '../../src/surfaces/web/source-lines.ts';

export type LaneText = { lane: string; attempts: { attempt: number; prompt: string; answer: string }[] };
/** Switches that are on and values, by flag. */
export type Flags = Record<string, string | boolean>;
export type State = { status: RunSummary['status']; questions: string[] };

export type Watcher = {
  events: (events: RunEvent[]) => void;
  state: (state: State) => void;
  /** Whether news can arrive at the moment. */
  connected: (yes: boolean) => void;
};

/** Where the page gets its data: a server, or the report file around it. */
export type Source = {
  /** A run that never changes and cannot be answered. */
  report?: string;
  runs: (limit: number) => Promise<ListedRuns>;
  snapshot: (run: string) => Promise<Snapshot>;
  /** All events so far, then those that come; the result ends it. */
  watch: (run: string, watcher: Watcher) => () => void;
  artifact: (run: string, name: string) => Promise<string>;
  /** A picture of the run as a data address. */
  picture: (run: string, name: string) => Promise<string>;
  lane: (run: string, lane: string) => Promise<LaneText>;
  lines: (run: string, place: { path: string; line: number; endLine: number }) => Promise<SourceLines>;
  /** The commands that the page can start, with their flags. */
  forms: () => Promise<Form[]>;
  /** Starts a run; gives its id. */
  start: (body: { command: string; text: string; flags: Flags; file?: string }) => Promise<string>;
  steer: (run: string, action: 'answers' | 'resume' | 'cancel', body?: unknown) => Promise<void>;
};
