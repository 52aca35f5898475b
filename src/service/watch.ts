import type { RunEvent } from '../engine/event.ts';
import { followEvents } from '../engine/follow.ts';
import { isLive } from '../engine/lock.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../engine/run-record.ts';
import type { Project } from './project.ts';
import { followQueued } from './queue-facts.ts';

export type WatchOptions = {
  signal?: AbortSignal;
  /** Number of the last event that the caller has. */
  after?: number;
  /** Aborted when the process of the run is known to be gone; what it wrote is still read. */
  gone?: AbortSignal;
  notify?: (sentence: string) => void;
};

/** No process works on the run, and no worker will. */
function isOver(record: RunRecord, directory: RunDirectory): boolean {
  return isFinal(record.status) || (!isLive(record, directory) && !isAwaited(record));
}

/** A queued run that no worker holds will be claimed. One that never got into the queue will not. */
export function isAwaited({ queue, status }: RunRecord): boolean {
  return queue !== undefined && !isFinal(status) && status !== 'stopped';
}

/**
 * The events of a run of any process until it has ended or no process works on it. The copy of a queued run is kept up to date
 * meanwhile.
 */
export async function* watchRun(
  project: Project,
  directory: RunDirectory,
  { signal, after = 0, gone, notify = project.notify }: WatchOptions = {},
): AsyncGenerator<RunEvent> {
  const over = new AbortController();
  const { queue, status } = await readRunRecord(directory);
  const following =
    queue === undefined || isFinal(status)
      ? undefined
      : followQueued(project, directory.id, notify, over.signal);
  // Awaited below; until then its failure only ends the watching.
  following?.catch(() => over.abort());
  try {
    const signals = [over.signal, ...(signal === undefined ? [] : [signal])];
    const events = followEvents(directory.events, {
      signal: AbortSignal.any(signals),
      until: async () =>
        gone === undefined ? isOver(await readRunRecord(directory), directory) : gone.aborted,
    });
    for await (const event of events) if (event.seq > after) yield event;
  } finally {
    over.abort();
  }
  await following;
}
