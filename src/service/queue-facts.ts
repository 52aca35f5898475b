import { realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CharretteError, isCharretteError, toCharretteError } from '../base/errors.ts';
import { systemClock } from '../engine/clock.ts';
import { waitForLock } from '../engine/lock.ts';
import type { Queue } from '../engine/queue/queue.ts';
import type { QueueEntry, QueueState } from '../engine/queue/queued-run.ts';
import { cloneAt } from '../engine/queue/workers.ts';
import { type Home, type RunDirectory, runDirectoryOf } from '../engine/run-directory.ts';
import { isFinal, readRunRecordSync, updateRunRecord } from '../engine/run-record.ts';
import { type Project, settingsOf } from './project.ts';

/** What the queue knows of a run, and why it waits. `unknown`: the queue has never had it, or has it no more. */
export type QueueFacts = { state: QueueState | 'unknown'; worker?: string; waits?: string };

/**
 * Brings the records of queued runs that other machines work on up to date and returns their state. When the database cannot be
 * reached, the user is notified and the copies on disk stay as they are.
 */
export async function refreshQueued(
  project: Project,
  runs: readonly string[],
): Promise<Map<string, QueueFacts>> {
  const ids = runs.filter((id) => isOpenInQueue(project, id));
  if (ids.length === 0) return new Map();
  const { store, queue: settings } = await settingsOf(project);
  if (typeof store !== 'object') return new Map();
  try {
    // Not loaded where nothing is queued.
    const { withQueue } = await import('./queue.ts');
    return await withQueue(project, async (queue) => {
      const { facts } = await pollQueue(queue, project, ids, settings.heartbeatTimeoutSeconds, new Map());
      return facts;
    });
  } catch (error) {
    project.notify(toCharretteError(error).message);
    return new Map();
  }
}

const intervalMs = 400;
const retryDelayMs = 1000;

/**
 * Keeps the copy of a run that another machine works on up to date, and reports once why the run waits, until the signal ends it.
 * A database that cannot be reached is reported once and tried again.
 */
export async function followQueued(
  project: Project,
  run: string,
  report: (sentence: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { store, queue: settings } = await settingsOf(project);
  if (typeof store !== 'object') return;
  const { withQueue } = await import('./queue.ts');
  let reported: string | undefined;
  const reportOnce = (sentence: string | undefined) => {
    if (sentence !== undefined && sentence !== reported) report(sentence);
    reported = sentence;
  };
  let seen: ReadonlyMap<string, number> = new Map();
  while (!signal.aborted) {
    try {
      await withQueue(project, async (queue) => {
        while (!signal.aborted) {
          const poll = await pollQueue(queue, project, [run], settings.heartbeatTimeoutSeconds, seen);
          seen = poll.seen;
          const waits = poll.facts.get(run)?.waits;
          reportOnce(waits === undefined ? undefined : `waits: ${waits}`);
          await sleep(intervalMs, undefined, { signal }).catch(() => {});
        }
      });
    } catch (error) {
      if (!signal.aborted) reportOnce(toCharretteError(error).message);
      await sleep(retryDelayMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** One poll of the queue: copies of runs that other machines work on are continued from where they were. */
async function pollQueue(
  queue: Queue,
  home: Home,
  ids: readonly string[],
  heartbeatTimeoutSeconds: number,
  seen: ReadonlyMap<string, number>,
): Promise<{ facts: Map<string, QueueFacts>; seen: Map<string, number> }> {
  const [{ readEntries }, { readWorkers }, { whyWaiting }, { pullRun }] = await Promise.all([
    import('../engine/queue/queued-run.ts'),
    import('../engine/queue/workers.ts'),
    import('../engine/queue/workers.ts'),
    import('../engine/queue/mirror.ts'),
  ]);
  const [entries, workers] = [await readEntries(queue, ids), await readWorkers(queue)];
  const here = cloneAt(realpathSync(home.project));
  const facts = new Map<string, QueueFacts>();
  const now = new Map(seen);
  for (const entry of entries) {
    const directory = runDirectoryOf(home, entry.run);
    const from = seen.get(entry.run) ?? 0;
    const pull = entry.atClone === here ? undefined : () => pullRun(queue, directory, from);
    const pulled = pull === undefined ? from : await updateCopy(directory, pull);
    if (typeof pulled === 'number') now.set(entry.run, pulled);
    const waits =
      (await copyTrouble(directory, entry, pulled)) ?? whyWaiting(entry, workers, heartbeatTimeoutSeconds);
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
 * Brings a copy up to date, unless a process of this clone that lost the run is still saving it (`undefined`); the lock of a dead
 * one holds no one up. An unusable copy in the store is reported for this run and hides no other.
 */
async function updateCopy(
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

/** Exits of runs whose end only the queue has: their files have left the store, or never got into it. */
const exits = { done: 0, 'not-accepted': 6, failed: 1, cancelled: 1 } as const;

/** Why a copy is incomplete. A run that has ended has ended here too, whatever became of its files. */
async function copyTrouble(
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
    const { putCancelled } = await import('../engine/cancel-idle.ts');
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
