import { statSync } from 'node:fs';
import path from 'node:path';
import type { EventLog } from './event-log.ts';
import type { LiveRun } from './live-run.ts';
import type { RunDirectory } from './run-directory.ts';
import { readRunRecordSync, updateRunRecord } from './run-record.ts';

/** Artifacts that the run wrote and that were deleted or emptied since. */
export function missingArtifacts(directory: RunDirectory, events: EventLog): string[] {
  const written = new Map<string, number>();
  for (const event of events.entries)
    if (event.type === 'artifact-write') written.set(event.name, event.bytes);
  return [...written].flatMap(([name, bytes]) =>
    bytes > 0 && sizeOf(path.join(directory.artifacts, name)) === 0 ? [name] : [],
  );
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Reports what is missing of a resumed run. Replaying its steps writes events and artifacts again. */
export async function reportLoss(live: LiveRun): Promise<void> {
  if (live.eventsLost) {
    warn(
      live,
      'events.jsonl was deleted or emptied. Charrette rebuilds the events from the journal; their times and what agents did during finished calls are lost.',
    );
    await noteLost(live, ['events.jsonl']);
  }
  const count = live.missingArtifacts.size;
  if (count > 0)
    warn(
      live,
      `${count} artifacts were deleted or emptied. Charrette writes them again: ${named(live.missingArtifacts)}.`,
    );
}

/** What could not be written again, at the end of a run. */
export async function reportMissing(live: LiveRun): Promise<string[]> {
  const missing = missingArtifacts(live.directory, live.events);
  if (missing.length > 0) {
    warn(live, `Lost artifacts: ${named(missing)}.`);
    await noteLost(
      live,
      missing.map((name) => `artifacts/${name}`),
    );
  }
  return missing;
}

async function noteLost(live: LiveRun, names: readonly string[]): Promise<void> {
  const { lost } = readRunRecordSync(live.directory);
  await updateRunRecord(live.directory, { lost: [...new Set([...(lost ?? []), ...names])] });
}

function warn(live: LiveRun, text: string): void {
  live.events.emit(`run:lost-${live.events.count}`, { type: 'warning', text });
}

function named(names: Iterable<string>): string {
  return [...names].sort().join(', ');
}
