import type { RunEvent } from '../engine/event.ts';
import { readEvents } from '../engine/event-log.ts';
import type { LiveRun } from '../engine/live-run.ts';
import type { RunDirectory } from '../engine/run-directory.ts';

const lookMs = 200;

/**
 * Forwards the events of other runs while `work` runs, each event once per call, and the rest when `work` ends. What `tell`
 * writes must have separate ids, so that a resumed run forwards nothing twice.
 */
export async function forwardEvents<Result>(
  live: LiveRun,
  runs: readonly { directory: RunDirectory; tell: (event: RunEvent) => void }[],
  work: () => Promise<Result>,
): Promise<Result> {
  const told = runs.map(() => 0);
  const look = () => {
    // A stopping run forwards nothing; its successor does.
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
