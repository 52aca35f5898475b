import path from 'node:path';
import { createInterface } from 'node:readline';
import { CharretteError } from '../../base/errors.ts';
import { readTextOnce } from '../../base/files/bounded.ts';
import { isRecord, parseJson } from '../../base/safe-json.ts';
import { untrustedLine, untrustedText } from '../../base/text/strings.ts';
import type { Answer, Question } from '../../engine/question.ts';
import type { AnswerProvider } from '../../engine/run-registry.ts';
import type { GlobalFlags, Invocation, OptionSpec, Terminal } from '../../service/command.ts';

/** For programs that start a run and put its questions to a person themselves. */
export const remoteAnswersOption: OptionSpec = {
  flags: '--remote-answers',
  description: 'wait for answers from another process (an editor, the web page, `answer`) instead of pausing',
};

/** Answers the questions of a run from a file, from the recommendations (--yes), or by asking on the terminal. */
export function makeAnswerProvider(
  global: GlobalFlags,
  terminal: Terminal,
  given: ReadonlyMap<string, string>,
  remote = false,
): AnswerProvider {
  return async (questions, signal) => {
    const answers: Answer[] = [];
    for (const question of questions) {
      const fromFile = given.get(question.id);
      if (fromFile !== undefined) answers.push({ question: question.id, value: fromFile, source: 'file' });
      else if (global.yes && question.recommended !== undefined) {
        answers.push({ question: question.id, value: question.recommended, source: 'recommended' });
      } else if (global.input) {
        const value = await askOnTerminal(question, terminal, signal);
        if (value === undefined) return undefined;
        answers.push({ question: question.id, value, source: 'person' });
      } else return remote ? gone(signal) : undefined;
    }
    return answers;
  };
}

/** Resolves once another user has answered or the run is stopped. */
function gone(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

async function askOnTerminal(
  asked: Question,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const question = forTerminal(asked);
  if (terminal.env['TERM'] === 'dumb') return askByLine(question, terminal, signal);
  const { isCancel, log, text } = await import('@clack/prompts');
  const output = terminal.stderr as NodeJS.WriteStream;
  const input = terminal.stdin as NodeJS.ReadStream;
  if (question.detail !== undefined) {
    const { wrap } = await import('./live/fit.ts');
    const columns = (terminal.stderr.columns ?? 80) - 4;
    const lines = question.detail.split('\n').flatMap((line) => wrap(line, columns));
    log.message(lines, { output });
  }
  if (question.options !== undefined)
    return choose(question.text, question.options, question.recommended, { input, output, signal });
  const { recommended } = question;
  // Here the proposal is shown, so it may not steer the terminal either; what is taken is the proposal itself.
  const shown = recommended === undefined ? undefined : untrustedLine(recommended);
  const written = await closedOnAbort(input, signal, () =>
    text({
      message: shown === undefined ? question.text : `${question.text} (Enter: as proposed)`,
      ...(shown !== undefined && { placeholder: shown, defaultValue: shown }),
      input,
      output,
    }),
  );
  if (written === undefined || isCancel(written)) return undefined;
  return written === shown ? recommended : written;
}

/** What agents wrote into a question must not steer the terminal; values of options stay as they are, they are never shown. */
function forTerminal({ text, detail, options, ...rest }: Question): Question {
  return {
    ...rest,
    text: untrustedText(text),
    ...(detail === undefined ? {} : { detail: untrustedText(detail) }),
    ...(options === undefined
      ? {}
      : { options: options.map(({ value, label }) => ({ value, label: untrustedLine(label) })) }),
  };
}

/** The answers in the file that a flag names; read before the run is created. */
export async function givenAnswers(
  { options, global, signal }: Pick<Invocation, 'options' | 'global' | 'signal'>,
  flag = 'answers',
): Promise<Map<string, string>> {
  const named = options[flag];
  return typeof named === 'string' ? readAnswerFile(path.resolve(global.cwd, named), signal) : new Map();
}

/** An object of question id → value, or the shape of questions.json with its answers filled. */
export async function readAnswerFile(file: string, signal: AbortSignal): Promise<Map<string, string>> {
  const text = await readTextOnce(file, signal);
  if (text === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `The answers file ${file} does not exist.`,
      fix: 'Check its name; a relative one starts from the directory of the command, or from --cwd.',
    });
  }
  const value = parseJson(text, file);
  if (isRecord(value)) {
    const list = value['answers'];
    const pairs = Array.isArray(list)
      ? list.map((answer) =>
          isRecord(answer) ? ([answer['question'], answer['value']] as const) : ([] as const),
        )
      : Object.entries(value);
    if (pairs.every(([question, answer]) => typeof question === 'string' && typeof answer === 'string')) {
      return new Map(pairs as [string, string][]);
    }
  }
  throw new CharretteError({
    code: 'json-invalid',
    message: `${file} holds no answers.`,
    fix: 'Write {"<question id>": "<answer>", …}, or fill `answers` of questions.json with {question, value}.',
  });
}

/** Asks on a terminal that cannot redraw: plain lines out, one line in. Returns nothing when stdin ends. */
export async function askByLine(
  { text, detail, options, recommended }: Question,
  { stdin, stderr }: Terminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const proposed = recommended === undefined ? '' : ` (Enter: ${untrustedLine(recommended)})`;
  const offered = options?.map(({ value, label }) => `  ${untrustedLine(value)}: ${label}`) ?? [];
  stderr.write(
    `${[...(detail === undefined ? [] : [detail]), `${text}${proposed}`, ...offered].join('\n')}\n> `,
  );
  const lines = createInterface({ input: stdin, terminal: false, signal });
  try {
    for await (const line of lines) {
      const answer = line.trim() === '' ? recommended : line;
      const meant =
        options === undefined ? answer : options.find(({ value }) => value === answer?.trim())?.value;
      if (meant !== undefined) return meant;
      stderr.write('> ');
    }
    return undefined;
  } finally {
    lines.close();
  }
}

type Choice = NonNullable<Question['options']>[number];

type Screen = { input: NodeJS.ReadStream; output: NodeJS.WriteStream; signal: AbortSignal };

/**
 * Asks the user to choose from a list, in which only arrows move. Typing `no` and Enter does not confirm: the list is shown
 * again with the typed choice selected.
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

/**
 * Runs a prompt and cancels it as Ctrl-C would when the signal aborts. The prompt library's own signal leaves the open prompt on the
 * screen.
 */
export async function closedOnAbort<Value>(
  input: NodeJS.ReadStream,
  signal: AbortSignal,
  prompt: () => Promise<Value>,
): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  const cancel = () => input.emit('keypress', '\u0003', { name: 'c', ctrl: true, sequence: '\u0003' });
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await prompt();
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
