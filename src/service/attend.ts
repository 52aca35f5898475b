import { thisWorld } from '../agents/settings.ts';
import type { Engine, EngineOpening } from '../engine/engine.ts';
import type { RunEvent } from '../engine/event.ts';
import { readEvents } from '../engine/event-log.ts';
import { followEvents } from '../engine/follow.ts';
import { leaveMessage } from '../engine/inbox.ts';
import { isAlive } from '../engine/lock.ts';
import { runDirectoryOf } from '../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../engine/run-record.ts';
import type { AnswerProvider } from '../engine/run-registry.ts';
import { answerOpen } from './answer.ts';
import { type Project, settingsOf } from './project.ts';

/** Gets the events of a run that executes in this process, such as an exporter of traces. */
export type Observer = { hear(event: RunEvent): void; close(): Promise<void> };

/** The caller of a run while it executes: it sees the events, answers the questions and can stop the run. */
export type Attendant = {
  /** Stops the run gracefully; what is finished is saved. */
  signal: AbortSignal;
  /** Answers questions, or returns nothing to let the run pause. */
  answer: AnswerProvider;
  report(event: RunEvent): void;
  /** Gets the events of earlier attempts, once and first. */
  catchUp?(past: readonly RunEvent[]): void;
  /** Takes a sentence for the user about the run. */
  notify?(sentence: string): Promise<unknown> | undefined;
  /** Asked when the run executes in this process and not in another one. */
  observe?(): Promise<Observer>;
};

/**
 * Starts or resumes a run and stays with it until it ends, pauses or is stopped. When another process holds the embedded store, the
 * request is left in its inbox and its events are followed; when that process ends, this one claims the run.
 */
export async function attendRun(project: Project, run: string, attendant: Attendant): Promise<RunRecord> {
  const opening = await openHere(project);
  const past = readEvents(runDirectoryOf(project, run).events);
  attendant.catchUp?.(past);
  return opening.opened
    ? execute(opening.engine, run, attendant)
    : followElsewhere(opening, project, run, attendant, past.at(-1)?.seq);
}

async function openHere(project: Project): Promise<EngineOpening> {
  const {
    store = 'embedded',
    databaseRetrySeconds: patienceSeconds,
    agents,
    quota,
  } = await settingsOf(project);
  const setting = store === 'embedded' ? store : { ...store, patienceSeconds };
  const { openWorkflows } = await import('../workflows/open.ts');
  return openWorkflows(project, setting, thisWorld(), { agents, quota, file: project.configFile });
}

async function execute(
  engine: Engine,
  run: string,
  { signal, answer, report, observe }: Attendant,
): Promise<RunRecord> {
  const observer = await observe?.();
  try {
    engine.subscribe(run, report);
    if (observer !== undefined) engine.subscribe(run, observer.hear);
    const end = await engine.conduct(run, { signal, answer });
    await engine.drain(run, signal);
    return end.record;
  } finally {
    await engine.close();
    await observer?.close();
  }
}

/** Follows only what comes after `seen`, as earlier attempts may have ended. */
async function followElsewhere(
  { holder, requireStartable }: Extract<EngineOpening, { opened: false }>,
  project: Project,
  run: string,
  attendant: Attendant,
  seen = 0,
): Promise<RunRecord> {
  const { signal, report } = attendant;
  const directory = runDirectoryOf(project, run);
  const before = await readRunRecord(directory);
  requireStartable(before);
  // Its earlier end is not the end of this attempt.
  const hadEnded = isFinal(before.status);
  await attendant.notify?.(`the store is held by process ${holder.pid}; the run continues there`);
  await leaveMessage(project.inbox, { type: 'run', run });
  /** False: no one here can answer. */
  const answer = () =>
    answerOpen(
      directory,
      (open, elsewhere) => attendant.answer(open, AbortSignal.any([signal, elsewhere])),
      (sentence) => attendant.notify?.(sentence),
    );
  const paused = async (): Promise<RunRecord> => ({ ...(await readRunRecord(directory)), status: 'paused' });
  const stop = new AbortController();
  const watchHolder = setInterval(() => {
    if (!isAlive(holder)) stop.abort('holder-gone');
  }, 500).unref();
  let last = seen;
  try {
    // Questions that were asked before are not announced by another event.
    if (!(await answer())) return await paused();
    const events = followEvents(directory.events, {
      signal: AbortSignal.any([signal, stop.signal]),
      until: async (event) =>
        (!hadEnded || (event?.seq ?? 0) > seen) && isFinal((await readRunRecord(directory)).status),
    });
    for await (const event of events) {
      if (event.seq <= seen) continue;
      last = event.seq;
      report(event);
      if (event.type === 'question-ask' && !(await answer())) return await paused();
    }
  } finally {
    clearInterval(watchHolder);
  }
  if (signal.aborted || !stop.signal.aborted) return readRunRecord(directory);
  const opening = await openHere(project);
  return opening.opened
    ? execute(opening.engine, run, attendant)
    : followElsewhere(opening, project, run, attendant, last);
}
