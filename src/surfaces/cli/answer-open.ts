import { toCharretteError } from '../../base/errors.ts';
import { leaveAnswers, openQuestions } from '../../engine/answers.ts';
import type { Answer, Question } from '../../engine/question.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';

/** How often the asked questions are compared with the open ones. */
const checkMs = 200;

/**
 * Asks the open questions of a run that another process works on, and leaves the answers there. A prompt whose question was answered
 * elsewhere is closed, and what is left is asked again. False: no one here can answer.
 */
export async function answerOpen(
  directory: RunDirectory,
  ask: (open: Question[], answeredElsewhere: AbortSignal) => Promise<Answer[] | undefined>,
  say: (text: string) => Promise<unknown>,
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
  if (answers === undefined) return elsewhere.signal.aborted ? answerOpen(directory, ask, say) : false;
  try {
    await leaveAnswers(directory, answers);
    return true;
  } catch (error) {
    if (isOpen()) throw error;
    await say(toCharretteError(error).message);
    return answerOpen(directory, ask, say);
  }
}
