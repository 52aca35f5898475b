import { realpathSync } from 'node:fs';
import { loadConfig } from '../config/config.ts';
import { waitForLock } from '../engine/lock.ts';
import { cloneAt } from '../engine/queue/place.ts';
import type { Queue } from '../engine/queue/queue.ts';
import type { QueueState } from '../engine/queue/queued-run.ts';
import { type Home, runDirectoryOf } from '../engine/run-directory.ts';
import { isFinal, readRunRecordSync } from '../engine/run-record.ts';
import { toCharretteError } from '../errors.ts';
import type { Invocation } from './command.ts';
import { withQueue } from './shared-queue.ts';
import { tell } from './tell.ts';

/** What the queue knows of a run, and why it does not go on. */
export type QueueFacts = { state: QueueState; worker?: string; waits?: string };

type Caller = Pick<Invocation, 'global' | 'terminal'>;

/**
 * Brings the records of queued runs that other machines work on up to date and says how they stand. A store that does not
 * answer is named on stderr; what is on disk is shown all the same.
 */
export async function refreshQueued(
  home: Home,
  caller: Caller,
  runs: readonly string[],
): Promise<Map<string, QueueFacts>> {
  const ids = runs.filter((id) => isOpenInQueue(home, id));
  if (ids.length === 0) return new Map();
  const { config } = await loadConfig({
    project: home.project,
    env: caller.terminal.env,
    file: caller.global.config,
  });
  if (typeof config.store !== 'object') return new Map();
  try {
    return await withQueue(home.project, caller, async (queue) => {
      const { facts } = await lookAt(queue, home, ids, config.queue?.silentSeconds ?? 15, new Map());
      return facts;
    });
  } catch (error) {
    tell(caller.terminal, toCharretteError(error).message);
    return new Map();
  }
}

/** One look at the queue: copies of runs that go on elsewhere are brought up to date from where they were. */
export async function lookAt(
  queue: Queue,
  home: Home,
  ids: readonly string[],
  silentSeconds: number,
  seen: ReadonlyMap<string, number>,
): Promise<{ facts: Map<string, QueueFacts>; seen: Map<string, number> }> {
  const [{ readEntries }, { readWorkers }, { whyWaiting }, { pullRun }] = await Promise.all([
    import('../engine/queue/queued-run.ts'),
    import('../engine/queue/workers.ts'),
    import('../engine/queue/waiting.ts'),
    import('../engine/queue/restore.ts'),
  ]);
  const [entries, workers] = [await readEntries(queue, ids), await readWorkers(queue)];
  const here = cloneAt(realpathSync(home.project));
  const facts = new Map<string, QueueFacts>();
  const now = new Map(seen);
  for (const entry of entries) {
    const directory = runDirectoryOf(home, entry.run);
    if (entry.atClone !== here) {
      // A process of this clone that lost the run may still be putting its copy away; a dead one's lock holds nobody up.
      const attempt = await waitForLock(directory.lock);
      if (attempt.held) {
        try {
          now.set(entry.run, await pullRun(queue, directory, seen.get(entry.run) ?? 0));
        } finally {
          attempt.lock.release();
        }
      }
    }
    const waits = whyWaiting(entry, workers, silentSeconds);
    facts.set(entry.run, {
      state: entry.state,
      ...(entry.worker === undefined ? {} : { worker: entry.worker }),
      ...(waits === undefined ? {} : { waits }),
    });
  }
  return { facts, seen: now };
}

function isOpenInQueue(home: Home, id: string): boolean {
  try {
    const { queue, status } = readRunRecordSync(runDirectoryOf(home, id));
    return queue !== undefined && !isFinal(status);
  } catch {
    return false;
  }
}
