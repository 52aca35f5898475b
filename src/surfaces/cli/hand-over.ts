import { CharretteError } from '../../base/errors.ts';
import { suggestion } from '../../base/text/format.ts';
import { untrustedLine } from '../../base/text/untrusted.ts';
import { leaveAnswers, openQuestions } from '../../engine/answers.ts';
import { hasEnded } from '../../engine/engine-errors.ts';
import { type Answer, readQuestions } from '../../engine/question.ts';
import type { Home, RunDirectory } from '../../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import type { Invocation } from './command.ts';
import { answerQueued, queueAgain } from './queue-run.ts';

/**
 * Leaves answers for the process that works on the run: in its inbox, or in the queue of a shared store. Returns the run as it was, the
 * new answers, and whether the run may be resumed: one that was stopped or killed is resumed only by `resume`. A dry run leaves nothing.
 */
export async function handOver(
  home: Home,
  directory: RunDirectory,
  answers: readonly Answer[],
  wantsResume: boolean,
  invocation: Invocation,
): Promise<{ record: RunRecord; fresh: Answer[]; resume: boolean }> {
  const record = await readRunRecord(directory);
  if (isFinal(record.status)) throw hasEnded(record);
  refuseUnknown(directory, answers);
  const waits = record.queue === undefined ? record.status === 'paused' : record.status !== 'stopped';
  const resume = wantsResume && waits;
  const { dryRun } = invocation.global;
  if (record.queue === undefined || dryRun)
    return { record, fresh: await leaveAnswers(directory, answers, { dryRun }), resume };
  const fresh = await answerQueued(home, directory.id, answers, invocation);
  if (resume) await queueAgain(home, directory.id, invocation);
  return { record, fresh, resume };
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
