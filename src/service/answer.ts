import { CharretteError, toCharretteError } from '../base/errors.ts';
import { suggestion, untrustedLine } from '../base/text/strings.ts';
import { leaveAnswers, openQuestions } from '../engine/answers.ts';
import { hasEnded } from '../engine/engine-errors.ts';
import { isLive } from '../engine/lock.ts';
import { type Answer, type Question, readQuestions } from '../engine/question.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../engine/run-record.ts';
import type { Project } from './project.ts';

export { openQuestions };

/** What became of answers: the run as it was before, the answers that are new, and whether the run may be resumed with them. */
export type Answered = { record: RunRecord; fresh: Answer[]; resume: boolean; isIdle: boolean };

/**
 * Leaves answers for the process that works on the run: in its inbox, or in the queue of a shared store. A run that was stopped or
 * killed is resumed only by `resume`. A dry run leaves nothing.
 */
export async function answer(
  project: Project,
  directory: RunDirectory,
  answers: readonly Answer[],
  { resume: wantsResume = true, dryRun = false }: { resume?: boolean; dryRun?: boolean } = {},
): Promise<Answered> {
  const record = await readRunRecord(directory);
  if (isFinal(record.status)) throw hasEnded(record);
  const isQueued = record.queue !== undefined;
  // The copy of a queued run may lack questions that its worker has asked.
  if (!isQueued) refuseUnknown(directory, answers);
  const waits = isQueued ? record.status !== 'stopped' : record.status === 'paused';
  const resume = wantsResume && waits;
  const isIdle = !isQueued && !isLive(record, directory);
  if (!isQueued || dryRun)
    return { record, fresh: await leaveAnswers(directory, answers, { dryRun }), resume, isIdle };
  // Not loaded where nothing is queued.
  const { answerQueued, requeueRun } = await import('./queue.ts');
  const fresh = await answerQueued(project, directory, answers);
  if (resume) await requeueRun(project, directory);
  return { record, fresh, resume, isIdle };
}

/** Rejects answers that no question of the run takes: they would be kept and never used. */
function refuseUnknown(directory: RunDirectory, answers: readonly Answer[]): void {
  const asked = new Set(readQuestions(directory).questions.map(({ id }) => id));
  const unknown = answers.find(({ question }) => !asked.has(question))?.question;
  if (unknown === undefined) return;
  const open = openQuestions(directory).map(({ id }) => id);
  const name = JSON.stringify(untrustedLine(unknown).slice(0, 200));
  throw new CharretteError({
    code: 'not-found',
    message:
      open.length === 0
        ? `The run ${directory.id} has no open question, and none called ${name}.`
        : `The run ${directory.id} has no question ${name}.${suggestion(unknown, open)} Open: ${open.join(', ')}.`,
    fix: `Run \`charrette show ${directory.id}\` for its questions.`,
  });
}

/** How often the asked questions are compared with the open ones. */
const checkMs = 200;

/**
 * Asks the open questions of a run that another process works on, and leaves the answers there. A prompt whose question was answered
 * elsewhere is closed, and the rest is asked again. False: no one here can answer.
 */
export async function answerOpen(
  directory: RunDirectory,
  ask: (open: Question[], answeredElsewhere: AbortSignal) => Promise<Answer[] | undefined>,
  notify: (sentence: string) => Promise<unknown> | undefined,
): Promise<boolean> {
  const open = openQuestions(directory);
  if (open.length === 0) return true;
  const isOpen = () => {
    const left = new Set(openQuestions(directory).map(({ id }) => id));
    return open.every(({ id }) => left.has(id));
  };
  const elsewhere = new AbortController();
  const watch = setInterval(() => {
    if (!isOpen()) elsewhere.abort();
  }, checkMs).unref();
  const answers = await ask(open, elsewhere.signal).finally(() => clearInterval(watch));
  if (answers === undefined) return elsewhere.signal.aborted ? answerOpen(directory, ask, notify) : false;
  try {
    await leaveAnswers(directory, answers);
    return true;
  } catch (error) {
    if (isOpen()) throw error;
    await notify(toCharretteError(error).message);
    return answerOpen(directory, ask, notify);
  }
}
