import type { LaneKind, Usage } from '../base/schema/calls.ts';
import type { Question } from './question.ts';
import type { SeatLoss } from './run-record.ts';

/** What every event carries; `id` makes repeating it harmless. */
export type EventFrame = { v: 1; id: string; run: string; seq: number; time: string };

/** What happens in a run, as a closed list. Every line on a terminal and every picture on a page is made from these. */
export type EventBody =
  | { type: 'run-start'; workflow: string; title: string }
  | { type: 'run-resume'; attempt: number }
  | { type: 'run-pause'; reason: 'question' | 'stop' }
  | { type: 'run-end'; status: string; exit: number; message?: string; degraded?: SeatLoss[] }
  /** `line` is what a terminal prints; a phase that ends without one has nothing to say. */
  | { type: 'phase-start'; phase: string; line: string }
  | { type: 'phase-end'; phase: string; line?: string; elapsedMs: number }
  | { type: 'phase-skip'; phase: string; line: string; elapsedMs: number }
  | { type: 'warning'; phase?: string; text: string }
  | { type: 'note'; phase?: string; text: string }
  | { type: 'body'; heading: string; text: string }
  | {
      type: 'lane-queue';
      lane: string;
      task: string;
      seat: string;
      label: string;
      phase: string;
      /** The agent that was announced for the seat. */
      planned?: string;
    }
  | { type: 'lane-start'; lane: string; agent: string; attempt: number }
  | { type: 'lane-retry'; lane: string; agent: string; attempt: number; kind: LaneKind; message: string }
  | {
      type: 'lane-end';
      lane: string;
      agent: string;
      kind: LaneKind;
      message?: string;
      elapsedMs: number;
      usage: Usage;
    }
  | { type: 'question-ask'; questions: Question[] }
  | { type: 'question-answer'; answers: { question: string; value: string; source: string }[] }
  | { type: 'artifact-write'; name: string; bytes: number; digest: string }
  | { type: 'record'; name: string; value: unknown };

export type RunEvent = EventFrame & EventBody;
