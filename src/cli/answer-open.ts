import { leaveAnswers, openQuestions } from '../engine/answers.ts';
import type { Answer, Question } from '../engine/question.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import { toCharretteError } from '../errors.ts';

/**
 * Puts the open questions of a run that another process works on to somebody here, and leaves the answers there. Whoever is too
 * late with one of them is told so, and asked for what is left. False: nobody here can answer.
 */
export async function answerOpen(
  directory: RunDirectory,
  ask: (open: Question[]) => Promise<Answer[] | undefined>,
  say: (text: string) => Promise<unknown>,
): Promise<boolean> {
  const open = openQuestions(directory);
  if (open.length === 0) return true;
  const answers = await ask(open);
  if (answers === undefined) return false;
  try {
    await leaveAnswers(directory, answers);
    return true;
  } catch (error) {
    const left = new Set(openQuestions(directory).map(({ id }) => id));
    if (open.every(({ id }) => left.has(id))) throw error;
    await say(toCharretteError(error).message);
    return answerOpen(directory, ask, say);
  }
}
