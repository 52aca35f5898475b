import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDirectory } from '../engine/run-directory.ts';
import { isFinal, isLive, type RunRecord, readRunRecord } from '../engine/run-record.ts';

/** The record after the last event of a run was seen; its process writes the one right after the other. */
export async function settledRecord(directory: RunDirectory, signal: AbortSignal): Promise<RunRecord> {
  for (;;) {
    const record = await readRunRecord(directory);
    if (isFinal(record.status) || !isLive(record) || signal.aborted) return record;
    await sleep(50);
  }
}
