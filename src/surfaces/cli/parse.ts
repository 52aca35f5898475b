import path from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { CharretteError } from '../../base/errors.ts';
import { nearest, plainNumber } from '../../base/text/format.ts';
import { version } from '../../base/version.ts';
import type { CommandSpec, GlobalFlags, Invocation, Terminal } from '../../service/command.ts';
import { answeringOptions, globalOptions } from '../../service/command.ts';
import { columns, pageWidth, rehearses, wrapLine } from './help.ts';

type Parsed =
  | { kind: 'help'; text: string }
  | { kind: 'version' }
  | ({ kind: 'run' } & Pick<Invocation, 'arguments' | 'options' | 'global'>);

/** Reads the words of one command against its spec. */
export function parseInvocation(
  spec: CommandSpec,
  name: string,
  words: readonly string[],
  terminal: Terminal,
): Parsed {
  if (isBare(spec, words))
    return { kind: 'run', arguments: [], options: {}, global: readGlobal({}, terminal) };
  const command = buildParser(spec, name, pageWidth(terminal.stdout));
  refuseRepeats(spec, command, name);
  try {
    command.parse([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed' || error.code === 'commander.help') {
      return { kind: 'help', text: command.helpInformation() };
    }
    if (error.code === 'commander.version') return { kind: 'version' };
    throw usageError(error, spec, command, name);
  }
  refuseAlone(spec, command, name);
  const options = command.opts<Record<string, unknown>>();
  return { kind: 'run', arguments: command.processedArgs, options, global: readGlobal(options, terminal) };
}

/** No word to read and no default to fill in: building the parser would take a tenth of the time Node takes to start. */
function isBare(
  { arguments: positional, options = [], subcommands }: CommandSpec,
  words: readonly string[],
): boolean {
  if (words.length > 0 || positional !== undefined || subcommands !== undefined) return false;
  return options.every((option) => option.default === undefined && !option.flags.includes('--no-'));
}

function buildParser(spec: CommandSpec, name: string, width: number): Command {
  const command = new Command(name)
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} });
  for (const [notation, description] of spec.arguments ?? []) command.argument(notation, description);
  for (const option of spec.options ?? []) {
    const built = new Option(option.flags, option.description);
    if (option.choices !== undefined) built.choices(option.choices);
    if (option.parse !== undefined) built.argParser(option.parse);
    if (option.default !== undefined) built.default(option.default);
    command.addOption(built);
  }
  for (const [flags, description] of globalOptions)
    command.addOption(new Option(flags, description).hideHelp());
  command.version(version, '-V, --version');
  // Commander asks for this before each word, so it holds for all words after the flag.
  if (spec.flagsEndWith !== undefined)
    command.on(`option:${spec.flagsEndWith}`, () => command.passThroughOptions());
  if (spec.subcommands !== undefined && spec.run === undefined) command.allowExcessArguments();
  else command.allowExcessArguments(false);
  command.summary(spec.summary);
  command.addHelpText('beforeAll', '');
  command.configureHelp({ formatHelp: () => helpPage(spec, name, width) });
  return command;
}

/** L-012: a flag given twice is ambiguous, unless it collects. */
function refuseRepeats({ options = [] }: CommandSpec, command: Command, name: string): void {
  const seen = new Set<string>();
  const collects = options
    .filter(({ parse }) => parse !== undefined && parse.length > 1)
    .map(({ flags }) => flags);
  for (const option of command.options) {
    if (collects.includes(option.flags)) continue;
    command.on(`option:${option.name()}`, () => {
      if (seen.has(option.name())) {
        throw new CharretteError({
          code: 'usage',
          message: `${option.long ?? option.flags} was given twice.`,
          fix: `Give it once. Run \`${name} --help\`.`,
        });
      }
      seen.add(option.name());
    });
  }
}

/** A flag that would be ignored without another one is refused. */
function refuseAlone({ options = [] }: CommandSpec, command: Command, name: string): void {
  const isGiven = (long: string) => {
    const option = command.options.find((each) => each.long === long);
    return option !== undefined && command.getOptionValueSource(option.attributeName()) === 'cli';
  };
  for (const { flags, needs } of options) {
    const [flag = ''] = flags.match(/--[\w-]+/) ?? [];
    if (needs === undefined || !isGiven(flag) || isGiven(needs)) continue;
    throw new CharretteError({
      code: 'usage',
      message: `${flag} says nothing without ${needs}.`,
      fix: `Give both or neither. Run \`${name} --help\`.`,
    });
  }
}

