import { realpathSync } from 'node:fs';
import { type CharretteError, isCharretteError, toCharretteError } from '../../base/errors.ts';
import { systemClock } from '../../engine/clock.ts';
import { waitForLock } from '../../engine/lock.ts';
import { cloneAt } from '../../engine/queue/place.ts';
import type { Queue } from '../../engine/queue/queue.ts';
import type { QueueEntry, QueueState } from '../../engine/queue/queued-run.ts';
import { type Home, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { isFinal, readRunRecordSync, updateRunRecord } from '../../engine/run-record.ts';
import type { Invocation } from './command.ts';
import { tell } from './tell.ts';

/** What the queue knows of a run, and why it does not go on. `unknown`: the queue has never had it, or has it no more. */
export type QueueFacts = { state: QueueState | 'unknown'; worker?: string; waits?: string };

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
  // Not loaded where nothing is queued.
  const [{ loadConfig }, { withQueue }] = await Promise.all([
    import('../../base/config/config.ts'),
    import('./shared-queue.ts'),
  ]);
  const { config } = await loadConfig({
    project: home.project,
    env: caller.terminal.env,
    file: caller.global.config,
  });
  if (typeof config.store !== 'object') return new Map();
  try {
    return await withQueue(home.project, caller, async (queue) => {
      const { facts } = await lookAt(
        queue,
        home,
        ids,
        config.queue?.heartbeatTimeoutSeconds ?? 15,
        new Map(),
      );
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
  heartbeatTimeoutSeconds: number,
  seen: ReadonlyMap<string, number>,
): Promise<{ facts: Map<string, QueueFacts>; seen: Map<string, number> }> {
  const [{ readEntries }, { readWorkers }, { whyWaiting }, { pullRun }] = await Promise.all([
    import('../../engine/queue/queued-run.ts'),
    import('../../engine/queue/workers.ts'),
    import('../../engine/queue/waiting.ts'),
    import('../../engine/queue/restore.ts'),
  ]);
  const [entries, workers] = [await readEntries(queue, ids), await readWorkers(queue)];
  const here = cloneAt(realpathSync(home.project));
  const facts = new Map<string, QueueFacts>();
  const now = new Map(seen);
  for (const entry of entries) {
    const directory = runDirectoryOf(home, entry.run);
    const from = seen.get(entry.run) ?? 0;
    const pull = entry.atClone === here ? undefined : () => pullRun(queue, directory, from);
    const pulled = pull === undefined ? from : await copied(directory, pull);
    if (typeof pulled === 'number') now.set(entry.run, pulled);
    const waits =
      (await whyNot(directory, entry, pulled)) ?? whyWaiting(entry, workers, heartbeatTimeoutSeconds);
    facts.set(entry.run, {
      state: entry.state,
      ...(entry.worker === undefined ? {} : { worker: entry.worker }),
      ...(waits === undefined ? {} : { waits }),
    });
  }
  for (const run of ids.filter((id) => !facts.has(id)))
    facts.set(run, {
      state: 'unknown',
      waits: `the queue of this store does not have it; \`charrette resume ${run}\` puts it there`,
    });
  return { facts, seen: now };
}

/**
 * Brings a copy up to date, unless a process of this clone that lost the run is still putting it away (`undefined`); a dead one's
 * lock holds nobody up. What the store has of a run may be of no use; that is said of this run and hides no other.
 */
async function copied(
  { lock }: RunDirectory,
  pull: () => Promise<number>,
): Promise<number | CharretteError | undefined> {
  const attempt = await waitForLock(lock);
  if (!attempt.held) return undefined;
  try {
    return await pull().catch(asTrouble);
  } finally {
    attempt.lock.release();
  }
}

function asTrouble(error: unknown): CharretteError {
  if (isCharretteError(error)) return error;
  throw error;
}

/** Exits of runs whose end only the queue tells: their files are no longer in the store, or never got there. */
const exits = { done: 0, 'not-accepted': 6, failed: 1, cancelled: 1 } as const;

/** Why a copy is not what it could be. A run that has ended has done so here too, whatever became of its files. */
async function whyNot(
  directory: RunDirectory,
  { state, note = '' }: QueueEntry,
  pulled: number | CharretteError | undefined,
): Promise<string | undefined> {
  const trouble = isCharretteError(pulled) ? pulled.message : undefined;
  if (state !== 'ended' || pulled === undefined || !Object.hasOwn(exits, note)) return trouble;
  if (isFinal(readRunRecordSync(directory).status)) return trouble;
  const status = note as keyof typeof exits;
  if (status === 'cancelled') {
    // Not loaded by those who only list runs.
    const { putCancelled } = await import('../../engine/cancel-idle.ts');
    const held = await putCancelled(directory, systemClock).catch(asTrouble);
    return held instanceof Error ? held.message : trouble;
  }
  const ended = new Date().toISOString();
  await updateRunRecord(directory, { status, exit: exits[status], ended, process: undefined });
  if (trouble !== undefined) return trouble;
  return `it ended elsewhere (${status}), and the store does not have all that it wrote`;
}

function isOpenInQueue(home: Home, id: string): boolean {
  try {
    const { queue, status } = readRunRecordSync(runDirectoryOf(home, id));
    return queue !== undefined && !isFinal(status);
  } catch {
    return false;
  }
}
