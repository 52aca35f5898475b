import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Snapshot } from './snapshot.ts';
import type { Traces } from './traces.ts';

/**
 * A write, the first before which the project was in this state: its number, what it went to, or which program it started, how many
 * agents had been called, and the state, which a kill just before it leaves.
 */
export type Point = { write: number; kind: string; target: string; called: number; snapshot: Snapshot };

/** An undisturbed run with the states before its writes, each once, or before a sample of them. */
export type Recording = {
  run: string;
  exit: number;
  /** All writes, also those before which nothing had changed. */
  writes: number;
  /** The questions that were put to whoever was there, in their order. */
  asked: string[];
  calls: string[];
  /** Who sits in which lane. */
  seats: Record<string, string>;
  traces: Traces;
  points: Point[];
};

export const packFile = (folder: string) => path.join(folder, 'blocks');
const recordingFile = (folder: string) => path.join(folder, 'recording.jsonl');

/** A line per point: thousands of them would be too long for one text. */
export function writeRecording(folder: string, { points, ...rest }: Recording): void {
  const lines = [rest, ...points].map((part) => JSON.stringify(part));
  writeFileSync(recordingFile(folder), `${lines.join('\n')}\n`);
}

export function readRecording(folder: string): Recording {
  const [first = '{}', ...lines] = readFileSync(recordingFile(folder), 'utf8').trimEnd().split('\n');
  const rest = JSON.parse(first) as Omit<Recording, 'points'>;
  return { ...rest, points: lines.map((line) => JSON.parse(line) as Point) };
}
