import { leaveAnswers } from '../engine/answers.ts';
import { hasEnded } from '../engine/engine-errors.ts';
import type { Answer } from '../engine/question.ts';
import type { Home, RunDirectory } from '../engine/run-directory.ts';
import { isFinal, type RunRecord, readRunRecord } from '../engine/run-record.ts';
import type { Invocation } from './command.ts';
import { answerQueued, queueAgain } from './queue-run.ts';

/**
 * Leaves answers where whoever works on the run looks for them: in its inbox, or in the queue of a shared store, where
 * `resume` lets a run that no worker holds wait for one again. Gives the run as it was, and the answers that are new; a dry run
 * leaves them nowhere.
 */
export async function handOver(
  home: Home,
  directory: RunDirectory,
  answers: readonly Answer[],
  resume: boolean,
  invocation: Invocation,
): Promise<{ record: RunRecord; fresh: Answer[] }> {
  const record = await readRunRecord(directory);
  if (isFinal(record.status)) throw hasEnded(record);
  const { dryRun } = invocation.global;
  if (record.queue === undefined || dryRun)
    return { record, fresh: await leaveAnswers(directory, answers, { dryRun }) };
  const fresh = await answerQueued(home, directory.id, answers, invocation);
  if (resume) await queueAgain(home, directory.id, invocation);
  return { record, fresh };
}
