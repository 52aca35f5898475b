import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDirectory } from '../engine/run-directory.ts';
import { isFinal, isLive, type RunRecord, readRunRecord } from '../engine/run-record.ts';

/** How often the record of a run is looked at that nobody works on: whoever ends such a run does it in a moment. */
const idleLooks = 20;

/** The record after the last event of a run was seen; whoever ends a run writes the one right after the other. */
export async function settledRecord(directory: RunDirectory, signal: AbortSignal): Promise<RunRecord> {
  for (let looks = 1; ; looks += 1) {
    const record = await readRunRecord(directory);
    const isLeft = !isLive(record) && looks >= idleLooks;
    if (isFinal(record.status) || isLeft || signal.aborted) return record;
    await sleep(50);
  }
}
