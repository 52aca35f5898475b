import {
  answeringOptions,
  type CommandGroup,
  type CommandSpec,
  type CommandTable,
  globalOptions,
  type OptionSpec,
  type Terminal,
} from '../../service/command.ts';

const examples = [
  ['charrette design "add rate limiting"', 'sketch, debate, plan, review, vote'],
  ['charrette build --run latest', 'implement the plan'],
  ['charrette runs', 'what ran, what waits for your answer'],
] as const;

/** How much of a page is shown: everyday commands and flags, or all of them. */
export type HelpSize = { width: number; all: boolean };

/** True if a command, or one of its subcommands, takes --dry-run. */
export function rehearses({ run, dryRun }: Pick<CommandSpec, 'run' | 'dryRun'>): boolean {
  return run === undefined || dryRun !== undefined;
}

/** `charrette --help`: examples first (contract), then the commands by group. */
export function renderRootHelp(groups: readonly CommandGroup[], { width, all }: HelpSize): string {
  return [
    ...wrapLine('Charrette: several coding agents sketch, debate, review and vote; you get one plan.', width),
    ...section('Examples:', examples, width),
    '',
    'Usage: charrette <command> [flags]',
    ...groups.flatMap(({ title, commands }) => section(`${title}:`, listed(commands, all), width)),
    ...everyFlag(() => true, { width, all }),
    ...wrapLine(
      all
        ? 'Run `charrette COMMAND --help` for its flags.'
        : 'Run `charrette COMMAND --help` for its flags, `charrette --help --all` for every command and flag.',
      width,
    ),
    '',
  ].join('\n');
}

/** The help of one command. `name`: all of it, `charrette skill lint`. */
export function renderHelp(
  { arguments: positional = [], examples: shown, options = [], subcommands = {}, ...spec }: CommandSpec,
  { name, summary }: { name: string; summary: string },
  { width, all }: HelpSize,
): string {
  const usage = [name, ...positional.map(([notation]) => notation), '[flags]'].join(' ');
  const own = options.filter(({ rare }) => all || rare === undefined);
  return [
    ...wrapLine(summary, width),
    ...section('Examples:', shown, width),
    '',
    ...wrapLine(`Usage: ${usage}`, width - 4).map((line, index) => (index === 0 ? line : `    ${line}`)),
    ...section('Commands:', listed(subcommands, true), width),
    ...section('Arguments:', positional, width),
    ...section('Flags:', own.map(describeOption), width),
    ...everyFlag(({ flags }) => flags !== '--dry-run' || rehearses(spec), { width, all }),
    ...(all ? [] : [...wrapLine(`Run \`${name} --help --all\` for every flag.`, width)]),
    '',
  ].join('\n');
}

function listed(commands: CommandTable, all: boolean): (readonly [string, string])[] {
  return Object.entries(commands)
    .filter(([, { summary, everyday }]) => summary !== '' && (all || everyday))
    .map(([name, { summary }]) => [name, summary]);
}

function everyFlag(takes: (option: OptionSpec) => boolean, { width, all }: HelpSize): string[] {
  const shown = [...globalOptions, ...answeringOptions].filter(({ rare }) => all || rare === undefined);
  const rows = shown.filter(takes).map(describeOption);
  return [...section('Flags of every command:', rows, width), ...(all ? [] : [''])];
}

function section(title: string, rows: readonly (readonly [string, string])[], width: number): string[] {
  return rows.length === 0 ? [] : ['', title, ...columns(rows, width)];
}

function describeOption(option: OptionSpec): readonly [string, string] {
  const choices = option.choices === undefined ? '' : ` (${option.choices.join(', ')})`;
  const fallback = option.default === undefined ? '' : ` [default: ${String(option.default)}]`;
  return [option.flags, `${option.description}${choices}${fallback}`];
}

/** How wide the pages that a terminal shows may be; a pipe has no width. */
export function pageWidth({ isTTY, columns: width = 80 }: Terminal['stdout']): number {
  return isTTY === true ? Math.max(20, width) : Number.POSITIVE_INFINITY;
}

/** A name wider than this part of the page gets its own line. */
const widestName = 0.4;

/** Names and what they mean side by side; on a narrow page whole words wrap below each other. */
export function columns(
  rows: readonly (readonly [string, string])[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const names = rows.map(([left]) => left.length);
  const needed = Math.max(0, ...names) + Math.max(0, ...rows.map(([, right]) => right.length)) + 4;
  const fitting = needed <= width ? names : names.filter((length) => length <= width * widestName);
  const column = Math.max(0, ...fitting);
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
