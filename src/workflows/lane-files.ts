import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LaneResult } from '../agents/port.ts';
import { writeFileAtomicSync, writeJsonAtomicSync } from '../base/files/atomic.ts';
import { isRecord, readJson } from '../base/safe-json.ts';

/** What a lane is asked; it stands in a file, so that the journal stays small. */
export type LaneQuestion = { prompt: string; input: unknown };

/**
 * Writes the question of a lane and gives its digest; doing it again changes nothing. Where the run's own folder is does
 * not count, so that `--from-run` knows the same question again.
 */
export function writeQuestion(lanes: string, lane: string, question: LaneQuestion): string {
  const text = `${JSON.stringify({ schemaVersion: 1, ...question })}\n`;
  const file = questionFile(lanes, lane);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileAtomicSync(file, text);
  const folder = JSON.stringify(path.dirname(lanes)).slice(1, -1);
  return createHash('sha256').update(text.replaceAll(folder, '')).digest('hex');
}

export function readQuestion(lanes: string, lane: string): LaneQuestion {
  const reading = readJson(readFileSync(questionFile(lanes, lane), 'utf8'));
  if (!reading.ok || !isRecord(reading.value))
    throw new Error(`The question of lane ${lane} cannot be read.`);
  return { prompt: String(reading.value['prompt']), input: reading.value['input'] };
}

function questionFile(lanes: string, lane: string): string {
  return path.join(lanes, `${lane}.json`);
}

/** One folder per attempt: prompt, answer, events, result. */
export function beginAttempt(directory: string, prompt: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'prompt.md'), prompt);
}

export type AttemptRecord = {
  schemaVersion: 1;
  digest: string;
  agent: string;
  task: string;
  result: LaneResult;
};

/** The result goes last: where it stands, the attempt is complete. */
export function finishAttempt(directory: string, record: AttemptRecord): void {
  writeFileSync(path.join(directory, 'answer.txt'), record.result.text);
  writeJsonAtomicSync(path.join(directory, 'result.json'), record);
}

/**
 * The answer of an attempt that finished well for exactly this request, if there is one on disk. One of the wrong form
 * counts where its repair turn ended well: the same words are repaired by the same turn, which is then found as well.
 */
export function finishedAttempt(directory: string, digest: string, agent: string): LaneResult | undefined {
  const record = recordIn(directory);
  if (record?.digest !== digest || record.agent !== agent) return undefined;
  const kind = record.result?.kind;
  const isFinished =
    kind === 'ok' || (kind === 'bad_output' && recordIn(repairOf(directory))?.result?.kind === 'ok');
  return isFinished ? record.result : undefined;
}

/** Where the repair turn of an attempt has its files. */
export function repairOf(attempt: string): string {
  return `${attempt}-repair`;
}

function recordIn(directory: string): Partial<AttemptRecord> | undefined {
  const file = path.join(directory, 'result.json');
  if (!existsSync(file)) return undefined;
  const reading = readJson(readFileSync(file, 'utf8'));
  return reading.ok && isRecord(reading.value) ? reading.value : undefined;
}
