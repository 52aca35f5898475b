import { CharretteError } from '../../base/errors.ts';
import type { Answer } from '../../engine/question.ts';
import { type Home, runDirectoryOf } from '../../engine/run-directory.ts';
import type { RunRecord } from '../../engine/run-record.ts';
import type { CommandResult, Invocation } from './command.ts';
import { answerQueued, queueAgain, queued, recommendQueued } from './queue-run.ts';
import { shownStatus } from './run-list.ts';

/**
 * Hands answers to a queued run and lets it wait for a worker again. One that a worker has goes on there with them; without any there
 * is nothing to be done for it.
 */
export async function resumeQueued(
  home: Home,
  record: RunRecord,
  given: ReadonlyMap<string, string>,
  invocation: Invocation,
): Promise<CommandResult> {
  const { run } = record;
  const { yes } = invocation.global;
  const answers = [...given].map(([question, value]): Answer => ({ question, value, source: 'file' }));
  if (answers.length > 0) await answerQueued(home, run, answers, invocation);
  if (yes) await recommendQueued(home, run, invocation);
  if (await queueAgain(home, run, invocation)) return queued(run);
  if (answers.length > 0 || yes) return queued(run, shownStatus(record, runDirectoryOf(home, run)));
  throw new CharretteError({
    code: 'usage',
    message: `A worker is at work on ${run}.`,
    fix: `Follow it with \`charrette watch ${run}\`.`,
  });
}
