import type { CommandSpec, LazyCommand } from './command.ts';

const examples = [
  ['charrette design "add rate limiting"', 'sketch, argue, plan, review, vote'],
  ['charrette doctor', 'which agents are here and whether they answer'],
  ['charrette runs', 'what ran, what waits for an answer'],
] as const;

/** Global flags as commander notation; every command has them, but for --dry-run. */
export const globalOptions = [
  ['--json', 'one JSON document on stdout (same as --output json)'],
  ['--output <form>', 'text, json or stream-json'],
  ['--cwd <dir>', 'work as if started there'],
  ['--config <file>', 'use this configuration file'],
  ['-q, --quiet', 'no progress on stderr'],
  ['-v, --verbose', 'more detail on stderr'],
  ['--no-color', 'no colour'],
  ['--plain', 'progress as lines, also on a terminal'],
  ['--no-motion', 'nothing turns; the picture changes when something happens'],
  ['--no-input', 'never ask on the terminal'],
  ['-y, --yes', 'take the recommended answer to every question'],
  ['--dry-run', 'say what would be done, do nothing'],
  ['--timeout <seconds>', 'stop gracefully after this time'],
] as const;

/** Whether a command, or one of those below it, takes --dry-run. */
export function rehearses({ run, dryRun }: CommandSpec): boolean {
  return run === undefined || dryRun !== undefined;
}

export function renderRootHelp(commands: Readonly<Record<string, LazyCommand>>): string {
  return [
    'Charrette: several coding agents sketch, argue, review and vote; you get one plan.',
    '',
    'Examples:',
    ...columns(examples),
    '',
    'Usage: charrette <command> [flags]',
    '',
    'Commands:',
    ...columns(
      Object.entries(commands)
        .filter(([, { summary }]) => summary !== '')
        .map(([name, { summary }]) => [name, summary] as const),
    ),
    '',
    'Flags of every command:',
    ...columns(globalOptions),
    ...columns([
      ['-h, --help', 'help for the command'],
      ['-V, --version', 'the version'],
    ]),
    '',
  ].join('\n');
}

export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}
