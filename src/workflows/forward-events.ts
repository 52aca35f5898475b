import type { RunEvent } from '../engine/event.ts';
import { readEvents } from '../engine/event-log.ts';
import type { LiveRun } from '../engine/live-run.ts';
import type { RunDirectory } from '../engine/run-directory.ts';

const lookMs = 200;

/**
 * Tells the events of other runs while `work` goes on, every event once to this call, and everything when `work` is over.
 * What `tell` writes must have ids of its own, so that a run that goes on tells nothing twice.
 */
export async function forwardEvents<Result>(
  live: LiveRun,
  runs: readonly { directory: RunDirectory; tell: (event: RunEvent) => void }[],
  work: () => Promise<Result>,
): Promise<Result> {
  const told = runs.map(() => 0);
  const look = () => {
    // Nothing is told by a run that is being left; its successor does that.
    if (live.stopping) return;
    for (const [index, { directory, tell }] of runs.entries()) {
      const events = readEvents(directory.events);
      for (const event of events.slice(told[index])) tell(event);
      told[index] = events.length;
    }
  };
  const looking = setInterval(look, lookMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(looking);
    look();
  }
}
