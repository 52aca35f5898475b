import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { untrustedLine } from '../base/text/strings.ts';
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

/** The questions and answers of a run, and the answers that wait in its inbox. */
type Told = { file: QuestionFile; waiting: Answer[] };

/**
 * The given answers that are new. The first answer to a question is final: another one is rejected,
 * and a repeated one is nothing new.
 */
export function freshAnswers({ file, waiting }: Told, given: readonly Answer[]): Answer[] {
  const final = new Map<string, string>();
  for (const { question, value } of [...file.answers, ...waiting])
    if (!final.has(question)) final.set(question, value);
  const fresh: Answer[] = [];
  for (const answer of given) {
    const before = final.get(answer.question);
    if (before === answer.value) continue;
    if (before !== undefined) throw wasAnswered(answer.question, before);
    const question = file.questions.find(({ id }) => id === answer.question);
    if (question !== undefined) checkAnswer(question, answer.value);
    final.set(answer.question, answer.value);
    fresh.push(answer);
  }
  return fresh;
}

/** Leaves answers in the inbox of a run, unless it is a dry run; returns the new ones. */
export async function leaveAnswers(
  directory: RunDirectory,
  given: readonly Answer[],
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<Answer[]> {
  const news = () => freshAnswers(readQuestionState(directory), given);
  if (dryRun || news().length === 0) return news();
  // Two processes that both saw an open question would both report their answer as final.
  return inTurn(directory, async () => {
    const fresh = news();
    if (fresh.length > 0) await leaveMessage(directory.inbox, { type: 'answer', answers: fresh });
    return fresh;
  });
}

/** The unanswered questions; an answer in the inbox counts. */
export function openQuestions(directory: RunDirectory): Question[] {
  const { file, waiting } = readQuestionState(directory);
  return unanswered({ ...file, answers: [...file.answers, ...waiting] });
}

/** Saves the answers from the inbox of a run that no process works on. */
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
 * Saves answers for the process that works on the run. Answers from the inbox go first: their sender was promised that
 * they count. A process that is stopped while it holds the lock delays other answers, never the run.
 */
export async function recordAnswers(directory: RunDirectory, given: readonly Answer[]): Promise<void> {
  const attempt = await waitForLock(lockOf(directory));
  try {
    rememberAnswers(directory, [...readQuestionState(directory).waiting, ...given]);
  } finally {
    if (attempt.held) attempt.lock.release();
  }
}

/** Serialized: no other answer is saved between reading the file and writing it. */
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

/** The answers that will be saved; a message with a value that its question does not offer is rejected as a whole. */
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
    fix: 'The first answer is final; to decide otherwise, cancel the run and start another.',
  });
}
