import fs from 'node:fs';
import { type ExitCode, exitCodes } from '../base/error-table.ts';
import { CharretteError, exitCodeOf, isCharretteError } from '../base/errors.ts';
import { terminalText } from '../base/text/strings.ts';
import type { RunEvent } from '../engine/event.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import type { Project } from './project.ts';

/** One flag as commander reads it: `--budget <tokens>`. */
export type OptionSpec = {
  flags: string;
  description: string;
  /** Only `--help --all` shows it. */
  rare?: true;
  /**
   * Turns the raw text into a value; throws a CharretteError on bad input. One that takes the previous value collects: the flag
   * may be given more than once.
   */
  parse?: (value: string, previous: unknown) => unknown;
  choices?: readonly string[];
  default?: unknown;
  /** The flag that this one requires: `--queue`. */
  needs?: string;
};

/** A command as data: parser, help, completion and `docs/reference/cli.md` are made from it. */
export type CommandSpec = {
  /** Shown first on the help page, one command line each, with what it does. */
  examples: readonly (readonly [command: string, does: string])[];
  /** Positional arguments in commander's notation: `<feature...>`, `[path]`. */
  arguments?: readonly (readonly [notation: string, description: string])[];
  options?: readonly OptionSpec[];
  /** L-001: name of an option after which flags end at the first word of the text. */
  flagsEndWith?: string;
  subcommands?: Readonly<Record<string, LazyCommand>>;
  /** How the command honours --dry-run: it `says` what it would do, or it only `reads` anyway. Otherwise the flag is rejected. */
  dryRun?: 'says' | 'reads';
  run?: (invocation: Invocation) => Promise<CommandResult>;
};

/** An entry of a table of commands. `load` imports the module only when its command runs; without a summary it is internal. */
export type LazyCommand = {
  summary: string;
  /** Shown by `charrette --help`; the others need `--all`. */
  everyday?: true;
  load: () => Promise<CommandSpec>;
};

export type CommandTable = Readonly<Record<string, LazyCommand>>;

/** Commands under one heading of `charrette --help`. */
export type CommandGroup = { title: string; commands: CommandTable };

/** The argument of every command about one run; `findRun` reads it. */
export const runArgument = ['[run]', 'run id, an unambiguous part of it, or latest (the default)'] as const;

/** Global flags as commander notation; every command has them, except --dry-run. */
export const globalOptions: readonly OptionSpec[] = [
  { flags: '--json', description: 'print one JSON document on stdout (same as --output json)' },
  { flags: '--output <form>', description: 'print text, json or stream-json', rare: true },
  { flags: '--cwd <dir>', description: 'run as if started in this folder', rare: true },
  { flags: '--config <file>', description: 'use this configuration file', rare: true },
  { flags: '-q, --quiet', description: 'print no progress on stderr', rare: true },
  { flags: '-v, --verbose', description: 'print more detail on stderr', rare: true },
  { flags: '--no-color', description: 'print without colour', rare: true },
  { flags: '--plain', description: 'print progress as lines, even on a terminal', rare: true },
  { flags: '--no-motion', description: 'redraw the live view only when something happens', rare: true },
  { flags: '--no-input', description: 'never ask on the terminal', rare: true },
  { flags: '-y, --yes', description: 'take the recommended answer to every question' },
  { flags: '--dry-run', description: 'print what would be done, do nothing' },
  { flags: '--timeout <seconds>', description: 'stop gracefully after this time', rare: true },
];

/** Flags of every command that answer instead of it. */
export const answeringOptions: readonly OptionSpec[] = [
  { flags: '-h, --help', description: 'show this help; with --all every command and flag' },
  { flags: '-V, --version', description: 'print the version', rare: true },
];

export type GlobalFlags = {
  output: 'text' | 'json' | 'stream-json';
  cwd: string;
  /** Absolute, as `cwd`. */
  config: string | undefined;
  quiet: boolean;
  verbose: boolean;
  /** Whether what goes there may be coloured. */
  color: { stdout: boolean; stderr: boolean };
  /** Lines instead of a picture, also on a terminal. */
  plain: boolean;
  /** Whether a picture may move. */
  motion: boolean;
  input: boolean;
  yes: boolean;
  dryRun: boolean;
  timeoutMs: number | undefined;
};

/** Everything the outside world is to a command; tests pass their own. */
export type Terminal = {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };
  env: NodeJS.ProcessEnv;
};

export type Invocation = {
  /** Positional arguments, a variadic one as an array. */
  arguments: readonly (string | string[] | undefined)[];
  options: Readonly<Record<string, unknown>>;
  global: GlobalFlags;
  terminal: Terminal;
  /** Aborted by Ctrl-C, SIGTERM or --timeout. */
  signal: AbortSignal;
  /** Exports traces of a run that executes in this process. */
  openObserver?: OpenObserver;
};

/** `print` shows what is meant for the eye. Closing returns why something could not be exported. */
export type OpenObserver = (
  project: Project,
  directory: RunDirectory,
  print: (text: string) => void,
) => Promise<{ hear(event: RunEvent): void; close(): Promise<string | undefined> }>;

/** The result of a command: data for people (`text`, to stdout) and for programs (`json`). Printed in one place. */
export type CommandResult = {
  exit: ExitCode;
  text?: string;
  json?: unknown;
  /** The events of a run were its output; with `--output stream-json` nothing is added to them. */
  streamed?: boolean;
};

/** The exit of a stopped command: 3 by the time limit, 130 by Ctrl-C, 143 by another signal. */
export function stopExit({ reason }: AbortSignal): ExitCode {
  if (isCharretteError(reason)) return exitCodeOf(reason);
  return reason === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
}

/** Throws when the time limit stopped a command: what holds at that moment, and how to continue. */
export function throwTimeLimit({ reason }: AbortSignal, fix: string, state = ''): void {
  if (!isCharretteError(reason)) return;
  const { code, message } = reason;
  throw new CharretteError({ code, message: `${message}${state}`, fix });
}

/** Prints a line for the user, apart from the result. It may quote a file, an agent or a server. */
export function printNotice({ stderr }: Pick<Terminal, 'stderr'>, line: string): void {
  stderr.write(`${terminalText(line)}\n`);
}

/** Flags before a command that take the next word with them. */
const valued = new Set(
  globalOptions
    .filter(({ flags }) => flags.includes('<'))
    .flatMap(({ flags }) => flags.match(/--?[a-z][a-z-]*/g) ?? []),
);

/** Index of the command: the first word before `--` that is neither a flag nor the value of a global flag. */
export function indexOfCommand(words: readonly string[]): number | undefined {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') return undefined;
    if (valued.has(word)) index += 1;
    else if (!word.startsWith('-')) return index;
  }
  return undefined;
}

/** Stops a command whose project folder (`--cwd`) does not exist. */
export function requireDirectory(directory: string): void {
  if (isDirectory(directory)) return;
  throw new CharretteError({ code: 'not-found', message: `The folder ${directory} does not exist.` });
}

function isDirectory(directory: string): boolean {
  try {
    return fs.statSync(directory).isDirectory();
  } catch {
    return false;
  }
}
