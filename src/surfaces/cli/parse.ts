import path from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { CharretteError } from '../../base/errors.ts';
import { nearest, plainNumber } from '../../base/text/strings.ts';
import { version } from '../../base/version.ts';
import type { CommandSpec, GlobalFlags, Invocation, Terminal } from '../../service/command.ts';
import { globalOptions } from '../../service/command.ts';
import { pageWidth, renderHelp } from './help.ts';

type Parsed =
  | { kind: 'help'; text: string }
  | { kind: 'version' }
  | ({ kind: 'run' } & Pick<Invocation, 'arguments' | 'options' | 'global'>);

/** A command as it was found: what it is called, what its table says of it, and the words after its name. */
export type FoundCommand = { spec: CommandSpec; name: string; summary: string; words: readonly string[] };

/** Reads the words of one command against its spec. */
export function parseInvocation(found: FoundCommand, terminal: Terminal): Parsed {
  const { spec, name, words } = found;
  if (isBare(spec, words))
    return { kind: 'run', arguments: [], options: {}, global: readGlobal({}, terminal) };
  const command = buildParser(spec, name);
  refuseRepeats(spec, command, name);
  try {
    command.parse([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // `--all` takes a value in some commands; after --help it needs none.
    const isHelp = error.code === 'commander.optionMissingArgument' && /^--all$/m.test(words.at(-1) ?? '');
    if (error.code === 'commander.helpDisplayed' || (isHelp && wordsBeforeText(words).includes('--help'))) {
      const size = { width: pageWidth(terminal.stdout), all: asksForAll(words) };
      return { kind: 'help', text: renderHelp(spec, found, size) };
    }
    if (error.code === 'commander.version') return { kind: 'version' };
    throw usageError(error, spec, command, name);
  }
  refuseAlone(spec, command);
  const options = command.opts<Record<string, unknown>>();
  return { kind: 'run', arguments: command.processedArgs, options, global: readGlobal(options, terminal) };
}

/** True without words to read and defaults to set: building the parser takes a tenth of the time that Node takes to start. */
function isBare(
  { arguments: positional, options = [], subcommands }: CommandSpec,
  words: readonly string[],
): boolean {
  if (words.length > 0 || positional !== undefined || subcommands !== undefined) return false;
  return options.every((option) => option.default === undefined && !option.flags.includes('--no-'));
}

function buildParser(spec: CommandSpec, name: string): Command {
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
  for (const { flags, description } of globalOptions) command.addOption(new Option(flags, description));
  command.version(version, '-V, --version');
  // Commander asks for this before each word, so it holds for all words after the flag.
  if (spec.flagsEndWith !== undefined)
    command.on(`option:${spec.flagsEndWith}`, () => command.passThroughOptions());
  if (spec.subcommands !== undefined && spec.run === undefined) command.allowExcessArguments();
  else command.allowExcessArguments(false);
  return command;
}

/** `--help --all`. */
export function asksForAll(words: readonly string[]): boolean {
  return wordsBeforeText(words).includes('--all');
}

/** The words before `--`. */
export function wordsBeforeText(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end < 0 ? words : words.slice(0, end);
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
          fix: `Give it once; \`${name} --help\` shows an example.`,
        });
      }
      seen.add(option.name());
    });
  }
}

/** Rejects a flag that would be ignored without another one. */
function refuseAlone({ options = [] }: CommandSpec, command: Command): void {
  const isGiven = (long: string) => {
    const option = command.options.find((each) => each.long === long);
    return option !== undefined && command.getOptionValueSource(option.attributeName()) === 'cli';
  };
  for (const { flags, needs } of options) {
    const [flag = ''] = flags.match(/--[\w-]+/) ?? [];
    if (needs === undefined || !isGiven(flag) || isGiven(needs)) continue;
    throw new CharretteError({
      code: 'usage',
      message: `${flag} requires ${needs}.`,
      fix: `Add ${needs}, or omit ${flag}.`,
    });
  }
}

function readGlobal(options: Record<string, unknown>, terminal: Terminal): GlobalFlags {
  const named = options['output'] ?? 'text';
  const output = options['json'] === true && named === 'text' ? 'json' : named;
  if (output !== 'text' && output !== 'json' && output !== 'stream-json') {
    throw new CharretteError({
      code: 'usage',
      message: `--output is ${JSON.stringify(output)}; expected text, json or stream-json.`,
    });
  }
  const cwd = path.resolve(typeof options['cwd'] === 'string' ? options['cwd'] : process.cwd());
  return {
    output,
    cwd,
    // Absolute: processes started in other folders receive it too.
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

/** Checks stdin last: touching it opens a stream, which takes longer than many commands. */
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
    message: `--timeout is ${JSON.stringify(value)}; expected a number of seconds above 0.`,
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
