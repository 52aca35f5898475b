import { realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CharretteError, toCharretteError } from '../base/errors.ts';
import { applyInbox, freshAnswers, leaveAnswers, takenFrom } from '../engine/answers.ts';
import { type Answer, readQuestions, rememberAnswers } from '../engine/question.ts';
import type { Queue } from '../engine/queue/queue.ts';
import type { QueuedRun } from '../engine/queue/queued-run.ts';
import { cloneAt } from '../engine/queue/workers.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import { type RunRecord, readRunRecord, updateRunRecord } from '../engine/run-record.ts';
import { repositoryIdentity } from '../repo/git/repository-facts.ts';
import { type RunInputs, travels } from '../workflows/create-run.ts';
import { type Project, settingsOf } from './project.ts';

/** What a worker is given beyond its heartbeat timeout before it counts as gone. */
const graceSeconds = 2;

/** The address of the shared store; without one no queue exists. */
export async function sharedUrl(project: Project): Promise<string> {
  const { store } = await settingsOf(project);
  if (typeof store === 'object') return store.url;
  throw new CharretteError({
    code: 'usage',
    message: 'No shared store is configured: the queue and its workers need a PostgreSQL server.',
    fix: 'Set CHARRETTE_DATABASE_URL=postgresql://… or `store: {"url": "postgresql://…"}` in the configuration.',
  });
}

/** Opens the queue of the shared store for as long as the body runs. */
export async function withQueue<Result>(
  project: Project,
  body: (queue: Queue) => Promise<Result>,
): Promise<Result> {
  const url = await sharedUrl(project);
  const { openQueue } = await import('../engine/queue/queue.ts');
  const queue = await openQueue(url);
  try {
    return await body(queue);
  } finally {
    await queue.close();
  }
}

export type QueueWishes = {
  labels?: readonly string[];
  priority?: number;
  /** Every question takes the recommended answer. */
  recommended?: boolean;
  answers?: readonly Answer[];
};

/** Puts a run that was just created into the queue of the shared store. */
export async function enqueueRun(
  project: Project,
  directory: RunDirectory,
  { labels = [], priority = 0, recommended = false, answers = [] }: QueueWishes,
): Promise<void> {
  rememberAnswers(directory, answers);
  const queue = { labels: [...labels], yes: recommended };
  await enterQueue(
    project,
    directory,
    await updateRunRecord(directory, { status: 'queued', queue }),
    priority,
  );
}

const waitsAgain: Partial<RunRecord> = {
  status: 'queued',
  process: undefined,
  ended: undefined,
  exit: undefined,
  error: undefined,
};

/** Requeues a run that no worker holds; false: a worker holds it. */
export async function requeueRun(project: Project, directory: RunDirectory): Promise<boolean> {
  const [{ readEntries, requeue }, { changeStoredRecord }] = await Promise.all([
    import('../engine/queue/queued-run.ts'),
    import('../engine/queue/queued-run.ts'),
  ]);
  const state = await withQueue(project, async (queue) => {
    const [entry] = await readEntries(queue, [directory.id]);
    if (entry === undefined) return 'unknown';
    return queue.transaction(async (client) => {
      if (!(await requeue({ pool: client }, directory.id))) return 'held';
      // Copies are made from it: they must not show how the run ended before.
      await changeStoredRecord(client, directory.id, waitsAgain);
      // Before a worker here can claim it, whose record this would be afterwards.
      await updateRunRecord(directory, waitsAgain);
      return 'queued';
    });
  });
  // The store may be another one, or may not have answered when the run was created.
  if (state === 'unknown')
    await enterQueue(project, directory, await updateRunRecord(directory, waitsAgain), 0);
  return state !== 'held';
}

/**
 * Leaves answers for the worker that holds the run, or that will, and returns the new ones. A run that the queue does not have
 * keeps them until it gets there.
 */
export async function answerQueued(
  project: Project,
  directory: RunDirectory,
  answers: readonly Answer[],
): Promise<Answer[]> {
  const [{ sendAnswers }, { readEntries }] = await Promise.all([
    import('../engine/queue/messages.ts'),
    import('../engine/queue/queued-run.ts'),
  ]);
  return withQueue(project, async (queue) => {
    const [entry] = await readEntries(queue, [directory.id]);
    if (entry === undefined) {
      const fresh = await leaveAnswers(directory, answers);
      await applyInbox(directory);
      return fresh;
    }
    return sendAnswers(queue, directory.id, ({ answered, waiting }) => {
      const file = readQuestions(directory);
      return freshAnswers({ file, waiting: [...answered, ...takenFrom(waiting, file)] }, answers);
    });
  });
}

