import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LaneResult } from '../../agents/port.ts';
import { writeFileAtomicSync, writeJsonAtomicSync } from '../../base/files/atomic.ts';
import { isRecord, parseJson, readJson } from '../../base/safe-json.ts';
import { relocate } from '../../engine/run-files.ts';

/** What a call asks, kept in a file so that the journal stays small. `session`: an earlier one of the agent to continue. */
export type CallQuestion = { prompt: string; input?: unknown; session?: string | undefined };

/**
 * Writes the question of a call and returns its digest; doing it again changes nothing. Neither the run's folder nor the place of
 * the project counts, so that `--from-run` and a copy of the project recognise the question.
 */
export function writeQuestion(
  { lanes, project }: { lanes: string; project: string },
  lane: string,
  question: CallQuestion,
): string {
  const whole = { schemaVersion: 1, ...question };
  const text = `${JSON.stringify(whole)}\n`;
  const file = path.join(lanes, `${lane}.json`);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileAtomicSync(file, text);
  const withoutRun = text.replaceAll(JSON.stringify(path.dirname(lanes)).slice(1, -1), '');
  const placeless = relocate(parseJson(withoutRun, file), project, '.');
  return createHash('sha256')
    .update(`${JSON.stringify(placeless)}\n`)
    .digest('hex');
}

/** One folder per attempt: prompt, answer, events, result. */
export function beginAttempt(directory: string, prompt: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'prompt.md'), prompt);
}

/** `start`: in which start of the run, counted from 1; `time`: when it ended. */
export type AttemptRecord = {
  schemaVersion: 1;
  digest: string;
  agent: string;
  task: string;
  start: number;
  time: string;
  result: LaneResult;
};

/** The result goes last: where it exists, the attempt is complete. */
export function finishAttempt(directory: string, record: AttemptRecord): void {
  writeFileSync(path.join(directory, 'answer.txt'), record.result.text);
  writeJsonAtomicSync(path.join(directory, 'result.json'), record);
}

/** When an attempt or its repair turn ended. */
export function attemptTime(directory: string): number | undefined {
  const times = [directory, repairOf(directory)].map((place) => Date.parse(attemptIn(place)?.time ?? ''));
  return times.findLast((time) => !Number.isNaN(time));
}

/** Where the repair turn of an attempt has its files. */
export function repairOf(attempt: string): string {
  return `${attempt}-repair`;
}

type Attempt = Pick<AttemptRecord, 'digest' | 'agent' | 'result'> & Partial<AttemptRecord>;

/** The record of a complete attempt; a truncated one is none. */
export function attemptIn(directory: string): Attempt | undefined {
  const file = path.join(directory, 'result.json');
  if (!existsSync(file)) return undefined;
  const reading = readJson(readFileSync(file, 'utf8'));
  if (!reading.ok || !isRecord(reading.value) || !isRecord(reading.value['result'])) return undefined;
  const { digest, agent, result } = reading.value;
  const isWhole = [digest, agent, result['kind']].every((value) => typeof value === 'string');
  return isWhole ? (reading.value as unknown as Attempt) : undefined;
}
