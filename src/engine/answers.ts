import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { untrustedLine } from '../base/text/untrusted.ts';
import { answersHeld } from './engine-errors.ts';
import { leaveMessage, peekMessages, readMessages, removeMessage } from './inbox.ts';
import { waitForLock } from './lock.ts';
import {
  type Answer,
  checkAnswer,
  isOffered,
  type Question,
  type QuestionFile,
  readQuestions,
  rememberAnswers,
  unanswered,
} from './question.ts';
import type { RunDirectory } from './run-directory.ts';

/** What a run has asked and been told, and the answers that lie in its inbox until somebody works on it. */
type Told = { file: QuestionFile; waiting: Answer[] };

/**
 * The answers that are new, for whoever hands some over. The first answer to a question stands: another one is refused,
 * and the same once more is nothing new.
 */
export function freshAnswers({ file, waiting }: Told, given: readonly Answer[]): Answer[] {
  const stands = new Map<string, string>();
  for (const { question, value } of [...file.answers, ...waiting])
    if (!stands.has(question)) stands.set(question, value);
  const fresh: Answer[] = [];
  for (const answer of given) {
    const before = stands.get(answer.question);
    if (before === answer.value) continue;
    if (before !== undefined) throw wasAnswered(answer.question, before);
    const question = file.questions.find(({ id }) => id === answer.question);
    if (question !== undefined) checkAnswer(question, answer.value);
    stands.set(answer.question, answer.value);
    fresh.push(answer);
  }
  return fresh;
}

/** Leaves answers in the inbox of a run, unless it is a dry run; gives back those that are new. */
export async function leaveAnswers(
  directory: RunDirectory,
  given: readonly Answer[],
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<Answer[]> {
  const news = () => freshAnswers(readQuestionState(directory), given);
  if (dryRun || news().length === 0) return news();
  // Two that both saw an open question would both be told that their answer counts.
  return inTurn(directory, async () => {
    const fresh = news();
    if (fresh.length > 0) await leaveMessage(directory.inbox, { type: 'answer', answers: fresh });
    return fresh;
  });
}

/** The questions that nobody has answered yet; an answer that nobody has read yet is one, too. */
export function openQuestions(directory: RunDirectory): Question[] {
  const { file, waiting } = readQuestionState(directory);
  return unanswered({ ...file, answers: [...file.answers, ...waiting] });
}

/** Puts the answers that lie in the inbox of a run on record, for whoever knows that nobody works on it. */
export function applyInbox(directory: RunDirectory): Promise<void> {
  return inTurn(directory, async () => {
    for (const received of await readMessages(directory.inbox)) {
      if (received.message.type !== 'answer') continue;
      rememberAnswers(directory, takenFrom([received.message], readQuestions(directory)));
      await removeMessage(received);
    }
  });
}

/**
 * Puts answers on record for the process that works on the run. What lies in the inbox goes first: whoever left it was told that
 * it counts. A process that stops in the middle of its turn keeps others from answering, never the run.
 */
export async function recordAnswers(directory: RunDirectory, given: readonly Answer[]): Promise<void> {
  const attempt = await waitForLock(lockOf(directory));
  try {
    rememberAnswers(directory, [...readQuestionState(directory).waiting, ...given]);
  } finally {
    if (attempt.held) attempt.lock.release();
  }
}

/** One after another: nothing is answered between a look at what was answered and the answer that follows it. */
async function inTurn<Result>(directory: RunDirectory, body: () => Promise<Result>): Promise<Result> {
  const file = lockOf(directory);
  const attempt = await waitForLock(file);
  if (!attempt.held) throw answersHeld(directory.id, attempt.holder, file);
  try {
    return await body();
  } finally {
    attempt.lock.release();
  }
}

function lockOf({ inbox }: RunDirectory): string {
  return path.join(inbox, 'answers.lock');
}

function readQuestionState(directory: RunDirectory): Told {
  // The inbox first: a message goes only after it took effect, so that none is missed.
  const messages = peekMessages(directory.inbox);
  const file = readQuestions(directory);
  return { file, waiting: takenFrom(messages, file) };
}

/** Answers of messages that will be taken; one with a value that its question does not offer is refused as a whole. */
export function takenFrom(
  messages: readonly { type: string; answers?: Answer[] }[],
  { questions }: QuestionFile,
): Answer[] {
  const fits = ({ question, value }: Answer) => {
    const asked = questions.find(({ id }) => id === question);
    return asked === undefined || isOffered(asked, value);
  };
  return messages.flatMap(({ answers = [] }) => (answers.every(fits) ? answers : []));
}

function wasAnswered(question: string, value: string): CharretteError {
  return new CharretteError({
    code: 'usage',
    message: `${untrustedLine(question).slice(0, 200)} was answered: ${untrustedLine(value).slice(0, 200)}`,
    fix: 'The first answer stands; to decide otherwise, cancel the run and start another.',
  });
}
