import stringWidth from 'string-width';
import { shellWord, untrustedLine } from '../../../base/text/strings.ts';
import type { Question } from '../../../engine/question.ts';
import { shorten, wrap } from './fit.ts';
import type { Colors, Marks } from './marks.ts';

type Paper = { columns: number; marks: Marks; colors: Colors };

/** An open question with what hangs on it, what may be answered, and a command line that answers it. */
export function questionLines(
  { id, text, detail, options = [], recommended }: Question,
  run: string,
  { columns, marks, colors }: Paper,
): string[] {
  const choices = options.map(({ value, label }) => {
    const best = value === recommended;
    // On a narrow terminal the mark alone says it.
    const hint = best && columns >= 40 ? ' (recommended)' : '';
    const choice = `${untrustedLine(value)}: ${untrustedLine(label)}`;
    const fitted = shorten(choice, columns - 7 - hint.length, marks.cut);
    return `     ${best ? colors.green(marks.choice) : ' '} ${fitted}${colors.green(hint)}`;
  });
  const free =
    options.length === 0 && recommended !== undefined
      ? [shorten(`     recommended: ${untrustedLine(recommended)}`, columns, marks.cut)]
      : [];
  const value = recommended ?? options[0]?.value ?? 'YOUR ANSWER';
  const answers = [run, shortEnd(run)].map(
    (name) => `charrette answer ${name} ${shellWord(untrustedLine(`${id}=${value}`))}`,
  );
  const answer = answers.find((line) => stringWidth(line) + 5 <= columns) ?? answers.at(-1) ?? '';
  return [
    ...wrap(untrustedLine(text), columns - 4).map(
      (part, index) => ` ${index === 0 ? colors.magenta(marks.question) : ' '} ${colors.bold(part)}`,
    ),
    ...(detail ?? '')
      .split('\n')
      .flatMap((part) => wrap(untrustedLine(part), columns - 6))
      .map((part) => colors.dim(`     ${part}`)),
    ...choices,
    ...free,
    colors.dim(shorten(`     ${answer}`, columns, marks.cut)),
  ];
}

/** What is enough of a usual id for every command. */
function shortEnd(run: string): string {
  return /-([0-9a-f]{8})$/.exec(run)?.[1] ?? run;
}
