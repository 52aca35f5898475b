import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord, readJson } from '../../base/safe-json.ts';
import type { TreeRoot } from './process-tree.ts';
import { bootIdentity, endTree, readRow, standardStreams } from './process-tree.ts';

const fileName = 'process.json';

/** What a lane directory says about its process, written before anybody waits for it. */
export type ProcessRecord = {
  version: 1;
  pid: number;
  start: string;
  boot: string;
  marker: string;
  streams: readonly string[];
  ended: boolean;
};

/** Notes the process in the lane directory, so that a later command can end it if this one dies. */
export function recordProcess(laneDirectory: string, pid: number, marker: string): ProcessRecord {
  const start = readRow(pid)?.start ?? '';
  const streams = standardStreams(pid);
  const record: ProcessRecord = {
    version: 1,
    pid,
    start,
    boot: bootIdentity(),
    marker,
    streams,
    ended: false,
  };
  writeRecord(laneDirectory, record);
  return record;
}

export function recordEnd(laneDirectory: string, record: ProcessRecord): void {
  writeRecord(laneDirectory, { ...record, ended: true });
}

export function readProcessRecord(laneDirectory: string): ProcessRecord | undefined {
  let text: string;
  try {
    text = readFileSync(path.join(laneDirectory, fileName), 'utf8');
  } catch {
    return undefined;
  }
  const reading = readJson(text);
  if (!reading.ok || !isRecord(reading.value)) return undefined;
  const { pid, start, boot, marker, ended } = reading.value;
  // Numbers of pipes are given out again; after our death only the marker and descent can be trusted.
  const streams: string[] = [];
  if (!Number.isInteger(pid) || Number(pid) < 2 || typeof start !== 'string') return undefined;
  if (typeof boot !== 'string' || typeof marker !== 'string' || marker === '') return undefined;
  return { version: 1, pid: Number(pid), start, boot, marker, streams, ended: ended === true };
}

/** Ends what a killed command left running in these lanes. Answers the directories in which something was ended. */
export async function endOrphans(laneDirectories: readonly string[]): Promise<string[]> {
  const ended = await Promise.all(
    laneDirectories.map(async (laneDirectory) => {
      const record = readProcessRecord(laneDirectory);
      if (record === undefined || record.ended || record.boot !== bootIdentity()) return [];
      const alive = readRow(record.pid)?.start === record.start;
      const left = await endTree(rootOf(record));
      if (left.length === 0) recordEnd(laneDirectory, record);
      return alive ? [laneDirectory] : [];
    }),
  );
  return ended.flat();
}

export function rootOf(record: ProcessRecord, seen: ReadonlyMap<number, string> = new Map()): TreeRoot {
  return {
    leader: record.pid,
    leaderStart: record.start,
    marker: record.marker,
    streams: record.streams,
    seen,
  };
}

function writeRecord(laneDirectory: string, record: ProcessRecord): void {
  const file = path.join(laneDirectory, fileName);
  writeFileSync(`${file}.tmp`, `${JSON.stringify(record)}\n`);
  renameSync(`${file}.tmp`, file);
}