/** Examples first (contract), then usage, arguments, flags. */
function helpPage(spec: CommandSpec, name: string, width: number): string {
  const usage = [name, ...(spec.arguments ?? []).map(([notation]) => notation), '[flags]'].join(' ');
  const section = (title: string, rows: readonly (readonly [string, string])[]) =>
    rows.length === 0 ? [] : ['', title, ...columns(rows, width)];
  return [
    ...wrapLine(spec.summary, width),
    ...section('Examples:', spec.examples),
    '',
    ...wrapLine(`Usage: ${usage}`, width - 4).map((line, index) => (index === 0 ? line : `    ${line}`)),
    ...section(
      'Commands:',
      Object.entries(spec.subcommands ?? {}).map(([sub, { summary }]) => [sub, summary] as const),
    ),
    ...section('Arguments:', spec.arguments ?? []),
    ...section('Flags:', (spec.options ?? []).map(describeOption)),
    ...section(
      'Flags of every command:',
      [...globalOptions, ...answeringOptions].filter(([flags]) => flags !== '--dry-run' || rehearses(spec)),
    ),
    '',
  ].join('\n');
}

function describeOption(option: NonNullable<CommandSpec['options']>[number]): readonly [string, string] {
  const choices = option.choices === undefined ? '' : ` (${option.choices.join(', ')})`;
  const fallback = option.default === undefined ? '' : ` [default: ${String(option.default)}]`;
  return [option.flags, `${option.description}${choices}${fallback}`];
}

function readGlobal(options: Record<string, unknown>, terminal: Terminal): GlobalFlags {
  const named = options['output'] ?? 'text';
  const output = options['json'] === true && named === 'text' ? 'json' : named;
  if (output !== 'text' && output !== 'json' && output !== 'stream-json') {
    throw new CharretteError({
      code: 'usage',
      message: `--output was ${JSON.stringify(output)}; it is text, json or stream-json.`,
    });
  }
  const cwd = path.resolve(typeof options['cwd'] === 'string' ? options['cwd'] : process.cwd());
  return {
    output,
    cwd,
    // Whole from here on: processes that are started elsewhere are given it as well.
    config: typeof options['config'] === 'string' ? path.resolve(cwd, options['config']) : undefined,
    quiet: options['quiet'] === true,
    verbose: options['verbose'] === true,
    color: {
      stdout: wantsColor(options, terminal.env, terminal.stdout),
      stderr: wantsColor(options, terminal.env, terminal.stderr),
    },
    plain: options['plain'] === true,
    motion: options['motion'] !== false && (terminal.env['CHARRETTE_NO_MOTION'] ?? '') === '',
    input: options['input'] !== false && isInteractive(terminal),
    yes: options['yes'] === true,
    dryRun: options['dryRun'] === true,
    timeoutMs: readTimeout(options['timeout']),
  };
}

/** stdin is looked at last: touching it opens a stream, which takes longer than many a command. */
function isInteractive(terminal: Terminal): boolean {
  return terminal.stderr.isTTY === true && terminal.stdin.isTTY === true;
}

function wantsColor(
  options: Record<string, unknown>,
  env: NodeJS.ProcessEnv,
  stream: { isTTY?: boolean },
): boolean {
  if (options['color'] === false || (env['NO_COLOR'] ?? '') !== '') return false;
  if ((env['FORCE_COLOR'] ?? '') !== '' && env['FORCE_COLOR'] !== '0') return true;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

function readTimeout(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const seconds = plainNumber(String(value));
  if (seconds !== undefined && seconds > 0) return seconds * 1000;
  throw new CharretteError({
    code: 'usage',
    message: `--timeout was ${JSON.stringify(value)}; it takes a number of seconds above 0.`,
  });
}

function usageError(
  error: CommanderError,
  spec: CommandSpec,
  command: Command,
  name: string,
): CharretteError {
  const fix = `Run \`${name} --help\`.`;
  const message = error.message.replace(/^error: /, '').replace(/\n\(Did you mean .*\?\)/, '');
  const ended = message.endsWith('.') ? message : `${message}.`;
  if (error.code !== 'commander.unknownOption')
    return new CharretteError({ code: 'usage', message: ended, fix });
  const flag = /^unknown option '([\s\S]*)'$/.exec(message)?.[1] ?? '';
  const known = command.options.flatMap(({ long, short }) => [long, short].filter((form) => form != null));
  const near = nearest(flag.replace(/=.*$/s, ''), [...known, '--help']);
  return new CharretteError({
    code: 'unknown-flag',
    message: `Unknown option ${flag}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
    fix:
      near === undefined && spec.arguments !== undefined
        ? `If this is text, put -- before it: \`${name} [flags] -- …\`.`
        : fix,
  });
}
