import { realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../base/config/config.ts';
import { CharretteError, toCharretteError } from '../../base/errors.ts';
import { freshAnswers, leaveAnswers, takenFrom, takeWaiting } from '../../engine/answers.ts';
import { type Answer, readQuestions, rememberAnswers } from '../../engine/question.ts';
import { cloneAt } from '../../engine/queue/place.ts';
import type { QueuedRun } from '../../engine/queue/queued-run.ts';
import { type Home, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { type RunRecord, readRunRecord, updateRunRecord } from '../../engine/run-record.ts';
import { repositoryIdentity } from '../../repo/git/repository-facts.ts';
import type { RunInputs } from '../../workflows/inputs.ts';
import { travels } from '../../workflows/travel.ts';
import type { CommandResult, Invocation } from './command.ts';
import { sharedUrl, withQueue } from './shared-queue.ts';

/** What a worker is given beyond its silence to be heard of again. */
const graceSeconds = 2;

/** Leaves a run that was just made to the workers of the shared store. */
export async function queueRun(
  home: Home,
  runId: string,
  invocation: Invocation,
  given: ReadonlyMap<string, string>,
): Promise<CommandResult> {
  const { options, global } = invocation;
  const directory = runDirectoryOf(home, runId);
  try {
    await sharedUrl(home.project, invocation);
  } catch (error) {
    await rm(directory.root, { recursive: true, force: true });
    throw error;
  }
  const labels = (options['label'] as string[] | undefined) ?? [];
  const answers = [...given].map(([question, value]): Answer => ({ question, value, source: 'file' }));
  rememberAnswers(directory, answers);
  const record = await updateRunRecord(directory, { status: 'queued', queue: { labels, yes: global.yes } });
  await enterQueue(home, directory, record, invocation, (options['priority'] as number | undefined) ?? 0);
  return queued(runId);
}

const waitsAgain: Partial<RunRecord> = {
  status: 'queued',
  process: undefined,
  ended: undefined,
  exit: undefined,
  error: undefined,
};

/** Puts a run that no worker holds back into the queue; false: a worker holds it. */
export async function queueAgain(home: Home, runId: string, invocation: Invocation): Promise<boolean> {
  const directory = runDirectoryOf(home, runId);
  const [{ readEntries, requeue }, { changeStoredRecord }] = await Promise.all([
    import('../../engine/queue/queued-run.ts'),
    import('../../engine/queue/stored-record.ts'),
  ]);
  const state = await withQueue(home.project, invocation, async (queue) => {
    const [entry] = await readEntries(queue, [runId]);
    if (entry === undefined) return 'unknown';
    return queue.transaction(async (client) => {
      if (!(await requeue({ pool: client }, runId))) return 'held';
      // Copies are made from it: they must not show how the run ended before.
      await changeStoredRecord(client, runId, waitsAgain);
      // Before a worker here can take it, whose record this would be afterwards.
      await updateRunRecord(directory, waitsAgain);
      return 'queued';
    });
  });
  // The store may be another one, or may not have answered when the run was made.
  if (state === 'unknown')
    await enterQueue(home, directory, await updateRunRecord(directory, waitsAgain), invocation, 0);
  return state !== 'held';
}

export function queued(run: string, status: string = 'queued'): CommandResult {
  return {
    exit: 0,
    json: { run, status, watch: `charrette watch ${run}` },
    text: `${run}\n`,
  };
}

/**
 * Leaves answers for the worker that holds the run, or that will; gives back those that are new. A run that the queue does not have
 * keeps them until it gets there.
 */
export async function answerQueued(
  home: Home,
  run: string,
  answers: readonly Answer[],
  invocation: Invocation,
): Promise<Answer[]> {
  const directory = runDirectoryOf(home, run);
  const [{ sendAnswers }, { readEntries }] = await Promise.all([
    import('../../engine/queue/messages.ts'),
    import('../../engine/queue/queued-run.ts'),
  ]);
  return withQueue(home.project, invocation, async (queue) => {
    const [entry] = await readEntries(queue, [run]);
    if (entry === undefined) {
      const fresh = await leaveAnswers(directory, answers);
      await takeWaiting(directory);
      return fresh;
    }
    return sendAnswers(queue, run, ({ answered, waiting }) => {
      const file = readQuestions(directory);
      return freshAnswers({ file, waiting: [...answered, ...takenFrom(waiting, file)] }, answers);
    });
  });
}

/** Lets every question of a run take the recommended answer from now on, wherever it is. */
export async function recommendQueued(home: Home, run: string, invocation: Invocation): Promise<void> {
  const directory = runDirectoryOf(home, run);
  const [{ sendMessage }, { readEntries }] = await Promise.all([
    import('../../engine/queue/messages.ts'),
    import('../../engine/queue/queued-run.ts'),
  ]);
  await withQueue(home.project, invocation, async (queue) => {
    const [entry] = await readEntries(queue, [run]);
    if (entry !== undefined) return sendMessage(queue, run, { type: 'recommend' });
    const { queue: wishes } = await readRunRecord(directory);
    await updateRunRecord(directory, { queue: { labels: wishes?.labels ?? [], yes: true } });
  });
}

/** Takes a run out of the queue, or has the worker that holds it end it, and waits for that. */
export async function cancelQueued(home: Home, run: string, invocation: Invocation): Promise<void> {
  const [{ sendMessage }, { readEntries, withdraw }, { giveUpSilent }, { config }] = await Promise.all([
    import('../../engine/queue/messages.ts'),
    import('../../engine/queue/queued-run.ts'),
    import('../../engine/queue/workers.ts'),
    loadConfig({ project: home.project, env: invocation.terminal.env, file: invocation.global.config }),
  ]);
  const { heartbeatTimeoutSeconds } = config.queue;
  await withQueue(home.project, invocation, async (queue) => {
    if (await withdraw(queue, run, 'cancelled')) return;
    // It never got there, and ends where it is.
    if ((await readEntries(queue, [run])).length === 0) return;
    const reason = 'cancelled by another process';
    await sendMessage(queue, run, { type: 'cancel', reason });
    let nextLook = performance.now() + (heartbeatTimeoutSeconds + graceSeconds) * 1000;
    for (;;) {
      const [entry] = await readEntries(queue, [run]);
      if (entry === undefined || entry.state === 'ended' || invocation.signal.aborted) return;
      // Its worker was given up meanwhile: nobody will read the message.
      if (entry.state === 'queued' && (await withdraw(queue, run, 'cancelled'))) return;
      // The store has answered all the while: a worker that still is silent is gone, and there may be no other to find that out.
      if (performance.now() > nextLook) {
        await giveUpSilent(queue, heartbeatTimeoutSeconds);
        nextLook = performance.now() + graceSeconds * 1000;
      }
      await sleep(100);
    }
  });
}

async function enterQueue(
  home: Home,
  directory: RunDirectory,
  record: RunRecord,
  invocation: Invocation,
  priority: number,
): Promise<void> {
  try {
    const project = realpathSync(home.project);
    const run: QueuedRun = {
      run: directory.id,
      workflow: record.workflow,
      title: record.title,
      codeVersion: record.codeVersion,
      repository: await repositoryIdentity(project),
      clone: cloneAt(project),
      travels: travels(record.workflow, record.inputs),
      baseCommit: record.baseCommit,
      agents: (record.inputs as RunInputs).roster.map(({ id }) => id),
      labels: record.queue?.labels ?? [],
      priority,
    };
    const [{ enqueue }, { copyRun }] = await Promise.all([
      import('../../engine/queue/queued-run.ts'),
      import('../../engine/queue/mirror.ts'),
    ]);
    // With its files or not at all: a worker elsewhere may take it at once.
    await withQueue(home.project, invocation, ({ transaction }) =>
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
