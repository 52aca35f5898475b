import fs from 'node:fs';
import { type ExitCode, exitCodes } from '../base/error-table.ts';
import { CharretteError, exitCodeOf, isCharretteError } from '../base/errors.ts';
import { terminalText } from '../base/text/untrusted.ts';
import type { RunEvent } from '../engine/event.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import type { Project } from './project.ts';

/** One flag as commander reads it: `--budget <tokens>`. */
export type OptionSpec = {
  flags: string;
  description: string;
  /** Turns the raw text into a value; throws a CharretteError on bad input. */
  /** One that takes the previous value collects: the flag may be given more than once. */
  parse?: (value: string, previous: unknown) => unknown;
  choices?: readonly string[];
  default?: unknown;
  /** The flag that this one requires: `--queue`. */
  needs?: string;
};

/** A command as data; the runner builds the parser, the help page and the completion from it. */
export type CommandSpec = {
  name: string;
  summary: string;
  /** Shown first on the help page, one command line each, with what it does. */
  examples: readonly (readonly [command: string, does: string])[];
  /** Positional arguments in commander's notation: `<feature...>`, `[path]`. */
  arguments?: readonly (readonly [notation: string, description: string])[];
  options?: readonly OptionSpec[];
  /** L-001: name of an option after which flags end at the first word of the text. */
  flagsEndWith?: string;
  subcommands?: Readonly<Record<string, LazyCommand>>;
  /**
   * How the command keeps the promise of --dry-run: it `says` what it would do, or it only `reads` anyway. One that
   * declares nothing cannot keep it, and the flag is refused.
   */
  dryRun?: 'says' | 'reads';
  run?: (invocation: Invocation) => Promise<CommandResult>;
};

export type LazyCommand = { summary: string; load: () => Promise<CommandSpec> };

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

/** Flags of every command that answer instead of it. */
export const answeringOptions = [
  ['-h, --help', 'help for the command'],
  ['-V, --version', 'the version'],
] as const;

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
    .filter(([flags]) => flags.includes('<'))
    .flatMap(([flags]) => flags.match(/--?[a-z][a-z-]*/g) ?? []),
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
