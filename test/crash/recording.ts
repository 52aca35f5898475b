import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Snapshot } from './snapshot.ts';
import type { Traces } from './traces.ts';

/**
 * A write, the first before which the project was in this state: its number, what it went to, or which program it started, how many
 * agents had been called, and under which number the state is kept that a kill just before it leaves.
 */
export type Point = { write: number; kind: string; target: string; called: number; state: number };

/** An undisturbed run and its writes, one for each state before them, or a sample of them. */
export type Recording = {
  run: string;
  exit: number;
  /** All writes, also those before which nothing had changed. */
  writes: number;
  /** The questions that were asked, in order. */
  asked: string[];
  calls: string[];
  /** Who sits in which lane. */
  seats: Record<string, string>;
  traces: Traces;
  points: Point[];
};

export const packFile = (folder: string) => path.join(folder, 'blocks');
const recordingFile = (folder: string) => path.join(folder, 'recording.json');
const stateFile = (folder: string, state: number) => path.join(folder, 'states', `${state}.json`);

export function writeRecording(folder: string, recording: Recording): void {
  writeFileSync(recordingFile(folder), JSON.stringify(recording));
}

export function readRecording(folder: string): Recording {
  return JSON.parse(readFileSync(recordingFile(folder), 'utf8')) as Recording;
}

/** A file each: a process that held thousands of states would be slow to start others. */
export function writeState(folder: string, state: number, snapshot: Snapshot): void {
  mkdirSync(path.dirname(stateFile(folder, state)), { recursive: true });
  writeFileSync(stateFile(folder, state), JSON.stringify(snapshot));
}

export function readState(folder: string, state: number): Snapshot {
  return JSON.parse(readFileSync(stateFile(folder, state), 'utf8')) as Snapshot;
}