/** Lets every question of a run take the recommended answer from now on, wherever it is. */
export async function recommendQueued(project: Project, directory: RunDirectory): Promise<void> {
  const [{ sendMessage }, { readEntries }] = await Promise.all([
    import('../engine/queue/messages.ts'),
    import('../engine/queue/queued-run.ts'),
  ]);
  await withQueue(project, async (queue) => {
    const [entry] = await readEntries(queue, [directory.id]);
    if (entry !== undefined) return sendMessage(queue, directory.id, { type: 'recommend' });
    const { queue: options } = await readRunRecord(directory);
    await updateRunRecord(directory, { queue: { labels: options?.labels ?? [], yes: true } });
  });
}

/** Takes a run out of the queue, or has the worker that holds it end it, and waits for that. */
export async function cancelQueued(project: Project, run: string, signal: AbortSignal): Promise<void> {
  const [{ sendMessage }, { readEntries, withdraw }, { removeStaleWorkers }, { queue: settings }] =
    await Promise.all([
      import('../engine/queue/messages.ts'),
      import('../engine/queue/queued-run.ts'),
      import('../engine/queue/workers.ts'),
      settingsOf(project),
    ]);
  const { heartbeatTimeoutSeconds } = settings;
  await withQueue(project, async (queue) => {
    if (await withdraw(queue, run, 'cancelled')) return;
    // It never got there, and ends where it is.
    if ((await readEntries(queue, [run])).length === 0) return;
    await sendMessage(queue, run, { type: 'cancel', reason: 'cancelled by another process' });
    let nextCheck = performance.now() + (heartbeatTimeoutSeconds + graceSeconds) * 1000;
    for (;;) {
      const [entry] = await readEntries(queue, [run]);
      if (entry === undefined || entry.state === 'ended' || signal.aborted) return;
      // Its worker timed out meanwhile: no one will read the message.
      if (entry.state === 'queued' && (await withdraw(queue, run, 'cancelled'))) return;
      // The store has answered all the while: a worker that is still silent is gone, and there may be no other to find that out.
      if (performance.now() > nextCheck) {
        await removeStaleWorkers(queue, heartbeatTimeoutSeconds);
        nextCheck = performance.now() + graceSeconds * 1000;
      }
      await sleep(100);
    }
  });
}

/**
 * Takes a run that waits for a worker out of the queue before its directory is removed: without it the run would only fail there.
 * True: the queue knows of no worker that holds it.
 */
export async function leaveQueue(project: Project, run: string, dryRun: boolean): Promise<boolean> {
  if (typeof (await settingsOf(project)).store !== 'object') return false;
  const { readEntries, withdraw } = await import('../engine/queue/queued-run.ts');
  return withQueue(project, async (queue) => {
    if (!dryRun && (await withdraw(queue, run, 'cancelled'))) return true;
    const [entry] = await readEntries(queue, [run]);
    if (entry?.worker === undefined) return true;
    throw new CharretteError({
      code: 'usage',
      message: `The worker ${entry.worker} is running ${run}.`,
      fix: `Cancel it first: \`charrette cancel ${run}\`.`,
    });
  });
}

async function enterQueue(
  project: Project,
  directory: RunDirectory,
  record: RunRecord,
  priority: number,
): Promise<void> {
  try {
    const place = realpathSync(project.project);
    const run: QueuedRun = {
      run: directory.id,
      workflow: record.workflow,
      title: record.title,
      codeVersion: record.codeVersion,
      repository: await repositoryIdentity(place),
      clone: cloneAt(place),
      travels: travels(record.workflow, record.inputs),
      baseCommit: record.baseCommit,
      agents: (record.inputs as RunInputs).roster.map(({ id }) => id),
      labels: record.queue?.labels ?? [],
      priority,
    };
    const [{ enqueue }, { copyRun }] = await Promise.all([
      import('../engine/queue/queued-run.ts'),
      import('../engine/queue/mirror.ts'),
    ]);
    // With its files or not at all: a worker elsewhere may claim it at once.
    await withQueue(project, ({ transaction }) =>
      transaction(async (client) => {
        await enqueue(client, run);
        const tooMuch = run.travels ? await copyRun(client, run.run, directory.root) : undefined;
        if (tooMuch !== undefined)
          await client.query('UPDATE charrette.runs SET travels = false, bound = $2 WHERE run = $1', [
            run.run,
            tooMuch,
          ]);
      }),
    );
  } catch (error) {
    await updateRunRecord(directory, { status: 'stopped' });
    const { code, message, fix, retryable } = toCharretteError(error);
    throw new CharretteError({
      code,
      message,
      fix: `${fix} Then put the run into the queue with \`charrette resume ${directory.id}\`.`,
      retryable,
      cause: error,
    });
  }
}
