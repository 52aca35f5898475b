import { existsSync, readFileSync } from 'node:fs';
import { CharretteError } from '../base/errors.ts';
import { writeJsonAtomicSync } from '../base/files/atomic.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { untrustedLine, untrustedText } from '../base/text/strings.ts';
import { isAnswer, isQuestion } from './event-reading.ts';
import type { RunDirectory } from './run-directory.ts';

/** A question as a form with one field, in the shape that editors (ACP) and hosts (MCP) show. */
export function questionForm({ text, detail, options, recommended }: Question) {
  return {
    mode: 'form' as const,
    message: untrustedText(detail === undefined ? text : `${text}\n\n${detail}`),
    requestedSchema: {
      type: 'object' as const,
      properties: {
        answer: {
          type: 'string' as const,
          title: untrustedLine(text),
          ...(options === undefined || options.length === 0
            ? {}
            : { oneOf: options.map(({ value, label }) => ({ const: value, title: untrustedLine(label) })) }),
          ...(recommended === undefined ? {} : { default: recommended }),
        },
      },
      required: ['answer'],
    },
  };
}

/** What the person chose; a form that was sent without a change means its default. */
export function formAnswer(
  reply: { action: string; content?: unknown },
  { recommended }: Question,
): string | undefined {
  if (reply.action !== 'accept') return undefined;
  const value = (reply.content as Record<string, unknown> | null | undefined)?.['answer'];
  return typeof value === 'string' ? value : recommended;
}

/** Something only a person can decide. The id is stable: an answer may come before the question is asked. */
export type Question = {
  id: string;
  text: string;
  /** Why it is asked, or what hangs on it. */
  detail?: string;
  /** Closed choice; default: free text. */
  options?: { value: string; label: string }[];
  /** Taken with --yes, and offered first on a terminal. */
  recommended?: string;
};

export type Answer = { question: string; value: string; source: 'person' | 'recommended' | 'file' };

/** questions.json: the questions of this run and their answers. */
export type QuestionFile = { schemaVersion: 1; run: string; questions: Question[]; answers: Answer[] };

export function readQuestions(directory: RunDirectory): QuestionFile {
  const there = existsSync(directory.questions);
  return parseQuestions(directory.id, there ? readFileSync(directory.questions, 'utf8') : '');
}

/** The same from the text of the file. */
export function parseQuestions(run: string, text: string): QuestionFile {
  const empty: QuestionFile = { schemaVersion: 1, run, questions: [], answers: [] };
  const reading = readJson(text);
  if (!reading.ok || !isRecord(reading.value)) return empty;
  const { questions, answers } = reading.value;
  return { ...empty, questions: listOf(questions, isQuestion), answers: listOf(answers, isAnswer) };
}

/** A file from an archive may hold anything; invalid items are dropped. */
function listOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): Item[] {
  return Array.isArray(value) ? value.filter(isItem) : [];
}

export function rememberQuestions(directory: RunDirectory, asked: readonly Question[]): QuestionFile {
  const file = readQuestions(directory);
  const known = new Set(file.questions.map((question) => question.id));
  const questions = [...file.questions, ...asked.filter((question) => !known.has(question.id))];
  const next = { ...file, questions };
  if (questions.length !== file.questions.length) writeJsonAtomicSync(directory.questions, next);
  return next;
}

/** Keeps the first answer to a question; a later one does not change what was decided. */
export function rememberAnswers(directory: RunDirectory, given: readonly Answer[]): QuestionFile {
  const file = readQuestions(directory);
  const answers = [...file.answers];
  for (const answer of given)
    if (!answers.some(({ question }) => question === answer.question)) answers.push(answer);
  const next = { ...file, answers };
  if (answers.length !== file.answers.length) writeJsonAtomicSync(directory.questions, next);
  return next;
}

export function unanswered(file: QuestionFile): Question[] {
  const answered = new Set(file.answers.map((answer) => answer.question));
  return file.questions.filter((question) => !answered.has(question.id));
}

export function isOffered({ options }: Question, value: string): boolean {
  return options === undefined || options.some((option) => option.value === value);
}

/** Refuses a value that the question does not offer. */
export function checkAnswer(question: Question, value: string): void {
  if (isOffered(question, value)) return;
  const { options = [] } = question;
  throw new CharretteError({
    code: 'usage',
    message: `${JSON.stringify(value)} is not a valid answer to ${question.id}; choose ${options.map((option) => option.value).join(', ')}.`,
    fix: `Answer with one of the listed values.`,
  });
}
