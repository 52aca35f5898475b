import type { Question } from '../../engine/question.ts';
import { closedOnAbort } from './closed-prompt.ts';

type Choice = NonNullable<Question['options']>[number];

type Screen = { input: NodeJS.ReadStream; output: NodeJS.WriteStream; signal: AbortSignal };

/**
 * Has a person choose from a list, in which only arrows move. Whoever types `no` and Enter has not said yes: the list comes
 * again, with what was typed marked.
 */
export async function choose(
  message: string,
  choices: readonly Choice[],
  recommended: string | undefined,
  { input, output, signal }: Screen,
): Promise<string | undefined> {
  const { isCancel, select } = await import('@clack/prompts');
  const options = choices.map(({ value, label }) =>
    value === recommended ? { value, label, hint: 'recommended' } : { value, label },
  );
  let [shown, initialValue] = [message, recommended];
  for (;;) {
    const typing = listenTo(input);
    const chosen = await closedOnAbort(input, signal, () =>
      select({ message: shown, options, initialValue, input, output }),
    );
    const typed = typing.end();
    if (chosen === undefined || isCancel(chosen)) return undefined;
    const meant = choices.filter((choice) => beginsWith(choice, typed));
    // To the list h, j, k and l are arrows; they are meant as such where no choice begins with them.
    const moved = meant.length === 0 && /^[hjkl]+$/.test(typed);
    if (typed === '' || moved || meant.some(({ value }) => value === chosen)) return chosen;
    initialValue = meant[0]?.value ?? recommended;
    shown = `${message} (“${typed}” was typed; Enter takes what is marked)`;
  }
}

function beginsWith({ value, label }: Choice, typed: string): boolean {
  return [value, label].some((text) => text.toLowerCase().startsWith(typed));
}

type Key = { name?: string; ctrl?: boolean; meta?: boolean };

/** The letters since the last arrow. */
function listenTo(input: NodeJS.ReadStream): { end: () => string } {
  let typed = '';
  const hear = (letter: string | undefined, { name = '', ctrl, meta }: Key) => {
    if (['up', 'down', 'left', 'right'].includes(name)) typed = '';
    else if (name === 'backspace') typed = typed.slice(0, -1);
    else if (ctrl !== true && meta !== true && /^[\p{L}\p{N}\p{P} ]$/u.test(letter ?? '')) typed += letter;
  };
  input.on('keypress', hear);
  return {
    end: () => {
      input.off('keypress', hear);
      return typed.trim().toLowerCase();
    },
  };
}
