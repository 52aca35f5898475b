import path from 'node:path';
import { appendOwnLine } from '../base/files/atomic.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { type Part, words } from './part.ts';
import type { DispatchRecord } from './rates.ts';

export type IterationContext = {
  /** Counted from 1 (lean/C-19). */
  iteration: number;
  max: number;
  phaseReview?: boolean;
  /** Issues of the iteration before, as the reviewer worded them. */
  previousIssues?: string;
  /** T-103: said when a session that should have been continued is gone. */
  unavailable?: 'review' | 'fix';
};

/** T-041, T-042. */
export function iterationLine({ iteration, max, phaseReview }: IterationContext): string {
  return phaseReview === true
    ? `This is phase-review iteration ${iteration}/${max}.`
    : `This is iteration ${iteration} of ${max}.`;
}

/** T-041, T-103: which round this is and what the last one found. */
export function iterationPart(context: IterationContext): Part {
  const lines = [
    iterationLine(context),
    ...(context.unavailable === undefined
      ? []
      : [`(Fresh dispatch — prior ${context.unavailable} session unavailable.)`]),
  ];
  const issues = context.iteration > 1 ? (context.previousIssues ?? '').trim() : '';
  const part = words('iteration', lines.join('\n'), 'Iteration Context');
  if (issues === '') return part;
  return {
    ...part,
    text: [...lines, 'Previous issues to re-evaluate:'].join('\n'),
    untrusted: [{ tag: 'previous_issues', content: issues, limit: mostIssueCharacters }],
  };
}

const mostIssueCharacters = 60_000;

/** lean/C-06: kept next to the runs, so that finishing a feature does not move it. */
export const dispatchLogFile = path.join('.charrette', 'prompt-log.jsonl');

const mostBytes = 256 * 1024 * 1024;

/** Adds one line, small enough to be written at once; an existing record, to the millisecond, is not added. */
export async function appendDispatch(root: string, record: DispatchRecord): Promise<void> {
  const file = path.join(root, dispatchLogFile);
  await appendOwnLine(path.dirname(file), file, JSON.stringify(record), mostBytes);
}

/** Every record that can be read; a line cut by a crash is skipped. */
export async function readDispatches(root: string): Promise<DispatchRecord[]> {
  const text = (await readTextFile(path.join(root, dispatchLogFile), mostBytes)) ?? '';
  return text.split('\n').flatMap((line) => {
    const reading = line.trim() === '' ? undefined : readJson(line, 1024 * 1024);
    return reading?.ok === true && isDispatch(reading.value) ? [reading.value] : [];
  });
}

function isDispatch(value: unknown): value is DispatchRecord {
  return (
    isRecord(value) &&
    value['v'] === 1 &&
    typeof value['feature'] === 'string' &&
    typeof value['role'] === 'string' &&
    typeof value['iteration'] === 'number' &&
    (value['kind'] === 'fresh' || value['kind'] === 'resumed')
  );
}
