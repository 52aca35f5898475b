import { setTimeout as sleep } from 'node:timers/promises';
import { openQuestions } from '../engine/answers.ts';
import { cancelIdle } from '../engine/cancel-idle.ts';
import { clockFrom } from '../engine/clock.ts';
import { hasEnded, unheardOnOtherHost } from '../engine/engine-errors.ts';
import { leaveMessage } from '../engine/inbox.ts';
import { readLedger, totalsOf } from '../engine/ledger.ts';
import { isLive, lockOnOtherHost } from '../engine/lock.ts';
import { newestRuns } from '../engine/newest-runs.ts';
import type { Question } from '../engine/question.ts';
import { type Home, markedWaiting, type RunDirectory, runDirectoryOf } from '../engine/run-directory.ts';
import {
  isFinal,
  type RunRecord,
  readRunRecord,
  readRunRecordSync,
  type SeatLoss,
} from '../engine/run-record.ts';
import type { Project } from './project.ts';
import { refreshQueued } from './queue-facts.ts';

/** A run as lists show it. `interrupted`: its process died without a final status. */
export type RunSummary = {
  run: string;
  workflow: string;
  title: string;
  status: RunRecord['status'] | 'interrupted' | 'unreadable';
  created: string;
  calls: number;
  tokens: number;
  /** Calls that did not report how many tokens they used. */
  callsUnknown: number;
  usd: number;
  /** Why a queued run waits, or until when one sleeps. */
  waits?: string;
  /** Seats that were not filled as announced. */
  degraded?: SeatLoss[];
};

/** `sleeping until 2026-11-20T09:53:00.000Z (Claude Code: used up)`. */
export function sleepText({ until, reason }: NonNullable<RunRecord['sleeping']>): string {
  return `sleeping until ${until} (${reason})`;
}

export function shownStatus(record: RunRecord, directory: RunDirectory): RunSummary['status'] {
  return record.status === 'running' && !isLive(record, directory) ? 'interrupted' : record.status;
}

/** How many runs a list has unless more are asked for. */
export const defaultListed = 50;

/** A part of all runs, newest first. `queued`: those of them that are in a queue of workers and have not ended. */
export type RunPage = { runs: RunSummary[]; total: number; queued: string[] };

/** The newest runs; only those that are shown are read. */
export async function listRuns(
  home: Home,
  { limit = defaultListed, offset = 0 }: { limit?: number; offset?: number } = {},
): Promise<RunPage> {
  const { ids, total } = await newestRuns(home, offset + limit);
  const queued: string[] = [];
  const runs = ids.slice(offset).map((id) => {
    const { summary, isQueued } = readRun(home, id);
    if (isQueued) queued.push(id);
    return summary;
  });
  return { runs, total, queued };
}

/** Older runs at most that are listed because they wait. */
const maxWaiting = 100;

/** The newest runs, and after them the older ones that wait for a person. */
export async function listRunsAndWaiting(home: Home, limit: number): Promise<RunPage> {
  const page = await listRuns(home, { limit });
  const listed = new Set(page.runs.map(({ run }) => run));
  const waiting = markedWaiting(home)
    .filter((id) => !listed.has(id))
    .slice(0, maxWaiting)
    .map((id) => summaryOf(home, id))
    .filter(({ status }) => status === 'paused');
  return { ...page, runs: [...page.runs, ...waiting] };
}

/** One run as lists show it; one whose record is broken is listed as such instead of hiding the rest. */
export function summaryOf(home: Home, id: string): RunSummary {
  return readRun(home, id).summary;
}

function readRun(home: Home, id: string): { summary: RunSummary; isQueued: boolean } {
  const directory = runDirectoryOf(home, id);
  const nothing = { calls: 0, tokens: 0, callsUnknown: 0, usd: 0 };
  try {
    const record = readRunRecordSync(directory);
    const { workflow, title, created, queue, degraded, sleeping } = record;
    const cost = costOf(directory) ?? nothing;
    return {
      summary: {
        ...{ run: id, workflow, title, status: shownStatus(record, directory), created, ...cost },
        ...(sleeping === undefined || isFinal(record.status) ? {} : { waits: sleepText(sleeping) }),
        ...(degraded === undefined ? {} : { degraded }),
      },
      isQueued: queue !== undefined && !isFinal(record.status),
    };
  } catch {
    const cost = costOf(directory) ?? nothing;
    const unread = { run: id, workflow: '?', title: '', status: 'unreadable', created: '' } as const;
    return { summary: { ...unread, ...cost }, isQueued: false };
  }
}

/** Nothing when the ledger cannot be read. */
function costOf({
  ledger,
}: RunDirectory): Pick<RunSummary, 'calls' | 'tokens' | 'callsUnknown' | 'usd'> | undefined {
  try {
    const totals = totalsOf(readLedger(ledger));
    const tokens = totals.inputTokens + totals.outputTokens;
    return { calls: totals.calls, tokens, callsUnknown: totals.basis.unknown, usd: totals.usd };
  } catch {
    return undefined;
  }
}

/** How long to wait for a process on another host: one that is gone never answers. */
const otherHostMs = 5000;

/**
 * Cancels a run and waits until it has ended. The process or worker that holds the run ends it; a run that no one works on ends
 * here. When the signal aborts before the end, the record returned is not final.
 */
export async function cancel(
  project: Project,
  directory: RunDirectory,
  signal: AbortSignal,
): Promise<RunRecord> {
  const record = await readRunRecord(directory);
  if (isFinal(record.status)) throw hasEnded(record);
  const isNotified = record.queue !== undefined || isLive(record, directory);
  if (record.queue !== undefined) {
    const { cancelQueued } = await import('./queue.ts');
    await cancelQueued(project, directory.id, signal);
    await refreshQueued(project, [directory.id]);
  } else if (isNotified) {
    await leaveMessage(directory.inbox, { type: 'cancel', reason: 'cancelled by another process' });
    await untilEnded(directory, signal);
  }
  const left = await readRunRecord(directory);
  if (!isFinal(left.status) && isNotified && signal.aborted) return left;
  // No one works on it, or the process that did is gone without having read the message.
  const after = isFinal(left.status) ? left : await cancelIdle(directory, clockFrom(project.env));
  if (after.status !== 'cancelled') throw hasEnded(after);
  return after;
}

/** Waits until the process that works on the run has ended it, or is gone. */
async function untilEnded(directory: RunDirectory, signal: AbortSignal): Promise<void> {
  const limit = performance.now() + otherHostMs;
  for (;;) {
    const record = await readRunRecord(directory);
    if (signal.aborted || !isLive(record, directory)) return;
    const hold = lockOnOtherHost(record, directory);
    if (hold !== undefined && performance.now() > limit)
      throw unheardOnOtherHost(directory.id, hold.holder, hold.file);
    await sleep(100);
  }
}

/** The state of a run: its record, the status that users see, and what it asks. */
export type RunStatus = { record: RunRecord; status: RunSummary['status']; questions: Question[] };

export async function runStatus(directory: RunDirectory): Promise<RunStatus> {
  const record = await readRunRecord(directory);
  const questions = isFinal(record.status) ? [] : openQuestions(directory);
  return { record, status: shownStatus(record, directory), questions };
}

/** The run ended, no process works on it, or it waits for a person. */
export function isSettled({ record, questions }: RunStatus, directory: RunDirectory): boolean {
  return !isLive(record, directory) || (record.status === 'paused' && questions.length > 0);
}
