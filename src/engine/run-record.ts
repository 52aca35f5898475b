import { CharretteError } from '../base/errors.ts';
import { writeJsonAtomic, writeJsonAtomicSync } from '../base/files/atomic.ts';
import { readTextFile, readTextFileSync } from '../base/files/bounded.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { isSeatLoss } from './event-reading.ts';
import { isProcessIdentity, type ProcessIdentity } from './lock.ts';
import type { RunDirectory } from './run-directory.ts';
import { markWaiting } from './run-directory.ts';

const runStatuses = [
  'queued',
  'running',
  'paused',
  'done',
  'not-accepted',
  'failed',
  'cancelled',
  'stopped',
] as const;

/**
 * `queued`: it waits for a worker. `running`: some process works on it, or died doing so. `paused`: it waits for an
 * answer. `stopped`: saved, resumable.
 * The rest are ends.
 */
export type RunStatus = (typeof runStatuses)[number];

/** A seat that ended with less than was announced when the run started. `actual`: who took it; `null` when its answer is missing. */
export type SeatLoss = { role: string; seat: string; planned: string; actual: string | null; reason: string };

/** What a run lost. `oneSided`: rounds that fewer than two families answered although two were announced. */
export type Degraded = { seats: SeatLoss[]; oneSided: string[] };

/** run.json. Fields that this version does not know are kept as they are. */
export type RunRecord = {
  schemaVersion: 1;
  run: string;
  workflow: string;
  /** Version of the workflow code; a run continues only under the code that started it. */
  codeVersion: string;
  title: string;
  inputs: unknown;
  baseCommit?: string;
  /** The branch that a design checked out; `merge`: the commit on it that the run made. */
  branch?: { name: string; created: boolean; previous: string; merge?: string };
  status: RunStatus;
  created: string;
  /** Made for the queue of a shared store; `yes`: questions take the recommended answer. */
  queue?: { labels: string[]; yes: boolean };
  /** It came from an archive and has not continued since: a journal in the store is of another copy. */
  imported?: true;
  /** The process that works on it. */
  process?: ProcessIdentity;
  /** Parts of the record that were deleted or emptied from outside and could not be rebuilt in full. */
  lost?: string[];
  /** It waits for the reset of an account, and continues automatically. */
  sleeping?: { until: string; reason: string } | undefined;
  /** Seats that others filled or that gave no answer; absent when everyone answered as announced. */
  degraded?: SeatLoss[];
  /** Rounds that fewer than two families answered although two were announced. */
  oneSided?: string[];
  ended?: string;
  exit?: number;
  error?: { code: string; message: string; fix?: string };
  [unknown: string]: unknown;
};

const finalStatuses: readonly RunStatus[] = ['done', 'not-accepted', 'failed', 'cancelled'];

export function isFinal(status: RunStatus): boolean {
  return finalStatuses.includes(status);
}

export async function writeRunRecord(directory: RunDirectory, record: RunRecord): Promise<void> {
  await writeJsonAtomic(directory.record, record);
}

export async function readRunRecord(directory: RunDirectory): Promise<RunRecord> {
  return parseRunRecord(directory, await readTextFile(directory.record));
}

/** The same without giving up the turn. */
export function readRunRecordSync(directory: RunDirectory): RunRecord {
  return parseRunRecord(directory, readTextFileSync(directory.record));
}

function parseRunRecord(directory: RunDirectory, text: string | undefined): RunRecord {
  if (text === undefined) {
    throw new CharretteError({
      code: 'run-not-found',
      message: `No run ${directory.id} in ${directory.root}.`,
      fix: 'Run `charrette runs` for the list.',
    });
  }
  const reading = readJson(text);
  if (!reading.ok || !isRunRecord(reading.value)) {
    throw new CharretteError({
      code: 'json-invalid',
      message: `${directory.record} is not a run record${reading.ok ? '' : `: ${reading.message}`}.`,
      fix: 'Restore the file from a backup, or remove the run with `charrette runs rm`.',
    });
  }
  return reading.value;
}

/** Changes fields of the record. Nothing else of this process runs in between: two changes at the same time would lose one. */
export async function updateRunRecord(
  directory: RunDirectory,
  change: Partial<RunRecord>,
): Promise<RunRecord> {
  const record = { ...readRunRecordSync(directory), ...change };
  writeJsonAtomicSync(directory.record, record);
  if (change.status !== undefined) markWaiting(directory, change.status === 'paused');
  return record;
}

function isRunRecord(value: unknown): value is RunRecord {
  return (
    isRecord(value) &&
    value['schemaVersion'] === 1 &&
    ['run', 'workflow', 'codeVersion', 'title', 'created'].every((name) => isString(value[name])) &&
    ['baseCommit', 'ended'].every((name) => isMissingOr(value[name], isString)) &&
    isMissingOr(value['exit'], Number.isInteger) &&
    isMissingOr(value['branch'], isBranch) &&
    isMissingOr(value['queue'], isQueue) &&
    isMissingOr(value['process'], isProcessIdentity) &&
    isMissingOr(value['error'], isFailure) &&
    isMissingOr(value['sleeping'], isSleep) &&
    isMissingOr(value['degraded'], (seats) => Array.isArray(seats) && seats.every(isSeatLoss)) &&
    isMissingOr(value['oneSided'], (rounds) => Array.isArray(rounds) && rounds.every(isString)) &&
    runStatuses.includes(value['status'] as RunStatus)
  );
}

const isString = (value: unknown) => typeof value === 'string';

function isFailure(value: unknown): boolean {
  if (!isRecord(value) || !isString(value['message'])) return false;
  return ['code', 'fix'].every((name) => isMissingOr(value[name], isString));
}

function isBranch(value: unknown): boolean {
  if (!isRecord(value) || typeof value['created'] !== 'boolean') return false;
  return ['name', 'previous'].every((name) => isString(value[name])) && isMissingOr(value['merge'], isString);
}

function isSleep(value: unknown): boolean {
  return isRecord(value) && ['until', 'reason'].every((name) => isString(value[name]));
}

function isQueue(value: unknown): boolean {
  if (!isRecord(value) || typeof value['yes'] !== 'boolean') return false;
  return Array.isArray(value['labels']) && value['labels'].every(isString);
}

function isMissingOr(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || is(value);
}
