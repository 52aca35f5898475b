import { type Answer, type QuestionFile, readQuestions, unanswered } from '../../engine/question.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import type { Invocation } from './command.ts';
import { tell } from './tell.ts';

type Given = ReadonlyMap<string, string>;

/** What is said of answers whose questions were not asked: they may come, or somebody mistyped a name. */
function earlyNote(file: QuestionFile, fresh: readonly Answer[]): string | undefined {
  const asked = new Set(file.questions.map(({ id }) => id));
  const early = fresh.map(({ question }) => question).filter((id) => !asked.has(id));
  if (early.length === 0) return undefined;
  const open = unanswered({ ...file, answers: [...file.answers, ...fresh] }).map(({ id }) => id);
  const rest = open.length === 0 ? 'No question is open.' : `Open: ${open.join(', ')}.`;
  return `Not asked so far, and kept in case it is: ${early.join(', ')}. ${rest}`;
}

/** The same where a run goes on with the answers of a file. */
export function tellEarly(directory: RunDirectory, given: Given, { global, terminal }: Invocation): void {
  const answers = [...given].map(([question, value]): Answer => ({ question, value, source: 'file' }));
  const note = earlyNote(readQuestions(directory), answers);
  if (note !== undefined && !global.quiet) tell(terminal, note);
}

/** Where all questions of a run are known before it begins, what none of them takes is a mistake. */
export function tellStrange(
  questions: readonly string[],
  given: Given,
  { global, terminal }: Invocation,
): void {
  const asked = global.yes ? [] : questions;
  const strange = [...given.keys()].filter((id) => !asked.includes(id));
  if (strange.length === 0 || global.quiet) return;
  const nothing = global.yes ? 'With --yes it asks nothing.' : 'It asks nothing.';
  const rest = asked.length === 0 ? nothing : `Its questions: ${asked.join(', ')}.`;
  tell(terminal, `No question of this run takes ${strange.join(', ')}. ${rest}`);
}
