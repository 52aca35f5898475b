import {
  answeringOptions,
  type CommandSpec,
  globalOptions,
  type LazyCommand,
  type Terminal,
} from '../../service/command.ts';

const examples = [
  ['charrette design "add rate limiting"', 'sketch, argue, plan, review, vote'],
  ['charrette doctor', 'which agents are here and whether they answer'],
  ['charrette runs', 'what ran, what waits for an answer'],
] as const;

/** Whether a command, or one of those below it, takes --dry-run. */
export function rehearses({ run, dryRun }: CommandSpec): boolean {
  return run === undefined || dryRun !== undefined;
}

export function renderRootHelp(
  commands: Readonly<Record<string, LazyCommand>>,
  width = Number.POSITIVE_INFINITY,
): string {
  return [
    ...wrapLine('Charrette: several coding agents sketch, argue, review and vote; you get one plan.', width),
    '',
    'Examples:',
    ...columns(examples, width),
    '',
    'Usage: charrette <command> [flags]',
    '',
    'Commands:',
    ...columns(
      Object.entries(commands)
        .filter(([, { summary }]) => summary !== '')
        .map(([name, { summary }]) => [name, summary] as const),
      width,
    ),
    '',
    'Flags of every command:',
    ...columns(globalOptions, width),
    ...columns(answeringOptions, width),
    '',
  ].join('\n');
}

/** How wide the pages that a terminal shows may be; a pipe has no width. */
export function pageWidth({ isTTY, columns: width = 80 }: Terminal['stdout']): number {
  return isTTY === true ? Math.max(20, width) : Number.POSITIVE_INFINITY;
}

/** A name wider than this part of the page stands on a line of its own. */
const widestName = 0.4;

/** Names and what they mean side by side; where the page is too narrow, whole words go on below each other. */
export function columns(
  rows: readonly (readonly [string, string])[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const names = rows.map(([left]) => left.length);
  const needed = Math.max(0, ...names) + Math.max(0, ...rows.map(([, right]) => right.length)) + 4;
  const beside = needed <= width ? names : names.filter((length) => length <= width * widestName);
  const column = Math.max(0, ...beside);
  return rows.flatMap(([left, right]) => {
    const [first = '', ...rest] = wrapLine(right, width - column - 4);
    const below = rest.map((line) => `${' '.repeat(column + 4)}${line}`);
    if (left.length <= column) return [`  ${left.padEnd(column)}  ${first}`.trimEnd(), ...below];
    const [head = '', ...more] = wrapLine(left, width - 4);
    return [`  ${head}`, ...[...more, ...wrapLine(right, width - 6)].map((line) => `      ${line}`)];
  });
}

/** Lines of whole words, each at most `width` wide unless one word is wider. Our own texts have a column a character. */
export function wrapLine(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
