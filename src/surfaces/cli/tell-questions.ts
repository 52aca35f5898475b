import type { Question } from '../../engine/question.ts';
import type { Terminal } from './command.ts';
import { tell } from './tell.ts';

/** The sentence before open questions. Only recommendations for all of them let a run go on without a person. */
export function howToAnswer(run: string, questions: readonly Question[]): string {
  const resume = `charrette resume ${run}`;
  if (questions.length === 0) return `Go on with \`${resume}\`.`;
  if (questions.some(({ recommended }) => recommended === undefined)) return 'Answer as shown.';
  return `Answer as shown, or take every recommended answer with \`${resume} --yes\`.`;
}

/** Open questions as `show` has them, beside the result; a pipe has no width, so nothing is cut there. */
export async function tellQuestions(
  run: string,
  questions: readonly Question[],
  terminal: Pick<Terminal, 'stderr' | 'env'>,
): Promise<void> {
  if (questions.length === 0) return;
  const [{ questionLines }, { marksFor }, { default: colorsModule }] = await Promise.all([
    import('./live/question-lines.ts'),
    import('./live/marks.ts'),
    import('picocolors'),
  ]);
  const { isTTY, columns = 80 } = terminal.stderr;
  const paper = {
    columns: isTTY === true ? Math.max(20, columns - 1) : Number.POSITIVE_INFINITY,
    marks: marksFor(terminal.env),
    colors: colorsModule.createColors(false),
  };
  for (const question of questions)
    for (const line of questionLines(question, run, paper)) tell(terminal, line);
}
